#if Postgres
  import Annals

  extension SQLFailure {
    /// True if a statement waited too long for a lock.
    var isLockTimeout: Bool { if case .refused("55P03", _) = self { true } else { false } }
  }

  extension SQLStatement {
    /// Limits the time for which the following statements of a transaction wait for locks.
    ///
    /// Unlike a query, it doesn't take the transaction's snapshot. A snapshot from before a lock could lack the rows of
    /// a table that was rewritten under the lock.
    ///
    /// - Parameter time: A value for PostgreSQL's setting `lock_timeout`.
    /// - Returns: The statement.
    static func lockTimeout(_ time: String) -> SQLStatement { SQLStatement("SET LOCAL lock_timeout = '\(time)'") }
  }

  /// A kind of statement, which determines the locks that block it.
  enum LockUse: String {
    case read, write
    /// The statement needs a table for itself, so that even reading sessions block it.
    case migrate
  }

  /// A session or prepared transaction that holds a lock on a log's tables.
  struct LockHolder {
    /// The session's process, or `nil` for a prepared transaction.
    let pid: String?
    /// The number of seconds since the beginning of the session's transaction, or `nil` if it's unknown.
    let seconds: Int?
    /// The session's names and state, for people.
    private let session: String
    /// The locked table.
    private let table: String
    /// False if the session waits for the lock before other sessions.
    private let isGranted: Bool

    /// Reads a row of the query for holders.
    init?(_ rows: SQLRows, _ text: SchemaText) {
      guard rows.count > 0, let table = rows.text(0, 5) else { return nil }
      self.table = "\(text.name).\(table)"
      (pid, seconds, isGranted) = (rows.text(0, 0), rows.int(0, 4), rows.text(0, 6) == "t")
      let name = rows.text(0, 1).flatMap { $0.isEmpty ? nil : $0 } ?? "without an application name"
      session = name + (rows.text(0, 2).map { ", user \($0)" } ?? "") + (rows.text(0, 3).map { ", \($0)" } ?? "")
    }

    /// The holder and the lock, for people.
    var message: String {
      let place = "a lock on the table \(table)"
      guard let pid else { return "a prepared transaction holds \(place)" }
      let age = seconds.map { ", in a transaction that began \($0) s ago" } ?? ""
      let holds = isGranted ? "holds" : "waits, before other sessions, for"
      return "process \(pid) (\(session)) \(holds) \(place)\(age)"
    }

    /// The call that ends the session, or the query for the prepared transactions.
    var remedy: String {
      pid.map { "end the process (SELECT pg_terminate_backend(\($0)))" } ?? "end it (SELECT * FROM pg_prepared_xacts)"
    }
  }

  extension SQLPool {
    /// Returns a failure that names the session that holds a lock on the log's tables.
    ///
    /// The store's statement no longer waits, so PostgreSQL doesn't list the sessions that blocked it. So the call
    /// searches for a session that holds a conflicting lock, and doesn't wait for a lock itself.
    ///
    /// - Parameters:
    ///   - text: The log's schema.
    ///   - use: The kind of the statement.
    /// - Returns: The failure `locked`.
    func lockFailure(in text: SchemaText, for use: LockUse) async -> SQLFailure {
      let rows = try? await run([Self.holder(in: text, for: use)])
      guard let holder = rows.flatMap({ LockHolder($0[0], text) }) else {
        return .locked("the session has released the lock by now. Retry")
      }
      return .locked(
        holder.pid == nil
          ? "\(holder.message). E\(holder.remedy.dropFirst()), and retry"
          : "\(holder.message). Retry, or \(holder.remedy)")
    }

    /// Returns the query for the sessions that hold a lock on a log's tables.
    static func holder(in text: SchemaText, for use: LockUse) -> SQLStatement {
      SQLStatement(holder, [.text(text.name), .text(text.lockedTable), .text(use.rawValue)])
    }

    /// The sessions that hold a lock, with the most probable session first.
    ///
    /// A role without the privileges of `pg_read_all_stats` gets null for another role's state and times.
    private static let holder = """
      SELECT l.pid, a.application_name, a.usename, a.state, extract(epoch FROM now() - a.xact_start)::bigint, c.relname,
          l.granted
        FROM pg_catalog.pg_locks l
        JOIN pg_catalog.pg_class c ON c.oid = l.relation
        LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
        WHERE l.locktype = 'relation' AND l.pid IS DISTINCT FROM pg_catalog.pg_backend_pid()
          AND l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
          AND c.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $1)
          AND CASE $3 WHEN 'migrate' THEN true WHEN 'read' THEN l.mode = 'AccessExclusiveLock'
            ELSE (c.relname = $2 AND l.mode = 'ShareUpdateExclusiveLock')
              OR l.mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock') END
          AND CASE WHEN l.granted THEN
              NOT EXISTS (SELECT 1 FROM pg_catalog.pg_locks w WHERE w.pid = l.pid AND NOT w.granted)
            ELSE $3 = 'read' END
        ORDER BY l.granted DESC, c.relname = $2 DESC, a.xact_start LIMIT 1
      """
  }
#endif
