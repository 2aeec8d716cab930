#if Postgres
  extension SchemaText {
    /// The fifth migration step, which adds the removal and replacement of events.
    ///
    /// Removed and replaced events are recorded forever, with the data that a replica needs to number its events in the
    /// same way. In these records, null represents the log's own source, to save space. With the sources and their
    /// index, 198,000 removed events of 500 bytes took 64 MB. The append function of format 3 is dropped, because it
    /// would miss removed events.
    ///
    /// The last step creates the functions that append, erase and compact. The sixth step creates a function with the
    /// previous parameters, so programs of format 4 that have the log open call the new functions.
    var compacting: [String] {
      [
        """
        ALTER TABLE \(schema).annals_log
          ADD COLUMN compactions bigint NOT NULL DEFAULT 0, ADD COLUMN horizon bigint NOT NULL DEFAULT 0
        """,
        "CREATE TABLE \(schema).annals_rewriting (one boolean PRIMARY KEY DEFAULT true CHECK (one))",
        "INSERT INTO \(schema).annals_rewriting (one) VALUES (true)",
        """
        CREATE TABLE \(schema).annals_compaction (
          number bigint PRIMARY KEY, erasures bigint NOT NULL, horizon bigint NOT NULL, position bigint NOT NULL,
          time bigint NOT NULL, cut bigint NOT NULL, replaced bigint NOT NULL,
          token text COLLATE "C" NOT NULL UNIQUE
        )
        """,
        """
        CREATE TABLE \(schema).annals_former (
          position bigint NOT NULL, transaction bigint NOT NULL, version bigint NOT NULL,
          compaction integer NOT NULL, cut boolean NOT NULL,
          stream text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, source text COLLATE "C",
          PRIMARY KEY (position, compaction)
        )
        """,
        "CREATE INDEX annals_former_id ON \(schema).annals_former (id)",
        "CREATE INDEX annals_former_compaction ON \(schema).annals_former (compaction, position)",
        "DROP FUNCTION IF EXISTS \(schema).annals_append",
      ]
    }

    /// The function that removes and replaces a part of a compaction's events.
    ///
    /// Appends continue in the meantime, because only the last call of a compaction locks the frontier.
    /// Erasures and other compactions wait for the row of `annals_rewriting`, so this function's comparison of the
    /// log's revision stays valid until the commit. The function stores the versions of the removed events, because the
    /// version of a stream doesn't decrease.
    var rewrite: String {
      """
      CREATE OR REPLACE FUNCTION \(schema).annals_rewrite(
        p_token text, p_erasures bigint, p_compactions bigint, p_cut bigint[], p_positions bigint[],
        p_sources text[], p_ids text[], p_types text[], p_schemas bigint[], p_tags text[], p_bodies text[],
        p_fields bigint[], p_owners bigint[], p_words text[],
        p_field_owners bigint[], p_places bigint[], p_subjects text[], p_objects text[]
      ) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
      DECLARE
        v_all bigint[] := p_cut || p_positions; v_erasures bigint; v_compactions bigint; v_found bigint := 0; v bigint;
        v_set text; v_source text;
      BEGIN
        v_set := set_config('synchronous_commit', 'on', true);
        v_set := set_config('enable_seqscan', 'off', true);
        PERFORM 1 FROM \(schema).annals_rewriting r WHERE r.one FOR UPDATE;
        -- An earlier attempt was committed, but its response was lost.
        PERFORM 1 FROM \(schema).annals_compaction c WHERE c.token = p_token;
        IF FOUND THEN RETURN 0; END IF;
        SELECT l.erasures, l.compactions, l.source INTO STRICT v_erasures, v_compactions, v_source
          FROM \(schema).annals_log l WHERE l.one;
        IF v_erasures <> p_erasures OR v_compactions <> p_compactions THEN
          RAISE EXCEPTION 'rewritten' USING ERRCODE = '\(Self.rewritten)';
        END IF;
        FOR i IN 1 .. 2 LOOP
          INSERT INTO \(schema).annals_former (position, compaction, transaction, stream, version, source, id, cut)
            SELECT e.position, p_compactions + 1, e.transaction, e.stream, e.version, nullif(e.source, v_source), e.id,
              i = 1
            FROM \(schema).annals_event e WHERE e.position = ANY (CASE WHEN i = 1 THEN p_cut ELSE p_positions END);
          GET DIAGNOSTICS v = ROW_COUNT;
          v_found := v_found + v;
        END LOOP;
        IF v_found <> cardinality(v_all) THEN
          RAISE EXCEPTION '%', v_found USING ERRCODE = '\(Self.lacking)';
        END IF;
        -- The primary key begins with the tag, so the join finds the rows by the tags in the events.
        DELETE FROM \(schema).annals_tag t
          USING \(schema).annals_event e, json_array_elements_text(e.tags::json) w (tag)
          WHERE e.position = ANY (v_all) AND t.tag = w.tag AND t.position = e.position;
        DELETE FROM \(schema).annals_personal p WHERE p.position = ANY (v_all);
        UPDATE \(schema).annals_stream_base b
          SET version = greatest(b.version, w.version), position = greatest(b.position, w.position)
          FROM (
            SELECT e.stream, max(e.version) AS version, max(e.position) AS position
              FROM \(schema).annals_event e WHERE e.position = ANY (p_cut) GROUP BY e.stream) w
          WHERE b.stream = w.stream;
        DELETE FROM \(schema).annals_event e WHERE e.position = ANY (p_cut);
        IF cardinality(p_positions) > 0 THEN
          UPDATE \(schema).annals_event e
            SET source = w.source, id = w.id, type = w.type, schema = w.schema, tags = w.tags, body = w.body,
              personal = w.fields
            FROM unnest(p_positions, p_sources, p_ids, p_types, p_schemas, p_tags, p_bodies, p_fields)
              w (position, source, id, type, schema, tags, body, fields)
            WHERE e.position = w.position;
          INSERT INTO \(schema).annals_tag (tag, position)
            SELECT w.tag, w.owner FROM unnest(p_words, p_owners) w (tag, owner);
          INSERT INTO \(schema).annals_personal (position, place, subject, object)
            SELECT w.owner, w.place, w.subject, w.object
            FROM unnest(p_field_owners, p_places, p_subjects, p_objects) w (owner, place, subject, object);
        END IF;
        RETURN cardinality(v_all);
      END $$
      """
    }

    /// The function that completes a compaction.
    ///
    /// It checks that all followers are past the compacted position, locks the frontier, and records the result with
    /// the log's end, because the last events might be removed.
    var compact: String {
      """
      CREATE OR REPLACE FUNCTION \(schema).annals_compact(
        p_token text, p_erasures bigint, p_compactions bigint, p_horizon bigint, p_time bigint, p_cut bigint,
        p_replaced bigint
      ) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
      DECLARE
        v_head bigint; v_transaction bigint; v_erasures bigint; v_compactions bigint; v_done bigint; v_behind text;
      BEGIN
        PERFORM 1 FROM \(schema).annals_rewriting r WHERE r.one FOR UPDATE;
        SELECT c.number INTO v_done FROM \(schema).annals_compaction c WHERE c.token = p_token;
        IF v_done IS NOT NULL THEN RETURN v_done; END IF;
        SELECT json_build_array(f.name, f.version, f.position)::text INTO v_behind FROM (
          SELECT p.name, p.version, p.position FROM \(schema).annals_partition p WHERE p.position < p_horizon
          UNION ALL
          SELECT q.name, q.version, q.position - 1 FROM \(schema).annals_quarantine q WHERE q.position <= p_horizon) f
          ORDER BY f.name, f.version, f.position LIMIT 1;
        IF v_behind IS NOT NULL THEN
          RAISE EXCEPTION '%', v_behind USING ERRCODE = '\(Self.behind)';
        END IF;
        \(lockFrontier)
        SELECT greatest(l.head, f.position), greatest(l.transaction, f.transaction), l.erasures, l.compactions
          INTO STRICT v_head, v_transaction, v_erasures, v_compactions
          FROM \(schema).annals_log l LEFT JOIN LATERAL (
            SELECT f.position, f.transaction FROM \(schema).annals_former f ORDER BY f.position DESC LIMIT 1) f ON true
          WHERE l.one;
        IF v_erasures <> p_erasures OR v_compactions <> p_compactions OR v_head < p_horizon THEN
          RAISE EXCEPTION 'rewritten' USING ERRCODE = '\(Self.rewritten)';
        END IF;
        INSERT INTO \(schema).annals_compaction (number, erasures, horizon, position, time, cut, replaced, token)
          VALUES (v_compactions + 1, v_erasures, p_horizon, v_head, p_time, p_cut, p_replaced, p_token);
        UPDATE \(schema).annals_log_base l
          SET head = v_head, transaction = v_transaction, compactions = v_compactions + 1, horizon = p_horizon,
            lineage = p_time
          WHERE l.one;
        RETURN v_compactions + 1;
      END $$
      """
    }

    /// The SQLSTATE for a compaction that is based on a different revision of the log.
    static var rewritten: String { "AN001" }
    /// The SQLSTATE for a compaction that changes events which the log doesn't contain.
    static var lacking: String { "AN002" }
    /// The SQLSTATE for a compaction that would change events before a follower has handled them.
    ///
    /// The message names the follower.
    static var behind: String { "AN003" }
  }
#endif
