#if Postgres
  extension SchemaText {
    /// The third migration step, which stores personal data separately from the events, so that it can be erased.
    ///
    /// The payload column is renamed, so that an older program that has the log open gets an error. With the old name,
    /// the program would read the extracted values as erased, and would append values that no erasure finds.
    var personal: [String] {
      [
        """
        ALTER TABLE \(schema).annals_log
          ADD COLUMN erasures bigint NOT NULL DEFAULT 0, ADD COLUMN lineage bigint NOT NULL DEFAULT 0
        """,
        "ALTER TABLE \(schema).annals_event RENAME COLUMN payload TO body",
        "ALTER TABLE \(schema).annals_event ADD COLUMN personal bigint NOT NULL DEFAULT 0",
        """
        CREATE TABLE \(schema).annals_personal (
          position bigint NOT NULL, place bigint NOT NULL, subject text COLLATE "C" NOT NULL,
          object text COLLATE "C", erasure bigint, PRIMARY KEY (position, place)
        )
        """,
        """
        CREATE INDEX annals_personal_subject ON \(schema).annals_personal (subject, position) WHERE object IS NOT NULL
        """,
        """
        CREATE TABLE \(schema).annals_erasure (
          number bigint PRIMARY KEY, subject text COLLATE "C" NOT NULL, first bigint NOT NULL, position bigint NOT NULL,
          time bigint NOT NULL, fields bigint NOT NULL, token text COLLATE "C" NOT NULL UNIQUE
        )
        """,
      ]
    }

    /// The statement that drops the append function of programs for formats before 3.
    var dropOldAppend: String {
      """
      DROP FUNCTION IF EXISTS \(schema).annals_append(
        text, text, boolean, text[], bigint[], bigint[], text, text[], text[], text[], text[], bigint[], bigint[],
        text[], text[], text[], bigint, text[], bigint[], text[], text)
      """
    }

    /// The erase function, which deletes a subject's values and records the erasure.
    ///
    /// It first waits for a running compaction, and then locks the frontier. A row per field remains, so a
    /// missing row always means damage and never an erasure. The role needs the privilege to update the rows even if
    /// there are no values to erase.
    var erase: String {
      """
      CREATE OR REPLACE FUNCTION \(schema).annals_erase(p_subject text, p_time bigint, p_token text)
      RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
      DECLARE
        v_head bigint; v_erasures bigint; v_first bigint; v_fields bigint;
      BEGIN
        PERFORM set_config('synchronous_commit', 'on', true);
        -- Wait for the end of a running compaction, which locks this row before it locks the frontier.
        PERFORM 1 FROM \(schema).annals_rewriting r WHERE r.one FOR UPDATE;
        \(lockFrontier)
        SELECT l.head, l.erasures INTO STRICT v_head, v_erasures FROM \(schema).annals_log l WHERE l.one;
        SELECT e.fields INTO v_fields FROM \(schema).annals_erasure e WHERE e.token = p_token;
        IF v_fields IS NOT NULL THEN RETURN v_fields; END IF;
        SELECT min(p.position), count(*) INTO v_first, v_fields FROM \(schema).annals_personal p
          WHERE p.subject = p_subject AND p.object IS NOT NULL;
        UPDATE \(schema).annals_personal p SET object = NULL, erasure = v_erasures + 1
          WHERE p.subject = p_subject AND p.object IS NOT NULL;
        IF v_fields > 0 THEN
          INSERT INTO \(schema).annals_erasure (number, subject, first, position, time, fields, token)
            VALUES (v_erasures + 1, p_subject, v_first, v_head, p_time, v_fields, p_token);
          UPDATE \(schema).annals_log_base l SET erasures = v_erasures + 1, lineage = p_time WHERE l.one;
          -- A short command's erased values could be guessed from its digest.
          UPDATE \(schema).annals_command c SET digest = NULL WHERE c.digest IS NOT NULL;
        END IF;
        RETURN v_fields;
      END $$
      """
    }
  }
#endif
