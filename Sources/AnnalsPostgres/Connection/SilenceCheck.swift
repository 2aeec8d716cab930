#if Postgres
  import Synchronization

  /// A check of the server processes of connections that wait for responses, over a new connection.
  ///
  /// A firewall can silently drop the existing connections to a server that accepts new connections. Then the server
  /// process waits for a statement while the client waits for a response. A process that executes a slow statement, or
  /// waits for a lock or a standby, doesn't wait for its client.
  ///
  /// The check compares two samples, because the response of a slow network can still be on its way.
  final class SilenceCheck {
    /// The outcome of a statement, which the pool's thread stores and reads.
    private final class Answer: Sendable {
      let outcome = Mutex<SQLWork.Outcome?>(nil)
    }

    struct Findings {
      /// The ids of the server processes that have ended, or wait for their clients.
      var stalled: Set<Int> = []
      /// The time of the first sample.
      ///
      /// Data that arrived later contradicts the findings.
      var began: UInt64 = 0
      /// The ids of the server processes that hold the locks for which checked processes wait.
      var lockHolders: Set<Int> = []
    }

    enum Progress {
      case pending
      case failed(SQLFailure)
      case found(Findings)
    }

    let connection: SQLConnection
    private var answer: Answer?
    private var began: UInt64 = 0
    /// The stalled processes in the first sample, with the times of their last changes between executing and waiting.
    private var first: [Int: String?]?
    /// The undelivered bytes at the first sample, because a process also waits for a long message that is on its way.
    private var undelivered: [Int: Int] = [:]
    private var nextSample: UInt64 = 0
    /// The time between the two samples, in nanoseconds.
    private static let interval: UInt64 = 500_000_000
    /// The maximum time for the response to a sample, in nanoseconds.
    private static let limit: UInt64 = 5_000_000_000

    /// - Parameter connection: A new connection.
    init(_ connection: SQLConnection) { self.connection = connection }

    /// Returns true if the server hasn't accepted the connection for a second.
    func isLate(_ now: UInt64) -> Bool { connection.isConnecting && now > connection.began + SQLConnection.silence }

    /// The next time at which the check must advance.
    var nextTime: UInt64 {
      if connection.isDead || answer?.outcome.withLock({ $0 }) != nil { return 0 }
      return connection.isIdle && answer == nil ? nextSample : .max
    }

    /// Takes the next sample, or returns the result.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - waiting: The connections that wait for responses.
    /// - Returns: The findings if the check has ended.
    func advance(_ now: UInt64, _ waiting: [SQLConnection]) -> Progress {
      if case .dead(let failure) = connection.phase { return .failed(failure) }
      if let outcome = answer?.outcome.withLock({ $0 }) {
        answer = nil
        switch outcome {
        case .failure(let failure): return .failed(failure)
        case .success(let rows): if let findings = findings(rows[0], now) { return .found(findings) }
        }
      }
      if connection.isIdle, answer == nil, now >= nextSample { takeSample(of: waiting, now) }
      return .pending
    }

    /// Returns true if the network has delivered bytes of a connection since the first sample.
    func hasProgress(_ other: SQLConnection) -> Bool {
      other.backend.flatMap { undelivered[$0.pid] } != other.undelivered
    }

    private func takeSample(of waiting: [SQLConnection], _ now: UInt64) {
      // A process id identifies a process only on the same server.
      let pids = waiting.compactMap { other in
        other.backend.flatMap { $0.server == connection.backend?.server ? $0.pid : nil }
      }
      if first == nil {
        began = now
        for other in waiting { if let backend = other.backend { undelivered[backend.pid] = other.undelivered } }
      }
      let answer = Answer()
      self.answer = answer
      let work = SQLWork([SQLStatement(Self.query, [.ints(pids)])], deadline: .max, isPatient: true) { outcome in
        answer.outcome.withLock { $0 = outcome }
      }
      connection.begin(work, now, patience: Self.limit)
    }

    /// Returns the findings, or `nil` if another sample is necessary.
    private func findings(_ rows: SQLRows, _ now: UInt64) -> Findings? {
      var findings = Findings(began: began)
      var stalled: [Int: String?] = [:]
      for row in 0..<rows.count {
        guard let pid = rows.int(row, 0) else { continue }
        if rows.text(row, 1) == "t" { stalled.updateValue(rows.text(row, 2), forKey: pid) }
        findings.lockHolders.formUnion((rows.text(row, 3) ?? "").split(separator: ",").compactMap { Int($0) })
      }
      if let first {
        findings.stalled = Set(stalled.filter { first[$0.key] == $0.value }.keys)
        return findings
      }
      if stalled.isEmpty { return findings }
      first = stalled
      nextSample = now + Self.interval
      return nil
    }

    /// The states of server processes.
    ///
    /// The server lets every role see the processes of the same role. Another role's process has no state here, so it
    /// never seems to be stalled. A process that can't send its response waits for its client, too. The sessions that
    /// block a process include the sessions before it that wait for the same lock, and a prepared transaction as 0.
    private static let query = """
      SELECT p.pid, a.pid IS NULL OR a.wait_event IN ('ClientRead', 'ClientWrite'), a.state_change::text,
          CASE WHEN a.wait_event_type = 'Lock' THEN
            (SELECT string_agg(b.pid::text, ',') FROM unnest(pg_catalog.pg_blocking_pids(a.pid)) AS b(pid)
              WHERE b.pid > 0
                AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_locks w WHERE w.pid = b.pid AND NOT w.granted)) END
        FROM unnest($1::bigint[]) AS p(pid) LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = p.pid
      """
  }
#endif
