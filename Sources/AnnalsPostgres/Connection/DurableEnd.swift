#if Postgres
  import Annals
  import Synchronization

  /// The end of the part of the log that survives a failure of the server, as far as this store knows.
  ///
  /// An append's transaction commits before its data are on the server's disk and on the synchronous standby. So the
  /// next append, often of another process, doesn't wait for the lock on the log during this time. Other sessions can
  /// read the append immediately, but a crash of the server could still remove it. So an append isn't acknowledged,
  /// and no read returns it, before a second transaction has waited for the disk and the standby.
  ///
  /// With 32 writers in 16 processes and a standby that responds after 10 ms, a lock that is held during the wait
  /// limits all processes together to about 80 commands per second.
  final class DurableEnd: Sendable {
    private struct Known {
      /// The start time of the server, because after a failover, another server can have fewer events.
      var server: String?
      var position = 0
    }

    private let durability: Durability
    private let known = Mutex(Known())

    init(_ durability: Durability) { self.durability = durability }

    /// Returns a statement that waits until all earlier commits have reached the durability.
    ///
    /// Its result is the start time of the server.
    ///
    /// A transaction that writes nothing doesn't wait, so the statement writes a message to the write-ahead log. A
    /// message has no other effect. A standby can't write, and has received the message of every commit that it shows.
    ///
    /// - Parameter isSeparate: True if the previous statements are a transaction that is committed first.
    /// - Returns: The statement, or `nil` if the durability doesn't require a wait.
    func statement(isSeparate: Bool = false) -> SQLStatement? {
      if durability == .process { return nil }
      return SQLStatement(
        Self.wait, [.text(durability.synchronousCommit)], name: Self.name, isSeparate: isSeparate)
    }

    private static let wait = """
      SELECT set_config('synchronous_commit', $1, true), CASE WHEN NOT pg_is_in_recovery()
          THEN pg_logical_emit_message(true, 'annals', ''::text) END, \(server)
      """
    private static let name = SQLStatement.name(of: wait)

    /// The columns with which a read finds out whether it has to wait: the server, and whether all commits are durable.
    ///
    /// On a server without other load, the second column is usually true. If the server has a synchronous standby, only
    /// the statement of ``statement(isSeparate:)`` knows.
    var columns: String {
      let hasStandby = durability == .power ? "current_setting('synchronous_standby_names') <> ''" : "false"
      return """
        \(Self.server), CASE WHEN pg_is_in_recovery() THEN true WHEN \(hasStandby) THEN false
          ELSE pg_current_wal_insert_lsn() <= pg_current_wal_flush_lsn() END
        """
    }

    private static let server = "extract(epoch FROM pg_postmaster_start_time())"

    /// Checks whether a read must wait before it returns events up to a position.
    ///
    /// - Parameters:
    ///   - position: The end of the log in the read.
    ///   - server: The first column of ``columns``.
    ///   - isDurable: The second column of ``columns``.
    /// - Returns: True if the events might be lost if the server fails now.
    func mustWait(for position: Int, on server: String?, isDurable: Bool) -> Bool {
      if durability == .process { return false }
      if isDurable { add(position, on: server) }
      return known.withLock { $0.server != server || $0.position < position }
    }

    /// Adds a position that has reached the durability.
    func add(_ position: Int, on server: String?) {
      known.withLock { known in
        if known.server != server { known = Known(server: server) }
        known.position = max(known.position, position)
      }
    }
  }
#endif
