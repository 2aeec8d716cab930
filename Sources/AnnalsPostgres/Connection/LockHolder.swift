#if Postgres
  import Annals

  extension SQLFailure {
    /// True if a statement waited too long for a lock.
    var isLockTimeout: Bool { if case .refused("55P03", _) = self { true } else { false } }
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

    /// Reads a row of the query for holders.
    init?(_ rows: SQLRows, _ text: SchemaText) {
      guard rows.count > 0, let table = rows.text(0, 5) else { return nil }
      self.table = "\(text.name).\(table)"
      (pid, seconds) = (rows.text(0, 0), rows.int(0, 4))
      let name = rows.text(0, 1).flatMap { $0.isEmpty ? nil : $0 } ?? "without an application name"
      session = name + (rows.text(0, 2).map { ", user \($0)" } ?? "") + (rows.text(0, 3).map { ", \($0)" } ?? "")
    }

    /// The holder and the lock, for people.
    var message: String {
      let place = "a lock on the table \(table)"
      guard let pid else { return "a prepared transaction holds \(place)" }
      let age = seconds.map { ", in a transaction that began \($0) s ago" } ?? ""
      return "process \(pid) (\(session)) holds \(place)\(age)"
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
    ///   - isExclusive: True if the statement needed a table for itself, so that reading sessions block it too.
    /// - Returns: The failure `locked`.
    func lockFailure(in text: SchemaText, isExclusive: Bool = false) async -> SQLFailure {
      let rows = try? await run([Self.holder(in: text, isExclusive: isExclusive)])
      guard let holder = rows.flatMap({ LockHolder($0[0], text) }) else {
        return .locked("the session has released the lock by now. Retry")
      }
      return .locked(
        holder.pid == nil
          ? "\(holder.message). E\(holder.remedy.dropFirst()), and retry"
          : "\(holder.message). Retry, or \(holder.remedy)")
    }

    /// Returns the query for the sessions that hold a lock on a log's tables.
    static func holder(in text: SchemaText, isExclusive: Bool = false) -> SQLStatement {
      SQLStatement(holder, [.text(text.name), .text(text.lockedTable), .bool(isExclusive)])
    }

    /// The sessions that hold a lock, with the most probable session first.
    ///
    /// A role without the privileges of `pg_read_all_stats` gets null for another role's state and times.
    private static let holder = """
      SELECT l.pid, a.application_name, a.usename, a.state, extract(epoch FROM now() - a.xact_start)::bigint, c.relname
        FROM pg_catalog.pg_locks l
        JOIN pg_catalog.pg_class c ON c.oid = l.relation
        LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
        WHERE l.locktype = 'relation' AND l.granted AND l.pid IS DISTINCT FROM pg_catalog.pg_backend_pid()
          AND l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
          AND c.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $1)
          AND ($3 OR (c.relname = $2 AND l.mode = 'ShareUpdateExclusiveLock')
            OR l.mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock'))
          AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_locks w WHERE w.pid = l.pid AND NOT w.granted)
        ORDER BY c.relname = $2 DESC, a.xact_start LIMIT 1
      """
  }
#endif
