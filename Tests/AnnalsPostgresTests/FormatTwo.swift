#if Postgres
  /// A log of format 2, as pg_dump wrote it: three streams, five events, values of persons inside of payloads.
  enum FormatTwo {
    static func sql(_ schema: String) -> String {
      #"""
      CREATE SCHEMA \#(schema);
      CREATE FUNCTION \#(schema).annals_append(p_sync text, p_command text, p_again boolean, p_expected text[],
        p_versions bigint[], p_after bigint[], p_alternatives text, p_streams text[], p_sources text[], p_ids text[],
        p_types text[], p_schemas bigint[], p_times bigint[], p_tags text[], p_payloads text[], p_metadata text[],
        p_twice bigint, p_words text[], p_owners bigint[], p_all text[], p_all_text text, OUT outcome text,
        OUT o_position bigint, OUT o_count bigint, OUT o_transaction bigint, OUT o_streams text,
        OUT o_versions text) RETURNS record
          LANGUAGE plpgsql
          AS $$
      DECLARE
        v_head bigint; v_transaction bigint; v bigint; v_item bigint; v_row record;
      BEGIN
        SELECT l.head, l.transaction INTO STRICT v_head, v_transaction
          FROM \#(schema).annals_log l WHERE l.one FOR UPDATE;
        IF p_command IS NOT NULL THEN
          SELECT c.position, c.count, c.transaction, c.streams, c.versions INTO v_row
            FROM \#(schema).annals_command c WHERE c.id = p_command;
          IF FOUND THEN
            outcome := 'again'; o_position := v_row.position; o_count := v_row.count;
            o_transaction := v_row.transaction; o_streams := v_row.streams; o_versions := v_row.versions;
            -- A writer that lost its connection asks whether it was its own try that was committed.
            IF p_again AND v_row.count > 0 AND EXISTS (
              SELECT 1 FROM \#(schema).annals_event e WHERE e.id = p_ids[1] AND e.source = p_sources[1]
                AND e.transaction = v_row.transaction) THEN outcome := 'settled'; END IF;
            RETURN;
          END IF;
        ELSIF p_again AND cardinality(p_ids) > 0 THEN
          SELECT e.position, e.transaction INTO v_row
            FROM \#(schema).annals_event e WHERE e.id = p_ids[1] AND e.source = p_sources[1];
          IF FOUND THEN
            outcome := 'settled'; o_count := cardinality(p_ids); o_position := v_row.position + o_count - 1;
            o_transaction := v_row.transaction; o_streams := p_all_text;
            SELECT string_agg(coalesce(f.version, 0)::text, ',' ORDER BY w.o) INTO o_versions
              FROM unnest(p_all) WITH ORDINALITY w (stream, o) LEFT JOIN LATERAL (
                SELECT e.version FROM \#(schema).annals_event e
                  WHERE e.stream = w.stream AND e.position <= v_row.position + cardinality(p_ids) - 1
                  ORDER BY e.position DESC LIMIT 1) f ON true;
            RETURN;
          END IF;
        END IF;
        FOR i IN 1 .. cardinality(p_expected) LOOP
          SELECT s.version INTO v FROM \#(schema).annals_stream s WHERE s.stream = p_expected[i];
          v := coalesce(v, 0);
          IF (p_versions[i] >= 0 AND v <> p_versions[i]) OR (p_versions[i] = -1 AND v = 0) THEN
            outcome := 'version'; o_position := i; o_count := v;
            RETURN;
          END IF;
        END LOOP;
        FOR i IN 1 .. cardinality(p_after) LOOP
          SELECT min(\#(schema).annals_found(p_after[i],
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
          JOIN \#(schema).annals_event e ON e.id = w.id AND e.source = w.source
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
          INSERT INTO \#(schema).annals_event (
              position, transaction, stream, version, source, id, type, schema, time, tags, payload, metadata)
            SELECT v_head + w.o, v_transaction + 1, w.stream,
              coalesce(s.version, 0) + row_number() OVER (PARTITION BY w.stream ORDER BY w.o),
              w.source, w.id, w.type, w.schema, w.time, w.tags, w.payload, w.metadata
            FROM unnest(p_streams, p_sources, p_ids, p_types, p_schemas, p_times, p_tags, p_payloads, p_metadata)
              WITH ORDINALITY w (stream, source, id, type, schema, time, tags, payload, metadata, o)
            LEFT JOIN \#(schema).annals_stream s ON s.stream = w.stream;
          INSERT INTO \#(schema).annals_stream AS s (stream, version)
            SELECT w.stream, count(*) FROM unnest(p_streams) w (stream) GROUP BY w.stream
            ON CONFLICT (stream) DO UPDATE SET version = s.version + excluded.version;
          IF cardinality(p_words) > 0 THEN
            INSERT INTO \#(schema).annals_tag (tag, position)
              SELECT w.tag, v_head + w.owner FROM unnest(p_words, p_owners) w (tag, owner);
          END IF;
          UPDATE \#(schema).annals_log l SET head = v_head + cardinality(p_ids), transaction = v_transaction + 1
            WHERE l.one;
        END IF;
        SELECT string_agg(coalesce(s.version, 0)::text, ',' ORDER BY w.o) INTO o_versions
          FROM unnest(p_all) WITH ORDINALITY w (stream, o) LEFT JOIN \#(schema).annals_stream s ON s.stream = w.stream;
        o_versions := coalesce(o_versions, '');
        o_streams := p_all_text;
        IF p_command IS NOT NULL THEN
          INSERT INTO \#(schema).annals_command (id, position, count, transaction, streams, versions)
            VALUES (p_command, o_position, o_count, o_transaction, p_all_text, o_versions);
        END IF;
        outcome := 'done';
      END $$;
      CREATE FUNCTION \#(schema).annals_claim(p_name text, p_version bigint, p_worker text, p_partitions bigint,
        p_start bigint, p_milliseconds bigint) RETURNS TABLE(o_partition bigint, o_fence bigint, o_position bigint,
        o_quota bigint)
          LANGUAGE plpgsql
          AS $$
      DECLARE
        v_count bigint; v_now timestamptz; v_until timestamptz; v_workers bigint; v_rank bigint; v_quota bigint;
        v_held bigint;
      BEGIN
        INSERT INTO \#(schema).annals_follower (name, version, partitions) VALUES (p_name, p_version, p_partitions)
          ON CONFLICT (name, version) DO NOTHING;
        SELECT f.partitions INTO v_count FROM \#(schema).annals_follower f
          WHERE f.name = p_name AND f.version = p_version FOR UPDATE;
        IF v_count IS NULL THEN RAISE EXCEPTION 'the follower was forgotten meanwhile' USING ERRCODE = '40001'; END IF;
        IF v_count <> p_partitions THEN
          RETURN QUERY SELECT -2::bigint, 0::bigint, 0::bigint, v_count;
          RETURN;
        END IF;
        INSERT INTO \#(schema).annals_partition (name, version, partition, position, fence)
          SELECT p_name, p_version, g.n, p_start, 0 FROM generate_series(0::bigint, p_partitions - 1) g (n)
          WHERE NOT EXISTS (
            SELECT 1 FROM \#(schema).annals_partition p WHERE p.name = p_name AND p.version = p_version)
          ON CONFLICT (name, version, partition) DO NOTHING;
        v_now := clock_timestamp();
        v_until := v_now + p_milliseconds * interval '1 millisecond';
        DELETE FROM \#(schema).annals_worker w
          WHERE w.name = p_name AND w.version = p_version AND w.expires <= v_now;
        INSERT INTO \#(schema).annals_worker (name, version, worker, expires)
          VALUES (p_name, p_version, p_worker, v_until)
          ON CONFLICT (name, version, worker) DO UPDATE SET expires = excluded.expires;
        UPDATE \#(schema).annals_partition p SET expires = v_until
          WHERE p.name = p_name AND p.version = p_version AND p.worker = p_worker AND p.expires > v_now;
        -- Each worker's share follows from the workers' order, so that all of them count alike.
        SELECT count(*), count(*) FILTER (WHERE w.worker < p_worker) INTO v_workers, v_rank
          FROM \#(schema).annals_worker w WHERE w.name = p_name AND w.version = p_version;
        v_quota := p_partitions / v_workers + CASE WHEN v_rank < p_partitions % v_workers THEN 1 ELSE 0 END;
        SELECT count(*) INTO v_held FROM \#(schema).annals_partition p
          WHERE p.name = p_name AND p.version = p_version AND p.worker = p_worker AND p.expires > v_now;
        IF v_held < v_quota THEN
          UPDATE \#(schema).annals_partition p
            SET worker = p_worker, fence = p.fence + 1, expires = v_until
            WHERE p.name = p_name AND p.version = p_version AND p.partition IN (
              SELECT f.partition FROM \#(schema).annals_partition f
                WHERE f.name = p_name AND f.version = p_version AND (f.worker IS NULL OR f.expires <= v_now)
                ORDER BY f.partition LIMIT v_quota - v_held);
        END IF;
        RETURN QUERY SELECT -1::bigint, 0::bigint, 0::bigint, v_quota;
        RETURN QUERY SELECT p.partition, p.fence, p.position, 0::bigint FROM \#(schema).annals_partition p
          WHERE p.name = p_name AND p.version = p_version AND p.worker = p_worker AND p.expires > v_now
          ORDER BY p.partition;
      END $$;
      CREATE FUNCTION \#(schema).annals_found(p_after bigint, p_streams text[], p_types text[],
        p_tags text[]) RETURNS bigint
          LANGUAGE plpgsql STABLE
          AS $$
      DECLARE v bigint;
      BEGIN
        IF cardinality(p_tags) > 0 THEN
          SELECT t.position INTO v FROM \#(schema).annals_tag t
            JOIN \#(schema).annals_event e ON e.position = t.position
            WHERE t.tag = p_tags[1] AND t.position > p_after
              AND (cardinality(p_streams) = 0 OR e.stream = ANY (p_streams))
              AND (cardinality(p_types) = 0 OR e.type = ANY (p_types))
              AND NOT EXISTS (
                SELECT 1 FROM unnest(p_tags) w (tag) WHERE NOT EXISTS (
                  SELECT 1 FROM \#(schema).annals_tag x WHERE x.tag = w.tag AND x.position = t.position))
            ORDER BY t.position LIMIT 1;
        ELSIF cardinality(p_streams) > 0 THEN
          SELECT min(f.position) INTO v FROM unnest(p_streams) w (stream) CROSS JOIN LATERAL (
            SELECT e.position FROM \#(schema).annals_event e
              WHERE e.stream = w.stream AND e.position > p_after
                AND (cardinality(p_types) = 0 OR e.type = ANY (p_types))
              ORDER BY e.position LIMIT 1) f;
        ELSIF cardinality(p_types) > 0 THEN
          SELECT min(f.position) INTO v FROM unnest(p_types) w (type) CROSS JOIN LATERAL (
            SELECT e.position FROM \#(schema).annals_event e
              WHERE e.type = w.type AND e.position > p_after
              ORDER BY e.position LIMIT 1) f;
        ELSE
          SELECT min(e.position) INTO v FROM \#(schema).annals_event e WHERE e.position > p_after;
        END IF;
        RETURN v;
      END $$;
      CREATE FUNCTION \#(schema).annals_save(p_name text, p_version bigint, p_partition bigint, p_worker text,
        p_fence bigint, p_position bigint, p_streams text[], p_positions bigint[], p_done bigint[],
        p_resumed bigint[], p_attempts bigint[], p_errors text[], p_times bigint[], p_settled text[]) RETURNS bigint
          LANGUAGE plpgsql
          AS $$
      BEGIN
        IF cardinality(p_streams) = 0 AND cardinality(p_settled) = 0 THEN
        END IF;
        UPDATE \#(schema).annals_partition p SET position = greatest(p.position, p_position)
          WHERE p.name = p_name AND p.version = p_version AND p.partition = p_partition
            AND p.worker = p_worker AND p.fence = p_fence;
        IF NOT FOUND THEN RETURN 0; END IF;
        IF cardinality(p_streams) > 0 THEN
          INSERT INTO \#(schema).annals_quarantine (
              name, version, stream, position, done, resumed, attempts, error, time)
            SELECT p_name, p_version, w.stream, w.position, w.done, w.resumed > 0, w.attempts, w.error, w.time
            FROM unnest(p_streams, p_positions, p_done, p_resumed, p_attempts, p_errors, p_times)
              w (stream, position, done, resumed, attempts, error, time)
            ON CONFLICT (name, version, stream) DO UPDATE SET
              position = excluded.position, done = excluded.done, resumed = excluded.resumed,
              attempts = excluded.attempts, error = excluded.error, time = excluded.time;
        END IF;
        IF cardinality(p_settled) > 0 THEN
          DELETE FROM \#(schema).annals_quarantine q
            WHERE q.name = p_name AND q.version = p_version AND q.stream = ANY (p_settled);
        END IF;
        RETURN 1;
      END $$;
      CREATE TABLE \#(schema).annals_command (
          id text NOT NULL COLLATE pg_catalog."C",
          "position" bigint NOT NULL,
          count bigint NOT NULL,
          transaction bigint,
          streams text NOT NULL COLLATE pg_catalog."C",
          versions text NOT NULL
      );
      CREATE TABLE \#(schema).annals_event (
          "position" bigint NOT NULL,
          transaction bigint NOT NULL,
          stream text NOT NULL COLLATE pg_catalog."C",
          version bigint NOT NULL,
          source text NOT NULL COLLATE pg_catalog."C",
          id text NOT NULL COLLATE pg_catalog."C",
          type text NOT NULL COLLATE pg_catalog."C",
          schema bigint NOT NULL,
          "time" bigint NOT NULL,
          tags text NOT NULL COLLATE pg_catalog."C",
          payload text COLLATE pg_catalog."C",
          metadata text NOT NULL COLLATE pg_catalog."C"
      );
      CREATE TABLE \#(schema).annals_follower (
          name text NOT NULL COLLATE pg_catalog."C",
          version bigint NOT NULL,
          partitions bigint NOT NULL
      );
      CREATE TABLE \#(schema).annals_log (
          one boolean DEFAULT true NOT NULL,
          format integer NOT NULL,
          source text NOT NULL COLLATE pg_catalog."C",
          head bigint NOT NULL,
          transaction bigint NOT NULL,
          CONSTRAINT annals_log_one_check CHECK (one)
      )
      WITH (fillfactor='10');
      CREATE TABLE \#(schema).annals_partition (
          name text NOT NULL COLLATE pg_catalog."C",
          version bigint NOT NULL,
          partition bigint NOT NULL,
          "position" bigint NOT NULL,
          fence bigint NOT NULL,
          worker text COLLATE pg_catalog."C",
          expires timestamp with time zone
      )
      WITH (fillfactor='10');
      CREATE TABLE \#(schema).annals_quarantine (
          name text NOT NULL COLLATE pg_catalog."C",
          version bigint NOT NULL,
          stream text NOT NULL COLLATE pg_catalog."C",
          "position" bigint NOT NULL,
          done bigint NOT NULL,
          resumed boolean NOT NULL,
          attempts bigint NOT NULL,
          error text NOT NULL COLLATE pg_catalog."C",
          "time" bigint NOT NULL
      );
      CREATE TABLE \#(schema).annals_stream (
          stream text NOT NULL COLLATE pg_catalog."C",
          version bigint NOT NULL
      )
      WITH (fillfactor='80');
      CREATE TABLE \#(schema).annals_tag (
          tag text NOT NULL COLLATE pg_catalog."C",
          "position" bigint NOT NULL
      );
      CREATE TABLE \#(schema).annals_worker (
          name text NOT NULL COLLATE pg_catalog."C",
          version bigint NOT NULL,
          worker text NOT NULL COLLATE pg_catalog."C",
          expires timestamp with time zone NOT NULL
      )
      WITH (fillfactor='10');
      INSERT INTO \#(schema).annals_command VALUES ('first', 3, 3, 1, '["s","t"]', '2,1');
      INSERT INTO \#(schema).annals_event VALUES
        (1, 1, 's', 1, 'urn:old', '1', 'A', 1, 1000000, '["t"]',
        '{"a":{"$personal":"ann","value":"x"},"b":[{"value":[1.50],"$personal":"bob"}]}', '{}');
      INSERT INTO \#(schema).annals_event VALUES
        (3, 1, 's', 2, 'urn:old', '3', 'B', 2, 1000002, '[]', '{ "plain" : "$personal" }', '{}');
      INSERT INTO \#(schema).annals_event VALUES
        (2, 1, 't', 1, 'urn:old', '2', 'A', 1, 1000001, '[]', NULL, '{"who":"ann"}');
      INSERT INTO \#(schema).annals_event VALUES
        (4, 2, 's', 3, 'urn:old', '4', 'A', 1, 2000000, '[]',
        '{ "\u0024personal" : "e\u0301" , "value" : {"c":"y \ud83d\ude00"} }', '{}');
      INSERT INTO \#(schema).annals_event VALUES
        (5, 2, 'u', 1, 'urn:old', '5', 'A', 1, 2000001, '[]', '{"$personal":"ann"}', '{}');
      INSERT INTO \#(schema).annals_log VALUES (true, 2, 'urn:old', 5, 2);
      INSERT INTO \#(schema).annals_stream VALUES ('t', 1);
      INSERT INTO \#(schema).annals_stream VALUES ('u', 1);
      INSERT INTO \#(schema).annals_stream VALUES ('s', 3);
      INSERT INTO \#(schema).annals_tag VALUES ('t', 1);
      ALTER TABLE ONLY \#(schema).annals_command
          ADD CONSTRAINT annals_command_pkey PRIMARY KEY (id);
      ALTER TABLE ONLY \#(schema).annals_event
          ADD CONSTRAINT annals_event_id_source_key UNIQUE (id, source);
      ALTER TABLE ONLY \#(schema).annals_event
          ADD CONSTRAINT annals_event_pkey PRIMARY KEY ("position");
      ALTER TABLE ONLY \#(schema).annals_event
          ADD CONSTRAINT annals_event_stream_position_key UNIQUE (stream, "position");
      ALTER TABLE ONLY \#(schema).annals_follower
          ADD CONSTRAINT annals_follower_pkey PRIMARY KEY (name, version);
      ALTER TABLE ONLY \#(schema).annals_log
          ADD CONSTRAINT annals_log_pkey PRIMARY KEY (one);
      ALTER TABLE ONLY \#(schema).annals_partition
          ADD CONSTRAINT annals_partition_pkey PRIMARY KEY (name, version, partition);
      ALTER TABLE ONLY \#(schema).annals_quarantine
          ADD CONSTRAINT annals_quarantine_pkey PRIMARY KEY (name, version, stream);
      ALTER TABLE ONLY \#(schema).annals_stream
          ADD CONSTRAINT annals_stream_pkey PRIMARY KEY (stream);
      ALTER TABLE ONLY \#(schema).annals_tag
          ADD CONSTRAINT annals_tag_pkey PRIMARY KEY (tag, "position");
      ALTER TABLE ONLY \#(schema).annals_worker
          ADD CONSTRAINT annals_worker_pkey PRIMARY KEY (name, version, worker);
      CREATE INDEX annals_event_type ON \#(schema).annals_event USING btree (type, "position");
      """#
    }
  }
#endif
