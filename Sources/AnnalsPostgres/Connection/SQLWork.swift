#if Postgres
  import Dispatch
  import Synchronization

  /// Statements that are sent to the server in one message, and the closure that receives their outcome.
  final class SQLWork: Sendable {
    typealias Outcome = Result<[SQLRows], SQLFailure>

    let statements: [SQLStatement]
    /// The time at which the work arrived, on the monotonic clock.
    let came = nowInNanoseconds()
    /// The time after which the work no longer waits for a connection, on the monotonic clock.
    let deadline: UInt64
    /// True if failed connections are retried until the deadline.
    let isPatient: Bool
    private let waiting: Mutex<(@Sendable (Outcome) -> Void)?>

    init(
      _ statements: [SQLStatement], deadline: UInt64, isPatient: Bool,
      _ waiting: (@Sendable (Outcome) -> Void)?
    ) {
      self.statements = statements
      self.deadline = deadline
      self.isPatient = isPatient
      self.waiting = Mutex(waiting)
    }

    /// Reports the outcome to the waiting closure, at most once.
    func finish(_ outcome: Outcome) {
      let waiting = waiting.withLock { waiting in
        defer { waiting = nil }
        return waiting
      }
      waiting?(outcome)
    }
  }

  /// Returns the nanoseconds of a monotonic clock.
  func nowInNanoseconds() -> UInt64 { DispatchTime.now().uptimeNanoseconds }
#endif
