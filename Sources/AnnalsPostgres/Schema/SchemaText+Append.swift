#if Postgres
  extension SchemaText {
    /// An append: locks the frontier, checks everything, and adds the events.
    ///
    /// It answers what came of it as values and raises no error, so that several appends can share a transaction.
    var append: String {
      """
      CREATE FUNCTION \(schema).annals_append(
        p_sync text, p_command text, p_again boolean,
        p_expected text[], p_versions bigint[],
        p_after bigint[], p_alternatives text,
        p_streams text[], p_sources text[], p_ids text[], p_types text[], p_schemas bigint[], p_times bigint[],
        p_tags text[], p_payloads text[], p_metadata text[], p_twice bigint,
        p_words text[], p_owners bigint[],
        p_all text[], p_all_text text,
        p_erasures bigint, p_fields bigint[],
        p_field_owners bigint[], p_field_places bigint[], p_subjects text[], p_objects text[],
        OUT outcome text, OUT o_position bigint, OUT o_count bigint, OUT o_transaction bigint,
        OUT o_streams text, OUT o_versions text
      ) LANGUAGE plpgsql VOLATILE AS $$
      DECLARE
        v_head bigint; v_transaction bigint; v_erasures bigint; v bigint; v_item bigint; v_row record;
      BEGIN
        PERFORM set_config('synchronous_commit', p_sync, true);
        SELECT l.head, l.transaction, l.erasures INTO STRICT v_head, v_transaction, v_erasures
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

        -- What was decided on values that are erased by now is decided again.
        IF p_erasures >= 0 AND p_erasures <> v_erasures THEN
          outcome := 'rewritten'; o_count := v_erasures;
          RETURN;
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
              position, transaction, stream, version, source, id, type, schema, time, tags, body, metadata, personal)
            SELECT v_head + w.o, v_transaction + 1, w.stream,
              coalesce(s.version, 0) + row_number() OVER (PARTITION BY w.stream ORDER BY w.o),
              w.source, w.id, w.type, w.schema, w.time, w.tags, w.body, w.metadata, w.fields
            FROM unnest(
                p_streams, p_sources, p_ids, p_types, p_schemas, p_times, p_tags, p_payloads, p_metadata, p_fields)
              WITH ORDINALITY w (stream, source, id, type, schema, time, tags, body, metadata, fields, o)
            LEFT JOIN \(schema).annals_stream s ON s.stream = w.stream;
          INSERT INTO \(schema).annals_stream AS s (stream, version)
            SELECT w.stream, count(*) FROM unnest(p_streams) w (stream) GROUP BY w.stream
            ON CONFLICT (stream) DO UPDATE SET version = s.version + excluded.version;
          IF cardinality(p_words) > 0 THEN
            INSERT INTO \(schema).annals_tag (tag, position)
              SELECT w.tag, v_head + w.owner FROM unnest(p_words, p_owners) w (tag, owner);
          END IF;
          IF cardinality(p_subjects) > 0 THEN
            INSERT INTO \(schema).annals_personal (position, place, subject, object)
              SELECT v_head + w.owner, w.place, w.subject, w.object
              FROM unnest(p_field_owners, p_field_places, p_subjects, p_objects) w (owner, place, subject, object);
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
