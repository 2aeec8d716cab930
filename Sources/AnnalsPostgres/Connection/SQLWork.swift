#if Postgres
  import Dispatch
  import Synchronization

  /// Statements that go to the server in one message, and who waits for their answers.
  final class SQLWork: Sendable {
    typealias Outcome = Result<[SQLRows], SQLFailure>

    let statements: [SQLStatement]
    /// When it came, on the clock that never stops.
    let came = nowInNanoseconds()
    /// When it has waited too long for a connection, on the clock that never stops.
    let deadline: UInt64
    /// True if a connection that cannot be made is tried again until then.
    let isPatient: Bool
    private let waiting: Mutex<(@Sendable (Outcome) -> Void)?>

    init(
      _ statements: [SQLStatement], deadline: UInt64, isPatient: Bool,
      _ waiting: (@Sendable (Outcome) -> Void)?
    ) {
      (self.statements, self.deadline, self.isPatient) = (statements, deadline, isPatient)
      self.waiting = Mutex(waiting)
    }

    /// Answers who waits, the first time.
    func finish(_ outcome: Outcome) {
      let waiting = waiting.withLock { waiting in
        defer { waiting = nil }
        return waiting
      }
      waiting?(outcome)
    }
  }

  /// Nanoseconds of a clock that never goes back.
  func nowInNanoseconds() -> UInt64 { DispatchTime.now().uptimeNanoseconds }
#endif
