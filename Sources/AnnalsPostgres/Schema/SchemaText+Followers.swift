#if Postgres
  extension SchemaText {
    /// The second migration step, which adds the tables and functions for followers.
    var followers: [String] { followerTables + [claim, save] }

    private var followerTables: [String] {
      [
        """
        CREATE TABLE \(schema).annals_follower (
          name text COLLATE "C" NOT NULL, version bigint NOT NULL, partitions bigint NOT NULL,
          PRIMARY KEY (name, version)
        )
        """,
        """
        CREATE TABLE \(schema).annals_partition (
          name text COLLATE "C" NOT NULL, version bigint NOT NULL, partition bigint NOT NULL,
          position bigint NOT NULL, fence bigint NOT NULL,
          worker text COLLATE "C", expires timestamptz,
          PRIMARY KEY (name, version, partition)
        ) WITH (fillfactor = 10)
        """,
        """
        CREATE TABLE \(schema).annals_worker (
          name text COLLATE "C" NOT NULL, version bigint NOT NULL, worker text COLLATE "C" NOT NULL,
          expires timestamptz NOT NULL, PRIMARY KEY (name, version, worker)
        ) WITH (fillfactor = 10)
        """,
        """
        CREATE TABLE \(schema).annals_quarantine (
          name text COLLATE "C" NOT NULL, version bigint NOT NULL, stream text COLLATE "C" NOT NULL,
          position bigint NOT NULL, done bigint NOT NULL, resumed boolean NOT NULL,
          attempts bigint NOT NULL, error text COLLATE "C" NOT NULL, time bigint NOT NULL,
          PRIMARY KEY (name, version, stream)
        )
        """,
      ]
    }

    /// The claim function, which extends a worker's leases on partitions, and acquires free partitions up to the
    /// worker's share.
    ///
    /// It locks the follower's row, and then uses the server's clock for all times. It returns a row per lease, and a
    /// row with the partition number -1 that contains the share. If the follower has a different number of partitions,
    /// the function returns only a row with the partition number -2 that contains this number.
    private var claim: String {
      """
      CREATE FUNCTION \(schema).annals_claim(
        p_name text, p_version bigint, p_worker text, p_partitions bigint, p_start bigint, p_milliseconds bigint
      ) RETURNS TABLE (o_partition bigint, o_fence bigint, o_position bigint, o_quota bigint)
      LANGUAGE plpgsql VOLATILE AS $$
      DECLARE
        v_count bigint; v_now timestamptz; v_until timestamptz; v_workers bigint; v_rank bigint; v_quota bigint;
        v_held bigint;
      BEGIN
        INSERT INTO \(schema).annals_follower (name, version, partitions) VALUES (p_name, p_version, p_partitions)
          ON CONFLICT (name, version) DO NOTHING;
        SELECT f.partitions INTO v_count FROM \(schema).annals_follower f
          WHERE f.name = p_name AND f.version = p_version FOR UPDATE;
        IF v_count IS NULL THEN RAISE EXCEPTION 'the follower was forgotten meanwhile' USING ERRCODE = '40001'; END IF;
        IF v_count <> p_partitions THEN
          RETURN QUERY SELECT -2::bigint, 0::bigint, 0::bigint, v_count;
          RETURN;
        END IF;
        INSERT INTO \(schema).annals_partition (name, version, partition, position, fence)
          SELECT p_name, p_version, g.n, p_start, 0 FROM generate_series(0::bigint, p_partitions - 1) g (n)
          WHERE NOT EXISTS (
            SELECT 1 FROM \(schema).annals_partition p WHERE p.name = p_name AND p.version = p_version)
          ON CONFLICT (name, version, partition) DO NOTHING;

        v_now := clock_timestamp();
        v_until := v_now + p_milliseconds * interval '1 millisecond';
        DELETE FROM \(schema).annals_worker w
          WHERE w.name = p_name AND w.version = p_version AND w.expires <= v_now;
        INSERT INTO \(schema).annals_worker (name, version, worker, expires)
          VALUES (p_name, p_version, p_worker, v_until)
          ON CONFLICT (name, version, worker) DO UPDATE SET expires = excluded.expires;
        UPDATE \(schema).annals_partition p SET expires = v_until
          WHERE p.name = p_name AND p.version = p_version AND p.worker = p_worker AND p.expires > v_now;

        -- Every worker's quota depends on the workers' order, so all workers compute consistent quotas.
        SELECT count(*), count(*) FILTER (WHERE w.worker < p_worker) INTO v_workers, v_rank
          FROM \(schema).annals_worker w WHERE w.name = p_name AND w.version = p_version;
        v_quota := p_partitions / v_workers + CASE WHEN v_rank < p_partitions % v_workers THEN 1 ELSE 0 END;
        SELECT count(*) INTO v_held FROM \(schema).annals_partition p
          WHERE p.name = p_name AND p.version = p_version AND p.worker = p_worker AND p.expires > v_now;
        IF v_held < v_quota THEN
          UPDATE \(schema).annals_partition p
            SET worker = p_worker, fence = p.fence + 1, expires = v_until
            WHERE p.name = p_name AND p.version = p_version AND p.partition IN (
              SELECT f.partition FROM \(schema).annals_partition f
                WHERE f.name = p_name AND f.version = p_version AND (f.worker IS NULL OR f.expires <= v_now)
                ORDER BY f.partition LIMIT v_quota - v_held);
        END IF;
        RETURN QUERY SELECT -1::bigint, 0::bigint, 0::bigint, v_quota;
        RETURN QUERY SELECT p.partition, p.fence, p.position, 0::bigint FROM \(schema).annals_partition p
          WHERE p.name = p_name AND p.version = p_version AND p.worker = p_worker AND p.expires > v_now
          ORDER BY p.partition;
      END $$
      """
    }

    /// The save function, which saves a worker's progress if the worker still has the partition's lease.
    ///
    /// Every new lease increments the partition's fencing number, so the function compares this number with the
    /// worker's number. A save of only a position doesn't wait for the disk. If a server crash loses the position, the
    /// events are handled a second time.
    private var save: String {
      """
      CREATE FUNCTION \(schema).annals_save(
        p_name text, p_version bigint, p_partition bigint, p_worker text, p_fence bigint, p_position bigint,
        p_streams text[], p_positions bigint[], p_done bigint[], p_resumed bigint[], p_attempts bigint[],
        p_errors text[], p_times bigint[], p_settled text[]
      ) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
      BEGIN
        IF cardinality(p_streams) = 0 AND cardinality(p_settled) = 0 THEN
          PERFORM set_config('synchronous_commit', 'off', true);
        END IF;
        UPDATE \(schema).annals_partition p SET position = greatest(p.position, p_position)
          WHERE p.name = p_name AND p.version = p_version AND p.partition = p_partition
            AND p.worker = p_worker AND p.fence = p_fence;
        IF NOT FOUND THEN RETURN 0; END IF;
        IF cardinality(p_streams) > 0 THEN
          INSERT INTO \(schema).annals_quarantine (
              name, version, stream, position, done, resumed, attempts, error, time)
            SELECT p_name, p_version, w.stream, w.position, w.done, w.resumed > 0, w.attempts, w.error, w.time
            FROM unnest(p_streams, p_positions, p_done, p_resumed, p_attempts, p_errors, p_times)
              w (stream, position, done, resumed, attempts, error, time)
            ON CONFLICT (name, version, stream) DO UPDATE SET
              position = excluded.position, done = excluded.done, resumed = excluded.resumed,
              attempts = excluded.attempts, error = excluded.error, time = excluded.time;
        END IF;
        IF cardinality(p_settled) > 0 THEN
          DELETE FROM \(schema).annals_quarantine q
            WHERE q.name = p_name AND q.version = p_version AND q.stream = ANY (p_settled);
        END IF;
        RETURN 1;
      END $$
      """
    }
  }
#endif
