#if Postgres
  /// The tables and the functions of a log, as SQL, in a schema of PostgreSQL.
  ///
  /// A schema holds one log, so that a tenant has a schema. Positions have no holes because each append locks the one
  /// row of `annals_log`, the frontier, until it is committed. Texts are compared by their bytes.
  struct SchemaText {
    /// The number of the last step.
    static let format = 2
    /// The schema's name, quoted.
    let schema: String
    /// The channel on which writers say that they have committed, quoted.
    let channel: String

    init(_ name: String) {
      func quoted(_ text: String) -> String {
        "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
      }
      (schema, channel) = (quoted(name), quoted("annals_" + name))
    }

    /// The statements that bring a log from one format to the next; the first step makes it.
    func steps(after format: Int) -> [String] {
      (format < 1 ? tables + functions : []) + (format < 2 ? followers : [])
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

    private var functions: [String] { [found, append] }

    /// The first event after a position that one alternative of a query matches; null if there is none.
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

    /// An append: locks the frontier, checks everything, and adds the events.
    ///
    /// It answers what came of it as values and raises no error, so that several appends can share a transaction.
    private var append: String {
      """
      CREATE FUNCTION \(schema).annals_append(
        p_sync text, p_command text, p_again boolean,
        p_expected text[], p_versions bigint[],
        p_after bigint[], p_alternatives text,
        p_streams text[], p_sources text[], p_ids text[], p_types text[], p_schemas bigint[], p_times bigint[],
        p_tags text[], p_payloads text[], p_metadata text[], p_twice bigint,
        p_words text[], p_owners bigint[],
        p_all text[], p_all_text text,
        OUT outcome text, OUT o_position bigint, OUT o_count bigint, OUT o_transaction bigint,
        OUT o_streams text, OUT o_versions text
      ) LANGUAGE plpgsql VOLATILE AS $$
      DECLARE
        v_head bigint; v_transaction bigint; v bigint; v_item bigint; v_row record;
      BEGIN
        PERFORM set_config('synchronous_commit', p_sync, true);
        SELECT l.head, l.transaction INTO STRICT v_head, v_transaction
          FROM \(schema).annals_log l WHERE l.one FOR UPDATE;
        IF p_command IS NOT NULL THEN
          SELECT c.position, c.count, c.transaction, c.streams, c.versions INTO v_row
            FROM \(schema).annals_command c WHERE c.id = p_command;
          IF FOUND THEN
            outcome := 'again'; o_position := v_row.position; o_count := v_row.count;
            o_transaction := v_row.transaction; o_streams := v_row.streams; o_versions := v_row.versions;
            -- A writer that lost its connection asks whether it was its own try that was committed.
            IF p_again AND v_row.count > 0 AND EXISTS (
              SELECT 1 FROM \(schema).annals_event e WHERE e.id = p_ids[1] AND e.source = p_sources[1]
                AND e.transaction = v_row.transaction) THEN outcome := 'settled'; END IF;
            RETURN;
          END IF;
        ELSIF p_again AND cardinality(p_ids) > 0 THEN
          SELECT e.position, e.transaction INTO v_row
            FROM \(schema).annals_event e WHERE e.id = p_ids[1] AND e.source = p_sources[1];
          IF FOUND THEN
            outcome := 'settled'; o_count := cardinality(p_ids); o_position := v_row.position + o_count - 1;
            o_transaction := v_row.transaction; o_streams := p_all_text;
            SELECT string_agg(coalesce(f.version, 0)::text, ',' ORDER BY w.o) INTO o_versions
              FROM unnest(p_all) WITH ORDINALITY w (stream, o) LEFT JOIN LATERAL (
                SELECT e.version FROM \(schema).annals_event e
                  WHERE e.stream = w.stream AND e.position <= v_row.position + cardinality(p_ids) - 1
                  ORDER BY e.position DESC LIMIT 1) f ON true;
            RETURN;
          END IF;
        END IF;

        FOR i IN 1 .. cardinality(p_expected) LOOP
          SELECT s.version INTO v FROM \(schema).annals_stream s WHERE s.stream = p_expected[i];
          v := coalesce(v, 0);
          IF (p_versions[i] >= 0 AND v <> p_versions[i]) OR (p_versions[i] = -1 AND v = 0) THEN
            outcome := 'version'; o_position := i; o_count := v;
            RETURN;
          END IF;
        END LOOP;
        FOR i IN 1 .. cardinality(p_after) LOOP
          SELECT min(\(schema).annals_found(p_after[i],
              ARRAY(SELECT json_array_elements_text(a.value -> 0)),
              ARRAY(SELECT json_array_elements_text(a.value -> 1)),
              ARRAY(SELECT json_array_elements_text(a.value -> 2)))) INTO v
            FROM json_array_elements(p_alternatives::json -> (i - 1)) a;
          IF v IS NOT NULL THEN
            outcome := 'condition'; o_position := i; o_count := v;
            RETURN;
          END IF;
        END LOOP;
        SELECT w.o, e.position INTO v_item, v FROM unnest(p_ids, p_sources) WITH ORDINALITY w (id, source, o)
          JOIN \(schema).annals_event e ON e.id = w.id AND e.source = w.source
          ORDER BY w.o LIMIT 1;
        IF FOUND THEN
          outcome := 'duplicate'; o_position := v_item; o_count := v;
          RETURN;
        END IF;
        IF p_twice > 0 THEN
          outcome := 'duplicate'; o_position := p_twice; o_count := v_head + p_twice;
          RETURN;
        END IF;

        o_position := v_head; o_count := cardinality(p_ids);
        IF o_count > 0 THEN
          o_position := v_head + o_count; o_transaction := v_transaction + 1;
          INSERT INTO \(schema).annals_event (
              position, transaction, stream, version, source, id, type, schema, time, tags, payload, metadata)
            SELECT v_head + w.o, v_transaction + 1, w.stream,
              coalesce(s.version, 0) + row_number() OVER (PARTITION BY w.stream ORDER BY w.o),
              w.source, w.id, w.type, w.schema, w.time, w.tags, w.payload, w.metadata
            FROM unnest(p_streams, p_sources, p_ids, p_types, p_schemas, p_times, p_tags, p_payloads, p_metadata)
              WITH ORDINALITY w (stream, source, id, type, schema, time, tags, payload, metadata, o)
            LEFT JOIN \(schema).annals_stream s ON s.stream = w.stream;
          INSERT INTO \(schema).annals_stream AS s (stream, version)
            SELECT w.stream, count(*) FROM unnest(p_streams) w (stream) GROUP BY w.stream
            ON CONFLICT (stream) DO UPDATE SET version = s.version + excluded.version;
          IF cardinality(p_words) > 0 THEN
            INSERT INTO \(schema).annals_tag (tag, position)
              SELECT w.tag, v_head + w.owner FROM unnest(p_words, p_owners) w (tag, owner);
          END IF;
          UPDATE \(schema).annals_log l SET head = v_head + cardinality(p_ids), transaction = v_transaction + 1
            WHERE l.one;
        END IF;
        SELECT string_agg(coalesce(s.version, 0)::text, ',' ORDER BY w.o) INTO o_versions
          FROM unnest(p_all) WITH ORDINALITY w (stream, o) LEFT JOIN \(schema).annals_stream s ON s.stream = w.stream;
        o_versions := coalesce(o_versions, '');
        o_streams := p_all_text;
        IF p_command IS NOT NULL THEN
          INSERT INTO \(schema).annals_command (id, position, count, transaction, streams, versions)
            VALUES (p_command, o_position, o_count, o_transaction, p_all_text, o_versions);
        END IF;
        outcome := 'done';
      END $$
      """
    }
  }
#endif
