#if Postgres
  import AnnalsLog
  import Annals
  import Foundation

  extension PostgresCheckpoints {
    func states(ofFollowersNamed name: String) async throws -> [FollowerState] {
      let rows = try await log.run(
        [
          SQLStatement(
            """
            SELECT version, position, fence, CASE WHEN expires > clock_timestamp() THEN worker END
              FROM \(log.text.schema).annals_partition WHERE name = $1 ORDER BY version, partition
            """, [.text(name)]),
          SQLStatement(
            """
            SELECT version, stream, position, done, resumed::integer, attempts, error, time
              FROM \(log.text.schema).annals_quarantine WHERE name = $1
            """, [.text(name)]),
        ], .reading)
      var partitions: [Int: [FollowerState.Partition]] = [:]
      for row in 0..<rows[0].count {
        guard let version = rows[0].int(row, 0), let position = rows[0].int(row, 1), let fence = rows[0].int(row, 2)
        else { throw Self.damaged }
        partitions[version, default: []].append(
          FollowerState.Partition(position: Position(position), fence: fence, worker: rows[0].text(row, 3)))
      }
      var quarantine: [Int: [QuarantinedStream]] = [:]
      for row in 0..<rows[1].count {
        let found = rows[1]
        guard let version = found.int(row, 0), let stream = found.text(row, 1), let position = found.int(row, 2),
          let done = found.int(row, 3), let resumed = found.int(row, 4), let attempts = found.int(row, 5),
          let error = found.text(row, 6), let time = found.int(row, 7)
        else { throw Self.damaged }
        quarantine[version, default: []].append(
          QuarantinedStream(
            stream: StreamName(stream), position: Position(position), after: Position(done), isResumed: resumed > 0,
            attempts: attempts, error: error, time: Date(microseconds: Int64(time))))
      }
      return partitions.sorted { $0.key < $1.key }.map { version, partitions in
        FollowerState(
          follower: FollowerID(name, version: version), partitions: partitions, quarantine: quarantine[version] ?? [])
      }
    }
  }
#endif
