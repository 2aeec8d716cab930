#if Postgres
  extension SchemaText {
    /// Returns the sixth migration step, which adds to every command's receipt the call that used the command id.
    ///
    /// The append function gets two more parameters. Programs of formats 4 and 5 that have the log open call it with
    /// its previous parameters.
    func uses(after format: Int) -> [String] {
      [
        """
        ALTER TABLE \(schema).annals_command
          ADD COLUMN call text COLLATE "C", ADD COLUMN digest text COLLATE "C"
        """
      ] + (format < 4 ? [] : [formerWrite])
    }

    /// The append function's parameters after the first parameters, which contain the commands and their calls.
    private static let parameters: [(name: String, type: String)] = [
      ("p_erasures", "bigint[]"), ("p_twice", "bigint[]"), ("p_names", "text[]"), ("p_expected_ends", "bigint[]"),
      ("p_expected", "text[]"), ("p_versions", "bigint[]"), ("p_after_ends", "bigint[]"), ("p_after", "bigint[]"),
      ("p_alternatives", "text[]"), ("p_ends", "bigint[]"), ("p_streams", "text[]"), ("p_sources", "text[]"),
      ("p_ids", "text[]"), ("p_types", "text[]"), ("p_schemas", "bigint[]"), ("p_times", "bigint[]"),
      ("p_tags", "text[]"), ("p_bodies", "text[]"), ("p_metadata", "text[]"), ("p_fields", "bigint[]"),
      ("p_word_ends", "bigint[]"), ("p_words", "text[]"), ("p_owners", "bigint[]"), ("p_field_ends", "bigint[]"),
      ("p_field_owners", "bigint[]"), ("p_places", "bigint[]"), ("p_subjects", "text[]"), ("p_objects", "text[]"),
      ("p_all_ends", "bigint[]"), ("p_all", "text[]"),
    ]

    /// The maximum number of events that the response to a refused append contains, and the bytes of all these events.
    ///
    /// The server sends the response before the transaction ends. So if a response is larger than the buffers of a
    /// socket, and the client doesn't receive it, the log stays locked.
    private static let (mostEvents, mostBytes) = (64, 64 << 10)

    private static func newEvents(_ schema: String) -> String {
      "SELECT * FROM \(schema).annals_event e WHERE e.stream = p_expected[v_item] "
        + "ORDER BY e.position DESC LIMIT v - p_versions[v_item]"
    }

    private static var declared: String { parameters.map { "\($0.name) \($0.type)" }.joined(separator: ", ") }

    /// The append function with the parameters of formats 4 and 5.
    private var formerWrite: String {
      """
      CREATE OR REPLACE FUNCTION \(schema).annals_write(
        p_sync text, p_again boolean, p_commands text[], \(Self.declared)
      ) RETURNS TABLE (
        outcome text, o_position bigint, o_count bigint, o_transaction bigint, o_streams text, o_versions text
      ) LANGUAGE plpgsql VOLATILE AS $$
      BEGIN
        RETURN QUERY SELECT w.outcome, w.o_position, w.o_count, w.o_transaction, w.o_streams, w.o_versions
          FROM \(schema).annals_write(
            p_sync, p_again, p_commands, NULL::text[], NULL::text[],
            \(Self.parameters.map(\.name).joined(separator: ", "))) w;
      END $$
      """
    }

    /// The append function, which locks the frontier, and then checks and adds the appends one after another.
    ///
    /// `p_erasures` contains the log's revision numbers on which the appends were decided. (The parameter was named
    /// before compactions existed.) The function returns a row per append and raises no error, so a refused append
    /// doesn't affect the others. The only exception is a number n below -2 in `p_versions`: the append expects the
    /// version -3 - n, and is refused unless the same call has committed the previous append. The arrays contain the
    /// data of all appends, and `p_…_ends` contain the index at which each append's part ends.
    ///
    /// The plans of the function's statements are generic, and are made once per connection. Otherwise the server
    /// would make new plans for every call, because it expects better plans if it knows the arrays' lengths. With new
    /// plans, a call took 620 µs of CPU time, compared with 280 µs with generic plans. The generic plans use indexes
    /// even if they are made while the tables are empty.
    var write: String {
      """
      CREATE OR REPLACE FUNCTION \(schema).annals_write(
        p_sync text, p_again boolean,
        p_commands text[], p_calls text[], p_digests text[], \(Self.declared)
      ) RETURNS TABLE (
        outcome text, o_position bigint, o_count bigint, o_transaction bigint, o_streams text, o_versions text,
        o_call text, o_digest text
      ) LANGUAGE plpgsql VOLATILE AS $$
      DECLARE
        v_head bigint; v_transaction bigint; v_erasures bigint; v_compactions bigint; v_horizon bigint;
        v_source text; v bigint; v_item bigint; v_set text;
        v_from bigint; v_to bigint := 0; v_expected bigint := 0; v_after bigint := 0; v_word bigint := 0;
        v_field bigint := 0; v_all bigint := 0; v_done boolean; v_room bigint := \(Self.mostBytes); v_size bigint;
      BEGIN
        -- With a stricter isolation level, the checks could read data from before the lock.
        IF current_setting('transaction_isolation') <> 'read committed' THEN
          outcome := 'isolation';
          RETURN NEXT;
          RETURN;
        END IF;
        v_set := set_config('synchronous_commit', p_sync, true);
        v_set := set_config('plan_cache_mode', 'force_generic_plan', true);
        v_set := set_config('enable_seqscan', 'off', true);
        \(lockFrontier)
        SELECT coalesce(e.position, l.head), coalesce(e.transaction, l.transaction), l.erasures, l.compactions,
            l.horizon, l.source
          INTO STRICT v_head, v_transaction, v_erasures, v_compactions, v_horizon, v_source
          FROM \(schema).annals_log_base l LEFT JOIN LATERAL (
            SELECT e.position, e.transaction FROM \(schema).annals_event e
              WHERE e.position > l.head ORDER BY e.position DESC LIMIT 1) e ON true
          WHERE l.one;
        FOR i IN 1 .. cardinality(p_ends) LOOP
          v_from := v_to; v_to := p_ends[i]; v_done := outcome IS NOT DISTINCT FROM 'done';
          outcome := NULL; o_transaction := NULL; o_streams := NULL; o_call := NULL; o_digest := NULL;
      \(settling)\(checking)\(adding)
          v_expected := p_expected_ends[i]; v_after := p_after_ends[i]; v_word := p_word_ends[i];
          v_field := p_field_ends[i]; v_all := p_all_ends[i];
          RETURN NEXT;
        END LOOP;
      END $$
      """
    }

    /// The SQL that finds a command that was already committed, or an append whose response was lost.
    private var settling: String {
      """
          IF p_commands[i] IS NOT NULL THEN
            SELECT c.position, c.count, c.transaction, c.streams, c.versions, c.call, c.digest
              INTO o_position, o_count, o_transaction, o_streams, o_versions, o_call, o_digest
              FROM \(schema).annals_command c WHERE c.id = p_commands[i];
            IF FOUND THEN
              outcome := 'again';
              -- A writer that lost its connection checks whether the committed append is its own.
              IF p_again AND o_count > 0 AND v_to > v_from AND EXISTS (
                SELECT 1 FROM \(schema).annals_event e WHERE e.id = p_ids[v_from + 1]
                  AND e.source = p_sources[v_from + 1] AND e.transaction = o_transaction)
              THEN outcome := 'settled'; END IF;
            END IF;
          ELSIF p_again AND v_to > v_from THEN
            SELECT e.position + v_to - v_from - 1, e.transaction INTO o_position, o_transaction
              FROM \(schema).annals_event e WHERE e.id = p_ids[v_from + 1] AND e.source = p_sources[v_from + 1];
            IF FOUND THEN
              outcome := 'settled'; o_count := v_to - v_from; o_streams := p_names[i];
              SELECT string_agg(coalesce(f.version, 0)::text, ',' ORDER BY w.o) INTO o_versions
                FROM unnest(p_all[v_all + 1 : p_all_ends[i]]) WITH ORDINALITY w (stream, o) LEFT JOIN LATERAL (
                  SELECT e.version FROM \(schema).annals_event e
                    WHERE e.stream = w.stream AND e.position <= o_position
                    ORDER BY e.position DESC LIMIT 1) f ON true;
            ELSIF v_compactions > 0 THEN
              -- The append was committed, and then compacted. Later appends may have increased its streams' versions.
              SELECT f.position + v_to - v_from - 1, f.transaction INTO o_position, o_transaction
                FROM \(schema).annals_former f
                WHERE f.id = p_ids[v_from + 1] AND coalesce(f.source, v_source) = p_sources[v_from + 1];
              IF FOUND THEN
                outcome := 'settled'; o_count := v_to - v_from; o_streams := p_names[i];
                SELECT string_agg(coalesce(s.version, 0)::text, ',' ORDER BY w.o) INTO o_versions
                  FROM unnest(p_all[v_all + 1 : p_all_ends[i]]) WITH ORDINALITY w (stream, o)
                  LEFT JOIN \(schema).annals_stream s ON s.stream = w.stream;
              END IF;
            END IF;
          END IF;

      """
    }

    /// The SQL that checks an append, and refuses it if a check fails.
    private var checking: String {
      """
          -- If the command was decided before an erasure or a compaction, the client re-decides the command.
          IF outcome IS NULL AND p_erasures[i] >= 0 AND p_erasures[i] <> v_erasures + v_compactions THEN
            outcome := 'rewritten'; o_count := v_erasures + v_compactions;
          END IF;
          v_item := v_expected;
          WHILE outcome IS NULL AND v_item < p_expected_ends[i] LOOP
            v_item := v_item + 1;
            SELECT s.version INTO v FROM \(schema).annals_stream s WHERE s.stream = p_expected[v_item];
            v := coalesce(v, 0);
            IF (p_versions[v_item] >= 0 AND v <> p_versions[v_item]) OR (p_versions[v_item] = -1 AND v = 0)
              OR (p_versions[v_item] < -2 AND (v <> -3 - p_versions[v_item] OR NOT v_done))
            THEN
              outcome := 'version'; o_position := v_item - v_expected; o_count := v;
              -- The client re-decides the command on the events that caused the conflict.
              IF p_erasures[i] >= 0 AND p_expected_ends[i] = v_expected + 1
                AND p_versions[v_item] BETWEEN v - \(Self.mostEvents) AND v - 1 AND p_versions[v_item] >= 0
              THEN
                SELECT sum(512 + coalesce(octet_length(e.body), 0) + octet_length(e.metadata) + octet_length(e.tags)
                    + coalesce((SELECT sum(octet_length(p.object)) FROM \(schema).annals_personal p
                      WHERE e.personal > 0 AND p.position = e.position), 0))
                  INTO v_size FROM (\(Self.newEvents(schema))) e;
                IF v_size <= v_room THEN
                  v_room := v_room - v_size;
                  SELECT json_agg(json_build_array(\(QuestionSQL.columns(schema))) ORDER BY position)::text
                    INTO o_streams FROM (\(Self.newEvents(schema))) e;
                END IF;
              END IF;
            END IF;
          END LOOP;
          v_item := v_after;
          WHILE outcome IS NULL AND v_item < p_after_ends[i] LOOP
            v_item := v_item + 1;
            -- The log might no longer contain all events after this position, so the condition can't be checked.
            IF p_after[v_item] > 0 AND p_after[v_item] < v_horizon THEN
              outcome := 'compacted'; o_position := v_item - v_after; o_count := v_horizon;
              EXIT;
            END IF;
            SELECT min(\(schema).annals_found(p_after[v_item],
                ARRAY(SELECT json_array_elements_text(a.value -> 0)),
                ARRAY(SELECT json_array_elements_text(a.value -> 1)),
                ARRAY(SELECT json_array_elements_text(a.value -> 2)),
                ARRAY(SELECT json_array_elements_text(a.value -> 3)))) INTO v
              FROM json_array_elements(p_alternatives[v_item]::json) a;
            IF v IS NOT NULL THEN
              outcome := 'condition'; o_position := v_item - v_after; o_count := v;
            END IF;
          END LOOP;
          IF outcome IS NULL AND v_to = v_from + 1 THEN
            SELECT e.position INTO v FROM \(schema).annals_event e
              WHERE e.id = p_ids[v_to] AND e.source = p_sources[v_to];
            IF v IS NOT NULL THEN outcome := 'duplicate'; o_position := 1; o_count := v; END IF;
          ELSIF outcome IS NULL AND v_to > v_from THEN
            SELECT w.o, e.position INTO v_item, v
              FROM unnest(p_ids[v_from + 1 : v_to], p_sources[v_from + 1 : v_to]) WITH ORDINALITY w (id, source, o)
              JOIN \(schema).annals_event e ON e.id = w.id AND e.source = w.source
              ORDER BY w.o LIMIT 1;
            IF v IS NOT NULL THEN outcome := 'duplicate'; o_position := v_item; o_count := v; END IF;
          END IF;
          -- The identities of removed and replaced events can't be reused.
          IF outcome IS NULL AND v_compactions > 0 AND v_to > v_from THEN
            SELECT w.o, f.position INTO v_item, v
              FROM unnest(p_ids[v_from + 1 : v_to], p_sources[v_from + 1 : v_to]) WITH ORDINALITY w (id, source, o)
              JOIN \(schema).annals_former f ON f.id = w.id AND coalesce(f.source, v_source) = w.source
              ORDER BY w.o LIMIT 1;
            IF v_item IS NOT NULL THEN outcome := 'duplicate'; o_position := v_item; o_count := v; END IF;
          END IF;
          IF outcome IS NULL AND p_twice[i] > 0 THEN
            outcome := 'duplicate'; o_position := p_twice[i]; o_count := v_head + p_twice[i];
          END IF;

      """
    }

    /// The SQL that adds an append.
    ///
    /// Most appends contain a single event, so this case has separate statements without arrays. Otherwise, only the
    /// first event of every stream looks up the stream's version. If every event does it, an append of 100 events to
    /// one stream takes 1.7 times as long.
    private var adding: String {
      """
          IF outcome IS NULL THEN
            outcome := 'done'; o_count := v_to - v_from; o_streams := p_names[i];
            IF o_count > 0 THEN v_transaction := v_transaction + 1; o_transaction := v_transaction; END IF;
            v := NULL;
            IF o_count = 1 THEN
              SELECT s.version + 1 INTO v FROM \(schema).annals_stream s WHERE s.stream = p_streams[v_to];
              IF v IS NULL THEN
                INSERT INTO \(schema).annals_stream_base (stream, version) VALUES (p_streams[v_to], 0);
                v := 1;
              END IF;
              INSERT INTO \(schema).annals_event (
                  position, transaction, stream, version, source, id, type, schema, time, tags, body, metadata,
                  personal)
                VALUES (
                  v_head + 1, v_transaction, p_streams[v_to], v, p_sources[v_to], p_ids[v_to], p_types[v_to],
                  p_schemas[v_to], p_times[v_to], p_tags[v_to], p_bodies[v_to], p_metadata[v_to], p_fields[v_to]);
            ELSIF o_count > 1 THEN
              INSERT INTO \(schema).annals_event (
                  position, transaction, stream, version, source, id, type, schema, time, tags, body, metadata,
                  personal)
                SELECT v_head + w.o, v_transaction, w.stream,
                  coalesce(max(w.former) OVER (PARTITION BY w.stream), 0) + w.number,
                  w.source, w.id, w.type, w.schema, w.time, w.tags, w.body, w.metadata, w.fields
                FROM (
                  SELECT n.*, CASE WHEN n.number = 1 THEN (
                      SELECT s.version FROM \(schema).annals_stream s WHERE s.stream = n.stream) END AS former
                  FROM (
                    SELECT u.*, row_number() OVER (PARTITION BY u.stream ORDER BY u.o) AS number
                    FROM unnest(
                        p_streams[v_from + 1 : v_to], p_sources[v_from + 1 : v_to], p_ids[v_from + 1 : v_to],
                        p_types[v_from + 1 : v_to], p_schemas[v_from + 1 : v_to], p_times[v_from + 1 : v_to],
                        p_tags[v_from + 1 : v_to], p_bodies[v_from + 1 : v_to], p_metadata[v_from + 1 : v_to],
                        p_fields[v_from + 1 : v_to])
                      WITH ORDINALITY u (stream, source, id, type, schema, time, tags, body, metadata, fields, o)) n) w;
              INSERT INTO \(schema).annals_stream_base (stream, version)
                SELECT w.stream, 0 FROM (SELECT DISTINCT unnest(p_streams[v_from + 1 : v_to]) AS stream) w
                WHERE NOT EXISTS (SELECT 1 FROM \(schema).annals_stream_base b WHERE b.stream = w.stream);
            END IF;
            IF p_word_ends[i] = v_word + 1 THEN
              INSERT INTO \(schema).annals_tag (tag, position)
                VALUES (p_words[v_word + 1], v_head + p_owners[v_word + 1]);
            ELSIF p_word_ends[i] > v_word THEN
              INSERT INTO \(schema).annals_tag (tag, position)
                SELECT w.tag, v_head + w.owner
                FROM unnest(p_words[v_word + 1 : p_word_ends[i]], p_owners[v_word + 1 : p_word_ends[i]])
                  w (tag, owner);
            END IF;
            IF p_field_ends[i] > v_field THEN
              INSERT INTO \(schema).annals_personal (position, place, subject, object)
                SELECT v_head + w.owner, w.place, w.subject, w.object
                FROM unnest(
                    p_field_owners[v_field + 1 : p_field_ends[i]], p_places[v_field + 1 : p_field_ends[i]],
                    p_subjects[v_field + 1 : p_field_ends[i]], p_objects[v_field + 1 : p_field_ends[i]])
                  w (owner, place, subject, object);
            END IF;
            v_head := v_head + o_count; o_position := v_head;
            IF p_all_ends[i] = v_all + 1 AND o_count = 1 THEN
              o_versions := v::text;
            ELSE
              SELECT coalesce(string_agg(coalesce(s.version, 0)::text, ',' ORDER BY w.o), '') INTO o_versions
                FROM unnest(p_all[v_all + 1 : p_all_ends[i]]) WITH ORDINALITY w (stream, o)
                LEFT JOIN \(schema).annals_stream s ON s.stream = w.stream;
            END IF;
            IF p_commands[i] IS NOT NULL THEN
              INSERT INTO \(schema).annals_command (
                  id, position, count, transaction, streams, versions, call, digest)
                VALUES (
                  p_commands[i], o_position, o_count, o_transaction, p_names[i], o_versions, p_calls[i],
                  p_digests[i]);
            END IF;
          END IF;

      """
    }
  }
#endif
