#if Postgres
  extension SchemaText {
    /// The eighth migration step, after which an append updates no row.
    ///
    /// Previously, every append updated the row of `annals_log`, and a row of `annals_stream`. A snapshot that is open
    /// anywhere on the server keeps all versions of an updated row, and every append had to search them. With 30,000
    /// versions, 295 of 1,500 appends a second were left.
    ///
    /// The tables are renamed, and updated only by erasures and compactions. Views with the previous names add the
    /// events since the last compaction, so programs of formats 3 to 7 that have the log open read correct values. The
    /// roles' privileges on a table also apply to its view.
    var bases: [String] {
      [
        "ALTER TABLE \(schema).annals_log RENAME TO annals_log_base",
        "ALTER TABLE \(schema).annals_stream RENAME TO annals_stream_base",
        "ALTER TABLE \(schema).annals_stream_base ADD COLUMN position bigint NOT NULL DEFAULT 0",
        "ALTER TABLE \(schema).annals_stream_base RESET (fillfactor)",
        logView, streamView, withPrivileges(from: "annals_log_base", to: "annals_log"),
        withPrivileges(from: "annals_stream_base", to: "annals_stream"), migrated,
        """
        CREATE TRIGGER annals_migrated INSTEAD OF UPDATE ON \(schema).annals_log
          FOR EACH ROW EXECUTE FUNCTION \(schema).annals_migrated()
        """,
        erase, write, rewrite, compact,
      ]
    }

    /// The statement that locks the frontier until the end of the transaction.
    ///
    /// The lock conflicts with itself, but not with reads or backups. In contrast to a lock on a row, the lock writes
    /// no page and no write-ahead log, and `pg_locks` contains its owner. An advisory lock would have a number, which
    /// another program in the same database might use too.
    ///
    /// The statement waits before it returns, so a later statement of a `VOLATILE` function gets a snapshot with the
    /// previous owner's commit. A `STABLE` function, or a single statement that also reads, would use a snapshot from
    /// before the wait.
    var lockFrontier: String { "LOCK TABLE \(schema).annals_log_base IN SHARE UPDATE EXCLUSIVE MODE;" }

    /// Returns the last event after the end in the row `l` of `annals_log_base`, as a column.
    ///
    /// The condition on the position prevents that the search of the index's end visits the events that the last
    /// compaction removed. An open snapshot keeps these events' entries in the index.
    private func last(_ column: String) -> String {
      """
      coalesce((
        SELECT e.\(column) FROM \(schema).annals_event e WHERE e.position > l.head ORDER BY e.position DESC LIMIT 1
      ), l.\(column == "position" ? "head" : column))
      """
    }

    /// The view of the log's properties, with the log's end.
    private var logView: String {
      """
      CREATE VIEW \(schema).annals_log AS
        SELECT l.one, l.format, l.source, \(last("position")) AS head, \(last("transaction")) AS transaction,
          l.erasures, l.lineage, l.compactions, l.horizon
        FROM \(schema).annals_log_base l
      """
    }

    /// The view of the streams' versions.
    ///
    /// A row of the table contains a version and a position. The version includes all removed events, and these events
    /// have at most this position. In a row from an older format, the version can also include later events.
    private var streamView: String {
      """
      CREATE VIEW \(schema).annals_stream AS
        SELECT b.stream, greatest(b.version, (
          SELECT e.version FROM \(schema).annals_event e
            WHERE e.stream = b.stream AND e.position > b.position ORDER BY e.position DESC LIMIT 1)) AS version
        FROM \(schema).annals_stream_base b
      """
    }

    /// Returns the statement that grants the privileges on a table also on its view.
    private func withPrivileges(from table: String, to view: String) -> String {
      """
      DO $do$ DECLARE v record; BEGIN
        FOR v IN SELECT a.* FROM pg_catalog.pg_class c, aclexplode(c.relacl) a
          WHERE c.oid = $name$\(schema).\(table)$name$::regclass AND a.grantee <> c.relowner
        LOOP
          EXECUTE format(
            'GRANT %s ON %s TO %s', v.privilege_type, $name$\(schema).\(view)$name$::regclass,
            CASE WHEN v.grantee = 0 THEN 'PUBLIC' ELSE v.grantee::regrole::text END);
        END LOOP;
      END $do$
      """
    }

    /// The function that ends an erasure or compaction which began before the eighth migration step.
    ///
    /// Such a call waits in a previous version of its function for the migration's end, and then updates `annals_log`
    /// without the frontier's lock. Programs of all formats repeat a call that fails with this SQLSTATE. An append that
    /// waits in the same way can't insert into the view `annals_stream`. It fails with the SQLSTATE 0A000, after which
    /// programs resend a prepared call.
    private var migrated: String {
      """
      CREATE FUNCTION \(schema).annals_migrated() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'the log was migrated meanwhile; retry' USING ERRCODE = '40001';
      END $$
      """
    }
  }
#endif
