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
    private let patient: Atomic<Bool>
    /// True if attempts to connect that reach no server are retried until the deadline.
    var isPatient: Bool { patient.load(ordering: .relaxed) }
    private let waiting: Mutex<(@Sendable (Outcome) -> Void)?>

    init(
      _ statements: [SQLStatement], deadline: UInt64, isPatient: Bool,
      _ waiting: (@Sendable (Outcome) -> Void)?
    ) {
      self.statements = statements
      self.deadline = deadline
      patient = Atomic(isPatient)
      self.waiting = Mutex(waiting)
    }

    /// Retries from now on until the deadline, because an attempt to connect has reached a server.
    func bePatient() { patient.store(true, ordering: .relaxed) }

    /// Reports the outcome to the waiting closure, at most once.
    func finish(_ outcome: Outcome) {
      let waiting = waiting.withLock { waiting in
        defer { waiting = nil }
        return waiting
      }
      waiting?(outcome)
    }
  }

  extension SQLWork {
    /// Work that ends a server process whose connection was closed, if the process waits for a synchronous standby.
    ///
    /// Such a process doesn't notice the end of its connection. Without this work, a store would add a server process
    /// for every ``PostgresOptions/answerTimeout`` until the standby is back.
    static func ending(_ backend: SQLConnection.Backend, deadline: UInt64) -> SQLWork {
      let statement = SQLStatement(
        """
        SELECT pg_catalog.pg_terminate_backend(pid) FROM pg_catalog.pg_stat_activity
          WHERE pid = $1 AND wait_event = 'SyncRep'
            AND \(SQLConnection.Backend.serverColumn) = $2
        """, [.int(backend.pid), .text(backend.server)])
      return SQLWork([statement], deadline: deadline, isPatient: false, nil)
    }
  }

  /// Returns the nanoseconds of a monotonic clock.
  func nowInNanoseconds() -> UInt64 { DispatchTime.now().uptimeNanoseconds }
#endif
