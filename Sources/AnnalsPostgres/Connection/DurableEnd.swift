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
    /// The time and place of a transaction.
    struct Moment {
      /// The start time of the server.
      ///
      /// After a failover, another server can have fewer events.
      let server: String
      /// A time at which the server process already existed.
      let began: Double
      /// The time of the transaction.
      let time: Double

      /// Returns true if a server process of this moment already existed at another moment.
      ///
      /// Then the server hasn't lost its memory, with the commits that weren't on the disk, between the moments. If one
      /// server process crashes, the server ends all its processes and starts with a new memory, but its start time
      /// stays the same.
      func covers(_ other: Moment) -> Bool { server == other.server && began <= other.time }
    }

    private let durability: Durability
    private let known = Mutex<(position: Int, moment: Moment)?>(nil)

    init(_ durability: Durability) { self.durability = durability }

    /// The columns of a ``Moment``.
    ///
    /// The time at which a server process existed is a setting of its session. So it's right behind a pooler too, where
    /// a transaction of the same connection can have another server process.
    static let moment = """
      \(SQLConnection.Backend.serverColumn), CASE WHEN coalesce(current_setting('annals.began', true), '') = ''
          THEN set_config('annals.began', extract(epoch FROM clock_timestamp())::text, false)
          ELSE current_setting('annals.began', true) END, extract(epoch FROM clock_timestamp())
      """

    /// Returns a statement that waits until all earlier commits have reached the durability.
    ///
    /// Its result is a ``Moment``.
    ///
    /// A transaction that writes nothing doesn't wait, so the statement writes a message to the write-ahead log. A
    /// message has no other effect. A standby can't write, so a read on an asynchronous standby can return events that
    /// a failover to another standby removes.
    ///
    /// - Parameter isSeparate: True if the previous statements are a transaction that is committed first.
    /// - Returns: The statement, or `nil` if the durability doesn't require a wait.
    func statement(isSeparate: Bool = false) -> SQLStatement? {
      if durability == .process { return nil }
      return SQLStatement(
        Self.wait, [.text(durability.synchronousCommit)], name: Self.name, isSeparate: isSeparate)
    }

    private static let wait = """
      SELECT \(moment), set_config('synchronous_commit', $1, true), CASE WHEN NOT pg_is_in_recovery()
          THEN pg_logical_emit_message(true, 'annals', ''::text) END
      """
    private static let name = SQLStatement.name(of: wait)

    /// The columns with which a read finds out whether it has to wait: a ``Moment``, and whether all commits are
    /// durable.
    ///
    /// On a server without other load, the last column is usually true. If the server has a synchronous standby, only
    /// the statement of ``statement(isSeparate:)`` knows.
    var columns: String {
      let hasStandby = durability == .power ? "current_setting('synchronous_standby_names') <> ''" : "false"
      return """
        \(Self.moment), CASE WHEN pg_is_in_recovery() THEN true WHEN \(hasStandby) THEN false
          ELSE pg_current_wal_insert_lsn() <= pg_current_wal_flush_lsn() END
        """
    }

    /// Checks whether a read must wait before it returns events up to a position.
    ///
    /// - Parameters:
    ///   - position: The end of the log in the read.
    ///   - moment: The moment of the read.
    ///   - isDurable: The last column of ``columns``.
    /// - Returns: True if the events might be lost if the server fails now.
    func mustWait(for position: Int, at moment: Moment, isDurable: Bool) -> Bool {
      if durability == .process { return false }
      if isDurable { add(position, at: moment) }
      return known.withLock { known in
        guard let known, known.position >= position else { return true }
        return !known.moment.covers(moment)
      }
    }

    /// Adds a position that has reached the durability.
    func add(_ position: Int, at moment: Moment) {
      known.withLock { known in
        if let former = known, former.moment.server == moment.server, former.position >= position { return }
        known = (position, moment)
      }
    }
  }

  extension DurableEnd.Moment {
    /// Reads the columns of ``DurableEnd/moment`` in the first row.
    init?(_ rows: SQLRows, from column: Int = 0) {
      guard let server = rows.text(0, column), let began = rows.text(0, column + 1).flatMap(Double.init),
        let time = rows.text(0, column + 2).flatMap(Double.init)
      else { return nil }
      self.init(server: server, began: began, time: time)
    }
  }
#endif
