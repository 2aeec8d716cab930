#if Postgres
  import Annals
  import AnnalsPostgres

  /// A log of format 7, as the last version with this format created it.
  enum FormatSeven {
    /// Returns the statements that create an empty log.
    static func sql(_ schema: String, source: String) -> String {
      #"""
      CREATE SCHEMA \#(schema);
      CREATE TABLE \#(schema).annals_log (
        one boolean PRIMARY KEY DEFAULT true CHECK (one),
        format integer NOT NULL, source text COLLATE "C" NOT NULL,
        head bigint NOT NULL, transaction bigint NOT NULL
      ) WITH (fillfactor = 10);
      CREATE TABLE \#(schema).annals_stream (
        stream text COLLATE "C" PRIMARY KEY, version bigint NOT NULL
      ) WITH (fillfactor = 80);
      CREATE TABLE \#(schema).annals_event (
        position bigint PRIMARY KEY, transaction bigint NOT NULL,
        stream text COLLATE "C" NOT NULL, version bigint NOT NULL,
        source text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL,
        type text COLLATE "C" NOT NULL, schema bigint NOT NULL, time bigint NOT NULL,
        tags text COLLATE "C" NOT NULL, payload text COLLATE "C", metadata text COLLATE "C" NOT NULL,
        UNIQUE (id, source), UNIQUE (stream, position)
      );
      CREATE INDEX annals_event_type ON \#(schema).annals_event (type, position);
      CREATE TABLE \#(schema).annals_tag (
        tag text COLLATE "C" NOT NULL, position bigint NOT NULL, PRIMARY KEY (tag, position)
      );
      CREATE TABLE \#(schema).annals_command (
        id text COLLATE "C" PRIMARY KEY, position bigint NOT NULL, count bigint NOT NULL, transaction bigint,
        streams text COLLATE "C" NOT NULL, versions text NOT NULL
      );
      CREATE FUNCTION \#(schema).annals_found(p_after bigint, p_streams text[], p_types text[], p_tags text[])
      RETURNS bigint LANGUAGE plpgsql STABLE AS $$
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
      CREATE TABLE \#(schema).annals_follower (
        name text COLLATE "C" NOT NULL, version bigint NOT NULL, partitions bigint NOT NULL,
        PRIMARY KEY (name, version)
      );
      CREATE TABLE \#(schema).annals_partition (
        name text COLLATE "C" NOT NULL, version bigint NOT NULL, partition bigint NOT NULL,
        position bigint NOT NULL, fence bigint NOT NULL,
        worker text COLLATE "C", expires timestamptz,
        PRIMARY KEY (name, version, partition)
      ) WITH (fillfactor = 10);
      CREATE TABLE \#(schema).annals_worker (
        name text COLLATE "C" NOT NULL, version bigint NOT NULL, worker text COLLATE "C" NOT NULL,
        expires timestamptz NOT NULL, PRIMARY KEY (name, version, worker)
      ) WITH (fillfactor = 10);
      CREATE TABLE \#(schema).annals_quarantine (
        name text COLLATE "C" NOT NULL, version bigint NOT NULL, stream text COLLATE "C" NOT NULL,
        position bigint NOT NULL, done bigint NOT NULL, resumed boolean NOT NULL,
        attempts bigint NOT NULL, error text COLLATE "C" NOT NULL, time bigint NOT NULL,
        PRIMARY KEY (name, version, stream)
      );
      CREATE FUNCTION \#(schema).annals_claim(
        p_name text, p_version bigint, p_worker text, p_partitions bigint, p_start bigint, p_milliseconds bigint
      ) RETURNS TABLE (o_partition bigint, o_fence bigint, o_position bigint, o_quota bigint)
      LANGUAGE plpgsql VOLATILE AS $$
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

        -- Every worker's quota depends on the workers' order, so all workers compute consistent quotas.
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
      CREATE FUNCTION \#(schema).annals_save(
        p_name text, p_version bigint, p_partition bigint, p_worker text, p_fence bigint, p_position bigint,
        p_streams text[], p_positions bigint[], p_done bigint[], p_resumed bigint[], p_attempts bigint[],
        p_errors text[], p_times bigint[], p_settled text[]
      ) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
      BEGIN
        IF cardinality(p_streams) = 0 AND cardinality(p_settled) = 0 THEN
          PERFORM set_config('synchronous_commit', 'off', true);
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
      ALTER TABLE \#(schema).annals_log
        ADD COLUMN erasures bigint NOT NULL DEFAULT 0, ADD COLUMN lineage bigint NOT NULL DEFAULT 0;
      ALTER TABLE \#(schema).annals_event RENAME COLUMN payload TO body;
      ALTER TABLE \#(schema).annals_event ADD COLUMN personal bigint NOT NULL DEFAULT 0;
      CREATE TABLE \#(schema).annals_personal (
        position bigint NOT NULL, place bigint NOT NULL, subject text COLLATE "C" NOT NULL,
        object text COLLATE "C", erasure bigint, PRIMARY KEY (position, place)
      );
        CREATE INDEX annals_personal_subject ON \#(schema).annals_personal (subject,
        position) WHERE object IS NOT NULL;
      CREATE TABLE \#(schema).annals_erasure (
        number bigint PRIMARY KEY, subject text COLLATE "C" NOT NULL, first bigint NOT NULL,
        position bigint NOT NULL,
        time bigint NOT NULL, fields bigint NOT NULL, token text COLLATE "C" NOT NULL UNIQUE
      );
      ALTER TABLE \#(schema).annals_log
        ADD COLUMN compactions bigint NOT NULL DEFAULT 0, ADD COLUMN horizon bigint NOT NULL DEFAULT 0;
      CREATE TABLE \#(schema).annals_rewriting (one boolean PRIMARY KEY DEFAULT true CHECK (one));
      INSERT INTO \#(schema).annals_rewriting (one) VALUES (true);
      CREATE TABLE \#(schema).annals_compaction (
        number bigint PRIMARY KEY, erasures bigint NOT NULL, horizon bigint NOT NULL, position bigint NOT NULL,
        time bigint NOT NULL, cut bigint NOT NULL, replaced bigint NOT NULL,
        token text COLLATE "C" NOT NULL UNIQUE
      );
      CREATE TABLE \#(schema).annals_former (
        position bigint NOT NULL, transaction bigint NOT NULL, version bigint NOT NULL,
        compaction integer NOT NULL, cut boolean NOT NULL,
        stream text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, source text COLLATE "C",
        PRIMARY KEY (position, compaction)
      );
      CREATE INDEX annals_former_id ON \#(schema).annals_former (id);
      CREATE INDEX annals_former_compaction ON \#(schema).annals_former (compaction, position);
      DROP FUNCTION IF EXISTS \#(schema).annals_append;
      CREATE FUNCTION \#(schema).annals_rewrite(
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
        PERFORM 1 FROM \#(schema).annals_rewriting r WHERE r.one FOR UPDATE;
        -- An earlier attempt was committed, but its response was lost.
        PERFORM 1 FROM \#(schema).annals_compaction c WHERE c.token = p_token;
        IF FOUND THEN RETURN 0; END IF;
        SELECT l.erasures, l.compactions, l.source INTO STRICT v_erasures, v_compactions, v_source
          FROM \#(schema).annals_log l WHERE l.one;
        IF v_erasures <> p_erasures OR v_compactions <> p_compactions THEN
          RAISE EXCEPTION 'rewritten' USING ERRCODE = 'AN001';
        END IF;
        FOR i IN 1 .. 2 LOOP
          INSERT INTO \#(schema).annals_former (position, compaction, transaction, stream, version, source, id, cut)
        SELECT e.position, p_compactions + 1, e.transaction, e.stream, e.version, nullif(e.source, v_source), e.id,
              i = 1
            FROM \#(schema).annals_event e WHERE e.position = ANY (CASE WHEN i = 1 THEN p_cut ELSE p_positions END);
          GET DIAGNOSTICS v = ROW_COUNT;
          v_found := v_found + v;
        END LOOP;
        IF v_found <> cardinality(v_all) THEN
          RAISE EXCEPTION '%', v_found USING ERRCODE = 'AN002';
        END IF;
        -- The primary key begins with the tag, so the join finds the rows by the tags in the events.
        DELETE FROM \#(schema).annals_tag t
          USING \#(schema).annals_event e, json_array_elements_text(e.tags::json) w (tag)
          WHERE e.position = ANY (v_all) AND t.tag = w.tag AND t.position = e.position;
        DELETE FROM \#(schema).annals_personal p WHERE p.position = ANY (v_all);
        DELETE FROM \#(schema).annals_event e WHERE e.position = ANY (p_cut);
        IF cardinality(p_positions) > 0 THEN
          UPDATE \#(schema).annals_event e
            SET source = w.source, id = w.id, type = w.type, schema = w.schema, tags = w.tags, body = w.body,
              personal = w.fields
            FROM unnest(p_positions, p_sources, p_ids, p_types, p_schemas, p_tags, p_bodies, p_fields)
              w (position, source, id, type, schema, tags, body, fields)
            WHERE e.position = w.position;
          INSERT INTO \#(schema).annals_tag (tag, position)
            SELECT w.tag, w.owner FROM unnest(p_words, p_owners) w (tag, owner);
          INSERT INTO \#(schema).annals_personal (position, place, subject, object)
            SELECT w.owner, w.place, w.subject, w.object
            FROM unnest(p_field_owners, p_places, p_subjects, p_objects) w (owner, place, subject, object);
        END IF;
        RETURN cardinality(v_all);
      END $$;
      CREATE FUNCTION \#(schema).annals_compact(
        p_token text, p_erasures bigint, p_compactions bigint, p_horizon bigint, p_time bigint, p_cut bigint,
        p_replaced bigint
      ) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
      DECLARE
        v_head bigint; v_erasures bigint; v_compactions bigint; v_done bigint; v_behind text;
      BEGIN
        PERFORM 1 FROM \#(schema).annals_rewriting r WHERE r.one FOR UPDATE;
        SELECT c.number INTO v_done FROM \#(schema).annals_compaction c WHERE c.token = p_token;
        IF v_done IS NOT NULL THEN RETURN v_done; END IF;
        SELECT json_build_array(f.name, f.version, f.position)::text INTO v_behind FROM (
          SELECT p.name, p.version, p.position FROM \#(schema).annals_partition p WHERE p.position < p_horizon
          UNION ALL
        SELECT q.name, q.version,
        q.position - 1 FROM \#(schema).annals_quarantine q WHERE q.position <= p_horizon) f
          ORDER BY f.name, f.version, f.position LIMIT 1;
        IF v_behind IS NOT NULL THEN
          RAISE EXCEPTION '%', v_behind USING ERRCODE = 'AN003';
        END IF;
        SELECT l.head, l.erasures, l.compactions INTO STRICT v_head, v_erasures, v_compactions
          FROM \#(schema).annals_log l WHERE l.one FOR UPDATE;
        IF v_erasures <> p_erasures OR v_compactions <> p_compactions OR v_head < p_horizon THEN
          RAISE EXCEPTION 'rewritten' USING ERRCODE = 'AN001';
        END IF;
        INSERT INTO \#(schema).annals_compaction (number, erasures, horizon, position, time, cut, replaced, token)
          VALUES (v_compactions + 1, v_erasures, p_horizon, v_head, p_time, p_cut, p_replaced, p_token);
        UPDATE \#(schema).annals_log l SET compactions = v_compactions + 1, horizon = p_horizon, lineage = p_time
          WHERE l.one;
        RETURN v_compactions + 1;
      END $$;
      ALTER TABLE \#(schema).annals_command
        ADD COLUMN call text COLLATE "C", ADD COLUMN digest text COLLATE "C";
      CREATE OR REPLACE FUNCTION \#(schema).annals_erase(p_subject text, p_time bigint, p_token text)
      RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
      DECLARE
        v_head bigint; v_erasures bigint; v_first bigint; v_fields bigint;
      BEGIN
        PERFORM set_config('synchronous_commit', 'on', true);
        -- Wait for the end of a running compaction, which locks this row before it locks the row of annals_log.
        PERFORM 1 FROM \#(schema).annals_rewriting r WHERE r.one FOR UPDATE;
        SELECT l.head, l.erasures INTO STRICT v_head,
        v_erasures FROM \#(schema).annals_log l WHERE l.one FOR UPDATE;
        SELECT e.fields INTO v_fields FROM \#(schema).annals_erasure e WHERE e.token = p_token;
        IF v_fields IS NOT NULL THEN RETURN v_fields; END IF;
        SELECT min(p.position), count(*) INTO v_first, v_fields FROM \#(schema).annals_personal p
          WHERE p.subject = p_subject AND p.object IS NOT NULL;
        UPDATE \#(schema).annals_personal p SET object = NULL, erasure = v_erasures + 1
          WHERE p.subject = p_subject AND p.object IS NOT NULL;
        IF v_fields > 0 THEN
          INSERT INTO \#(schema).annals_erasure (number, subject, first, position, time, fields, token)
            VALUES (v_erasures + 1, p_subject, v_first, v_head, p_time, v_fields, p_token);
          UPDATE \#(schema).annals_log l SET erasures = v_erasures + 1, lineage = p_time WHERE l.one;
          -- A short command's erased values could be guessed from its digest.
          UPDATE \#(schema).annals_command c SET digest = NULL WHERE c.digest IS NOT NULL;
        END IF;
        RETURN v_fields;
      END $$;
      CREATE OR REPLACE FUNCTION \#(schema).annals_write(
        p_sync text, p_again boolean,
        p_commands text[], p_calls text[], p_digests text[], p_erasures bigint[], p_twice bigint[], p_names text[],
        p_expected_ends bigint[], p_expected text[], p_versions bigint[], p_after_ends bigint[], p_after bigint[],
        p_alternatives text[], p_ends bigint[], p_streams text[], p_sources text[], p_ids text[], p_types text[],
        p_schemas bigint[], p_times bigint[], p_tags text[], p_bodies text[], p_metadata text[], p_fields bigint[],
        p_word_ends bigint[], p_words text[], p_owners bigint[], p_field_ends bigint[], p_field_owners bigint[],
        p_places bigint[], p_subjects text[], p_objects text[], p_all_ends bigint[], p_all text[]
      ) RETURNS TABLE (
        outcome text, o_position bigint, o_count bigint, o_transaction bigint, o_streams text, o_versions text,
        o_call text, o_digest text
      ) LANGUAGE plpgsql VOLATILE AS $$
      DECLARE

        v_old bigint; v_head bigint; v_transaction bigint; v_erasures bigint; v_compactions bigint; v_horizon bigint;
        v_source text; v bigint; v_item bigint; v_set text;
        v_from bigint; v_to bigint := 0; v_expected bigint := 0; v_after bigint := 0; v_word bigint := 0;
        v_field bigint := 0; v_all bigint := 0;
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
        SELECT l.head, l.transaction, l.erasures, l.compactions, l.horizon, l.source
          INTO STRICT v_head, v_transaction, v_erasures, v_compactions, v_horizon, v_source
          FROM \#(schema).annals_log l WHERE l.one FOR UPDATE;
        v_old := v_head;
        FOR i IN 1 .. cardinality(p_ends) LOOP
          v_from := v_to; v_to := p_ends[i];
          outcome := NULL; o_transaction := NULL; o_call := NULL; o_digest := NULL;
          IF p_commands[i] IS NOT NULL THEN
            SELECT c.position, c.count, c.transaction, c.streams, c.versions, c.call, c.digest
              INTO o_position, o_count, o_transaction, o_streams, o_versions, o_call, o_digest
              FROM \#(schema).annals_command c WHERE c.id = p_commands[i];
            IF FOUND THEN
              outcome := 'again';
              -- A writer that lost its connection checks whether the committed append is its own.
              IF p_again AND o_count > 0 AND v_to > v_from AND EXISTS (
                SELECT 1 FROM \#(schema).annals_event e WHERE e.id = p_ids[v_from + 1]
                  AND e.source = p_sources[v_from + 1] AND e.transaction = o_transaction)
              THEN outcome := 'settled'; END IF;
            END IF;
          ELSIF p_again AND v_to > v_from THEN
            SELECT e.position + v_to - v_from - 1, e.transaction INTO o_position, o_transaction
              FROM \#(schema).annals_event e WHERE e.id = p_ids[v_from + 1] AND e.source = p_sources[v_from + 1];
            IF FOUND THEN
              outcome := 'settled'; o_count := v_to - v_from; o_streams := p_names[i];
              SELECT string_agg(coalesce(f.version, 0)::text, ',' ORDER BY w.o) INTO o_versions
                FROM unnest(p_all[v_all + 1 : p_all_ends[i]]) WITH ORDINALITY w (stream, o) LEFT JOIN LATERAL (
                  SELECT e.version FROM \#(schema).annals_event e
                    WHERE e.stream = w.stream AND e.position <= o_position
                    ORDER BY e.position DESC LIMIT 1) f ON true;
            ELSIF v_compactions > 0 THEN
        -- The append was committed, and then compacted. Later appends may have increased its streams' versions.
              SELECT f.position + v_to - v_from - 1, f.transaction INTO o_position, o_transaction
                FROM \#(schema).annals_former f
                WHERE f.id = p_ids[v_from + 1] AND coalesce(f.source, v_source) = p_sources[v_from + 1];
              IF FOUND THEN
                outcome := 'settled'; o_count := v_to - v_from; o_streams := p_names[i];
                SELECT string_agg(coalesce(s.version, 0)::text, ',' ORDER BY w.o) INTO o_versions
                  FROM unnest(p_all[v_all + 1 : p_all_ends[i]]) WITH ORDINALITY w (stream, o)
                  LEFT JOIN \#(schema).annals_stream s ON s.stream = w.stream;
              END IF;
            END IF;
          END IF;
          -- If the command was decided before an erasure or a compaction, the client re-decides the command.
          IF outcome IS NULL AND p_erasures[i] >= 0 AND p_erasures[i] <> v_erasures + v_compactions THEN
            outcome := 'rewritten'; o_count := v_erasures + v_compactions;
          END IF;
          v_item := v_expected;
          WHILE outcome IS NULL AND v_item < p_expected_ends[i] LOOP
            v_item := v_item + 1;
            SELECT s.version INTO v FROM \#(schema).annals_stream s WHERE s.stream = p_expected[v_item];
            v := coalesce(v, 0);
            IF (p_versions[v_item] >= 0 AND v <> p_versions[v_item]) OR (p_versions[v_item] = -1 AND v = 0) THEN
              outcome := 'version'; o_position := v_item - v_expected; o_count := v;
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
            SELECT min(\#(schema).annals_found(p_after[v_item],
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
            SELECT e.position INTO v FROM \#(schema).annals_event e
              WHERE e.id = p_ids[v_to] AND e.source = p_sources[v_to];
            IF v IS NOT NULL THEN outcome := 'duplicate'; o_position := 1; o_count := v; END IF;
          ELSIF outcome IS NULL AND v_to > v_from THEN
            SELECT w.o, e.position INTO v_item, v
              FROM unnest(p_ids[v_from + 1 : v_to], p_sources[v_from + 1 : v_to]) WITH ORDINALITY w (id, source, o)
              JOIN \#(schema).annals_event e ON e.id = w.id AND e.source = w.source
              ORDER BY w.o LIMIT 1;
            IF v IS NOT NULL THEN outcome := 'duplicate'; o_position := v_item; o_count := v; END IF;
          END IF;
          -- The identities of removed and replaced events can't be reused.
          IF outcome IS NULL AND v_compactions > 0 AND v_to > v_from THEN
            SELECT w.o, f.position INTO v_item, v
              FROM unnest(p_ids[v_from + 1 : v_to], p_sources[v_from + 1 : v_to]) WITH ORDINALITY w (id, source, o)
              JOIN \#(schema).annals_former f ON f.id = w.id AND coalesce(f.source, v_source) = w.source
              ORDER BY w.o LIMIT 1;
            IF v_item IS NOT NULL THEN outcome := 'duplicate'; o_position := v_item; o_count := v; END IF;
          END IF;
          IF outcome IS NULL AND p_twice[i] > 0 THEN
            outcome := 'duplicate'; o_position := p_twice[i]; o_count := v_head + p_twice[i];
          END IF;
          IF outcome IS NULL THEN
            outcome := 'done'; o_count := v_to - v_from; o_streams := p_names[i];
            IF o_count > 0 THEN v_transaction := v_transaction + 1; o_transaction := v_transaction; END IF;
            v := NULL;
            IF o_count = 1 THEN
              INSERT INTO \#(schema).annals_stream AS s (stream, version) VALUES (p_streams[v_to], 1)
                ON CONFLICT (stream) DO UPDATE SET version = s.version + 1 RETURNING s.version INTO v;
              INSERT INTO \#(schema).annals_event (
                  position, transaction, stream, version, source, id, type, schema, time, tags, body, metadata,
                  personal)
                VALUES (
                  v_head + 1, v_transaction, p_streams[v_to], v, p_sources[v_to], p_ids[v_to], p_types[v_to],
                  p_schemas[v_to], p_times[v_to], p_tags[v_to], p_bodies[v_to], p_metadata[v_to], p_fields[v_to]);
            ELSIF o_count > 1 THEN
              INSERT INTO \#(schema).annals_event (
                  position, transaction, stream, version, source, id, type, schema, time, tags, body, metadata,
                  personal)
                SELECT v_head + w.o, v_transaction, w.stream,
                  coalesce(s.version, 0) + row_number() OVER (PARTITION BY w.stream ORDER BY w.o),
                  w.source, w.id, w.type, w.schema, w.time, w.tags, w.body, w.metadata, w.fields
                FROM unnest(
                    p_streams[v_from + 1 : v_to], p_sources[v_from + 1 : v_to], p_ids[v_from + 1 : v_to],
                    p_types[v_from + 1 : v_to], p_schemas[v_from + 1 : v_to], p_times[v_from + 1 : v_to],
                    p_tags[v_from + 1 : v_to], p_bodies[v_from + 1 : v_to], p_metadata[v_from + 1 : v_to],
                    p_fields[v_from + 1 : v_to])
                  WITH ORDINALITY w (stream, source, id, type, schema, time, tags, body, metadata, fields, o)
                LEFT JOIN \#(schema).annals_stream s ON s.stream = w.stream;
              INSERT INTO \#(schema).annals_stream AS s (stream, version)
                SELECT w.stream, count(*) FROM unnest(p_streams[v_from + 1 : v_to]) w (stream) GROUP BY w.stream
                ON CONFLICT (stream) DO UPDATE SET version = s.version + excluded.version;
            END IF;
            IF p_word_ends[i] = v_word + 1 THEN
              INSERT INTO \#(schema).annals_tag (tag, position)
                VALUES (p_words[v_word + 1], v_head + p_owners[v_word + 1]);
            ELSIF p_word_ends[i] > v_word THEN
              INSERT INTO \#(schema).annals_tag (tag, position)
                SELECT w.tag, v_head + w.owner
                FROM unnest(p_words[v_word + 1 : p_word_ends[i]], p_owners[v_word + 1 : p_word_ends[i]])
                  w (tag, owner);
            END IF;
            IF p_field_ends[i] > v_field THEN
              INSERT INTO \#(schema).annals_personal (position, place, subject, object)
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
                LEFT JOIN \#(schema).annals_stream s ON s.stream = w.stream;
            END IF;
            IF p_commands[i] IS NOT NULL THEN
              INSERT INTO \#(schema).annals_command (
                  id, position, count, transaction, streams, versions, call, digest)
                VALUES (
                  p_commands[i], o_position, o_count, o_transaction, p_names[i], o_versions, p_calls[i],
                  p_digests[i]);
            END IF;
          END IF;

          v_expected := p_expected_ends[i]; v_after := p_after_ends[i]; v_word := p_word_ends[i];
          v_field := p_field_ends[i]; v_all := p_all_ends[i];
          RETURN NEXT;
        END LOOP;
        IF v_head > v_old THEN
          UPDATE \#(schema).annals_log l SET head = v_head, transaction = v_transaction WHERE l.one;
        END IF;
      END $$;
      CREATE OR REPLACE FUNCTION \#(schema).annals_found(
        p_after bigint, p_streams text[], p_types text[], p_tags text[], p_categories text[]
      ) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
      DECLARE v bigint;
      BEGIN
        IF cardinality(p_categories) = 0 THEN
          RETURN \#(schema).annals_found(p_after, p_streams, p_types, p_tags);
        END IF;
        IF cardinality(p_tags) > 0 THEN
          SELECT t.position INTO v FROM \#(schema).annals_tag t
            JOIN \#(schema).annals_event e ON e.position = t.position
            WHERE t.tag = p_tags[1] AND t.position > p_after
              AND (cardinality(p_types) = 0 OR e.type = ANY (p_types))
              AND EXISTS (
                SELECT 1 FROM unnest(p_categories) c (name)
                  WHERE e.stream >= (c.name || '-') COLLATE "C" AND e.stream < (c.name || '.') COLLATE "C")
              AND NOT EXISTS (
                SELECT 1 FROM unnest(p_tags) w (tag) WHERE NOT EXISTS (
                  SELECT 1 FROM \#(schema).annals_tag x WHERE x.tag = w.tag AND x.position = t.position))
            ORDER BY t.position LIMIT 1;
        ELSIF (SELECT l.head FROM \#(schema).annals_log l WHERE l.one) - p_after <= 4096 THEN
          SELECT e.position INTO v FROM \#(schema).annals_event e
            WHERE e.position > p_after
              AND (cardinality(p_types) = 0 OR e.type = ANY (p_types))
              AND EXISTS (
                SELECT 1 FROM unnest(p_categories) c (name)
                  WHERE e.stream >= (c.name || '-') COLLATE "C" AND e.stream < (c.name || '.') COLLATE "C")
            ORDER BY e.position LIMIT 1;
        ELSE
          SELECT min(f.position) INTO v FROM unnest(p_categories) c (name)
            JOIN \#(schema).annals_stream s
              ON s.stream >= (c.name || '-') COLLATE "C" AND s.stream < (c.name || '.') COLLATE "C"
            CROSS JOIN LATERAL (
              SELECT e.position FROM \#(schema).annals_event e
                WHERE e.stream = s.stream AND e.position > p_after
                  AND (cardinality(p_types) = 0 OR e.type = ANY (p_types))
                ORDER BY e.position LIMIT 1) f;
        END IF;
        RETURN v;
      END $$;
      INSERT INTO \#(schema).annals_log (format, source, head, transaction) VALUES (7, '\#(source)', 0, 0);
      """#
    }

    /// Creates an empty log.
    ///
    /// - Parameters:
    ///   - server: The server.
    ///   - options: The options, with a schema that doesn't exist.
    /// - Returns: A store that has the log open. It sends the same statements as a program of format 7, so it uses the
    ///   log like such a program.
    /// - Throws: An error of the server.
    static func open(on server: TestServer, _ options: PostgresOptions) async throws -> PostgresEventStore {
      let store = try await PostgresEventStore(url: server.url, options: options)
      try await server.sql(
        "DROP SCHEMA \(options.schema) CASCADE; \(sql(options.schema, source: store.source))", isQuiet: true)
      return store
    }
  }
#endif
