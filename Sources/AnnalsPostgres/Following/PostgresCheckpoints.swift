#if Postgres
  import AnnalsRemote
  import AnnalsLog
  import Annals

  /// The data of a log's followers in PostgreSQL: leases on partitions, positions, and quarantined streams.
  ///
  /// Every call is one message and one transaction. If the response is lost, the call is resent, because all calls are
  /// idempotent.
  struct PostgresCheckpoints: RemoteCheckpointStore {
    let log: RepeatableSQL
    private var schema: String { log.text.schema }

    static let damaged = EventStoreError(
      .corrupt,
      "the saved progress of a follower is damaged: a column of the table annals_partition or annals_quarantine is "
        + "empty or can't be read. Restore the database from a backup")

    func claim(_ claim: LeaseClaim) async throws -> LeaseShare {
      let (follower, parts) = (claim.follower, claim.duration.components)
      // A lease must not be shorter than requested.
      let milliseconds = Int(parts.seconds) * 1_000 + Int(parts.attoseconds / 1_000_000_000_000_000) + 1
      let rows = try await log.run(
        "SELECT * FROM \(schema).annals_claim($1, $2, $3, $4, $5, $6)",
        [
          .text(follower.name), .int(follower.version), .text(claim.worker), .int(claim.partitions),
          .int(claim.start.rawValue), .int(milliseconds),
        ])
      var (leases, quota): ([FollowerLease], Int) = ([], 0)
      for row in 0..<rows.count {
        guard let partition = rows.int(row, 0), let fence = rows.int(row, 1), let position = rows.int(row, 2),
          let number = rows.int(row, 3)
        else { throw Self.damaged }
        switch partition {
        case -2: throw EventStoreError.otherPartitions(follower, expected: claim.partitions, found: number)
        case -1: quota = number
        default:
          leases.append(
            FollowerLease(
              follower: follower, partition: partition, worker: claim.worker, fence: fence,
              position: Position(position)))
        }
      }
      return LeaseShare(leases: leases, quota: quota)
    }

    func save(_ progress: FollowerProgress, under lease: FollowerLease) async throws -> Bool {
      let places = (1...14).map { "$\($0)" }.joined(separator: ", ")
      let aside = progress.setAside
      let rows = try await log.run(
        "SELECT \(schema).annals_save(\(places))",
        [
          .text(lease.follower.name), .int(lease.follower.version), .int(lease.partition), .text(lease.worker),
          .int(lease.fence), .int(progress.position.rawValue), .texts(aside.map(\.stream.text)),
          .ints(aside.map(\.position.rawValue)), .ints(aside.map(\.after.rawValue)),
          .ints(aside.map { $0.isResumed ? 1 : 0 }), .ints(aside.map(\.attempts)),
          // Strings in the server can't contain NUL.
          .texts(aside.map { $0.error.replacing("\0", with: " ") }),
          .ints(aside.map { Int($0.time.microseconds) }), .texts(progress.settled.map(\.text)),
        ])
      return rows.int(0, 0) == 1
    }

    func release(_ lease: FollowerLease) async throws {
      _ = try await log.run(
        """
        UPDATE \(schema).annals_partition SET worker = NULL, expires = NULL
          WHERE name = $1 AND version = $2 AND partition = $3 AND worker = $4 AND fence = $5
        """,
        [
          .text(lease.follower.name), .int(lease.follower.version), .int(lease.partition), .text(lease.worker),
          .int(lease.fence),
        ])
    }

    func leave(_ follower: FollowerID, worker: String) async throws {
      let values: [SQLValue] = [.text(follower.name), .int(follower.version), .text(worker)]
      // A claim locks the follower first. Using the same order here avoids a deadlock.
      _ = try await log.run([
        SQLStatement(
          "SELECT 1 FROM \(schema).annals_follower WHERE name = $1 AND version = $2 FOR UPDATE",
          Array(values[..<2])),
        SQLStatement(
          """
          UPDATE \(schema).annals_partition SET worker = NULL, expires = NULL
            WHERE name = $1 AND version = $2 AND worker = $3
          """, values),
        SQLStatement(
          "DELETE FROM \(schema).annals_worker WHERE name = $1 AND version = $2 AND worker = $3", values),
      ])
    }

    func resume(
      _ stream: StreamName, of follower: FollowerID, at position: Position, skipping isSkipped: Bool
    ) async throws -> Bool {
      let rows = try await log.run(
        """
        UPDATE \(schema).annals_quarantine
          SET resumed = true, done = CASE WHEN $5 THEN greatest(done, position) ELSE done END
          WHERE name = $1 AND version = $2 AND stream = $3 AND position = $4 RETURNING 1
        """,
        [
          .text(follower.name), .int(follower.version), .text(stream.text), .int(position.rawValue),
          .bool(isSkipped),
        ])
      return rows.count > 0
    }

    func forget(_ follower: FollowerID) async throws {
      let values: [SQLValue] = [.text(follower.name), .int(follower.version)]
      _ = try await log.run(
        ["follower", "partition", "worker", "quarantine"].map { table in
          SQLStatement("DELETE FROM \(schema).annals_\(table) WHERE name = $1 AND version = $2", values)
        })
    }
  }
#endif
