#if Postgres
  /// The SQL statements that create a log's tables and functions in a PostgreSQL schema.
  ///
  /// A schema contains one log, so every tenant has a separate schema. Positions have no gaps, because every append
  /// locks the log's end, the *frontier*, until its commit. Strings are compared by their bytes.
  ///
  /// Logs are created and migrated in steps, and a log's format is the number of its last step. The fourth step created
  /// the function that appends groups, and the last step recreates it. Since the seventh step, dates in payloads are
  /// strings, and conditions can name categories. Since the eighth step, an append updates no row.
  struct SchemaText {
    /// The current format, which is the number of the last migration step.
    static let format = 8
    /// The schema's name, without quotes.
    let name: String
    /// The schema's name, quoted.
    let schema: String
    /// The name of the channel for notifications.
    let channelName: String
    /// The channel for `LISTEN`, quoted.
    let channel: String
    /// The table that every append locks.
    let lockedTable = "annals_log_base"

    init(_ name: String) {
      self.name = name
      schema = Self.quoted(name)
      channelName = "annals_" + name
      channel = Self.quoted(channelName)
    }

    /// Returns a name as a quoted identifier.
    static func quoted(_ name: String) -> String {
      "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    /// A step of a migration.
    struct Step {
      /// The log's format after the step.
      let format: Int
      /// The step's effect, for people.
      let summary: String
      let statements: [String]
    }

    /// Returns the steps that migrate a log of a given format to the current format.
    ///
    /// The first step creates the log.
    func steps(after format: Int) -> [Step] {
      [
        Step(format: 1, summary: "add the tables of events, streams, tags and commands", statements: tables + [found]),
        Step(format: 2, summary: "add the tables and functions of followers", statements: followers),
        Step(format: 3, summary: "move personal values to a separate table", statements: personal),
        Step(format: 5, summary: "add the tables of compactions", statements: compacting),
        Step(format: 6, summary: "add the calls to the receipts of commands", statements: uses(after: format)),
        Step(
          format: 7, summary: "add conditions on categories, and delete the digests of commands",
          statements: categories(after: format)),
        Step(
          format: 8, summary: "replace updated rows by views, so that open snapshots don't slow down appends",
          statements: bases),
      ].filter { $0.format > format }
    }

    /// Deletes the digests of commands.
    ///
    /// They were computed from JSON that contains dates as numbers. The same command has another digest now, so its
    /// retry would be refused as a different command.
    private var withoutDigests: String {
      "UPDATE \(schema).annals_command SET digest = NULL WHERE digest IS NOT NULL"
    }

    /// Returns the seventh migration step, which adds conditions on categories.
    ///
    /// The append function keeps its parameters, so programs of format 6 that have the log open call the new function.
    private func categories(after format: Int) -> [String] {
      [foundInCategories] + (format < 6 ? [] : [withoutDigests])
    }

    private var tables: [String] {
      [
        """
        CREATE TABLE \(schema).annals_log (
          one boolean PRIMARY KEY DEFAULT true CHECK (one),
          format integer NOT NULL, source text COLLATE "C" NOT NULL,
          head bigint NOT NULL, transaction bigint NOT NULL
        ) WITH (fillfactor = 10)
        """,
        """
        CREATE TABLE \(schema).annals_stream (
          stream text COLLATE "C" PRIMARY KEY, version bigint NOT NULL
        ) WITH (fillfactor = 80)
        """,
        """
        CREATE TABLE \(schema).annals_event (
          position bigint PRIMARY KEY, transaction bigint NOT NULL,
          stream text COLLATE "C" NOT NULL, version bigint NOT NULL,
          source text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL,
          type text COLLATE "C" NOT NULL, schema bigint NOT NULL, time bigint NOT NULL,
          tags text COLLATE "C" NOT NULL, payload text COLLATE "C", metadata text COLLATE "C" NOT NULL,
          UNIQUE (id, source), UNIQUE (stream, position)
        )
        """,
        "CREATE INDEX annals_event_type ON \(schema).annals_event (type, position)",
        """
        CREATE TABLE \(schema).annals_tag (
          tag text COLLATE "C" NOT NULL, position bigint NOT NULL, PRIMARY KEY (tag, position)
        )
        """,
        """
        CREATE TABLE \(schema).annals_command (
          id text COLLATE "C" PRIMARY KEY, position bigint NOT NULL, count bigint NOT NULL, transaction bigint,
          streams text COLLATE "C" NOT NULL, versions text NOT NULL
        )
        """,
      ]
    }

    /// The function that finds the first event after a position that matches one alternative of a query.
    ///
    /// The function returns null if no event matches.
    private var found: String {
      """
      CREATE FUNCTION \(schema).annals_found(p_after bigint, p_streams text[], p_types text[], p_tags text[])
      RETURNS bigint LANGUAGE plpgsql STABLE AS $$
      DECLARE v bigint;
      BEGIN
        IF cardinality(p_tags) > 0 THEN
          SELECT t.position INTO v FROM \(schema).annals_tag t
            JOIN \(schema).annals_event e ON e.position = t.position
            WHERE t.tag = p_tags[1] AND t.position > p_after
              AND (cardinality(p_streams) = 0 OR e.stream = ANY (p_streams))
              AND (cardinality(p_types) = 0 OR e.type = ANY (p_types))
              AND NOT EXISTS (
                SELECT 1 FROM unnest(p_tags) w (tag) WHERE NOT EXISTS (
                  SELECT 1 FROM \(schema).annals_tag x WHERE x.tag = w.tag AND x.position = t.position))
            ORDER BY t.position LIMIT 1;
        ELSIF cardinality(p_streams) > 0 THEN
          SELECT min(f.position) INTO v FROM unnest(p_streams) w (stream) CROSS JOIN LATERAL (
            SELECT e.position FROM \(schema).annals_event e
              WHERE e.stream = w.stream AND e.position > p_after
                AND (cardinality(p_types) = 0 OR e.type = ANY (p_types))
              ORDER BY e.position LIMIT 1) f;
        ELSIF cardinality(p_types) > 0 THEN
          SELECT min(f.position) INTO v FROM unnest(p_types) w (type) CROSS JOIN LATERAL (
            SELECT e.position FROM \(schema).annals_event e
              WHERE e.type = w.type AND e.position > p_after
              ORDER BY e.position LIMIT 1) f;
        ELSE
          SELECT min(e.position) INTO v FROM \(schema).annals_event e WHERE e.position > p_after;
        END IF;
        RETURN v;
      END $$
      """
    }

    /// The function that also finds events by the categories of their streams.
    ///
    /// An alternative has streams or categories, but not both. "." is the character after "-", so the names of a
    /// category's streams are a range. If the log has many events after the position, the first event of every stream
    /// is found through an index.
    private var foundInCategories: String {
      """
      CREATE OR REPLACE FUNCTION \(schema).annals_found(
        p_after bigint, p_streams text[], p_types text[], p_tags text[], p_categories text[]
      ) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
      DECLARE v bigint;
      BEGIN
        IF cardinality(p_categories) = 0 THEN
          RETURN \(schema).annals_found(p_after, p_streams, p_types, p_tags);
        END IF;
        IF cardinality(p_tags) > 0 THEN
          SELECT t.position INTO v FROM \(schema).annals_tag t
            JOIN \(schema).annals_event e ON e.position = t.position
            WHERE t.tag = p_tags[1] AND t.position > p_after
              AND (cardinality(p_types) = 0 OR e.type = ANY (p_types))
              AND EXISTS (
                SELECT 1 FROM unnest(p_categories) c (name)
                  WHERE e.stream >= (c.name || '-') COLLATE "C" AND e.stream < (c.name || '.') COLLATE "C")
              AND NOT EXISTS (
                SELECT 1 FROM unnest(p_tags) w (tag) WHERE NOT EXISTS (
                  SELECT 1 FROM \(schema).annals_tag x WHERE x.tag = w.tag AND x.position = t.position))
            ORDER BY t.position LIMIT 1;
        ELSIF (SELECT l.head FROM \(schema).annals_log l WHERE l.one) - p_after <= 4096 THEN
          SELECT e.position INTO v FROM \(schema).annals_event e
            WHERE e.position > p_after
              AND (cardinality(p_types) = 0 OR e.type = ANY (p_types))
              AND EXISTS (
                SELECT 1 FROM unnest(p_categories) c (name)
                  WHERE e.stream >= (c.name || '-') COLLATE "C" AND e.stream < (c.name || '.') COLLATE "C")
            ORDER BY e.position LIMIT 1;
        ELSE
          SELECT min(f.position) INTO v FROM unnest(p_categories) c (name)
            JOIN \(schema).annals_stream s
              ON s.stream >= (c.name || '-') COLLATE "C" AND s.stream < (c.name || '.') COLLATE "C"
            CROSS JOIN LATERAL (
              SELECT e.position FROM \(schema).annals_event e
                WHERE e.stream = s.stream AND e.position > p_after
                  AND (cardinality(p_types) = 0 OR e.type = ANY (p_types))
                ORDER BY e.position LIMIT 1) f;
        END IF;
        RETURN v;
      END $$
      """
    }
  }
#endif
