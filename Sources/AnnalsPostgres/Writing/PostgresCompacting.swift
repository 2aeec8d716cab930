#if Postgres
  import AnnalsRemote
  import AnnalsLog
  import Annals
  import Foundation

  /// The store for compactions of a log in PostgreSQL, which remove or replace events.
  struct PostgresCompacting: RemoteCompactingStore {
    let log: RepeatableSQL
    /// The number of events that one statement removes or replaces.
    private static let chunk = 4_096

    private var schema: String { log.text.schema }

    /// Runs a compaction as one transaction.
    ///
    /// If the response is lost, the transaction is resent. The server recognizes the transaction by its token.
    func commitCompaction(_ compaction: RemoteCompaction) async throws -> LogCompaction {
      let time = Int(log.store.environment.now().microseconds)
      var statements = try rewriting(compaction)
      statements.append(
        SQLStatement(
          "SELECT \(schema).annals_compact($1, $2, $3, $4, $5, $6, $7)",
          [
            .text(compaction.id), .int(compaction.revision.erasures), .int(compaction.revision.compacted.count),
            .int(compaction.horizon.rawValue), .int(time), .int(compaction.cutCount), .int(compaction.replacedCount),
          ]))
      let rows = try await log.run(statements) { state, message in
        switch state {
        case SchemaText.rewritten: EventStoreError.decidedBeforeRewriting
        case SchemaText.behind: Self.behind(message, compaction.horizon)
        case SchemaText.lacking:
          EventStoreError(
            .replaced,
            "the log wasn't compacted: some of the events to remove or replace don't exist in the log, so the log "
              + "differs from the copy that the compaction was checked with. Clone the log into an empty store, and "
              + "repeat the compaction with the new copy")
        default: nil
        }
      }
      guard let number = rows.last?.int(0, 0),
        let done = try await compactions(after: number - 1, limit: 1).first, done.number == number
      else { throw Self.damaged }
      log.store.notifyOthers()
      return done
    }

    func compactions(after number: Int, limit: Int) async throws -> [LogCompaction] {
      precondition(limit > 0, "`limit` must be at least 1 (was \(limit))")
      let rows = try await log.read(
        """
        SELECT number, erasures, horizon, position, time, cut, replaced FROM \(schema).annals_compaction
          WHERE number > $1 ORDER BY number LIMIT $2
        """, [.int(number), .int(limit)])
      return try (0..<rows.count).map { row in
        guard let number = rows.int(row, 0), let erasures = rows.int(row, 1), let horizon = rows.int(row, 2),
          let end = rows.int(row, 3), let time = rows.int(row, 4), let cut = rows.int(row, 5),
          let replaced = rows.int(row, 6)
        else { throw Self.damaged }
        return LogCompaction(
          number: number, erasures: erasures, horizon: Position(horizon), end: Position(end),
          time: Date(microseconds: Int64(time)), cut: cut, replaced: replaced)
      }
    }

    func formerEvents(since number: Int, after: Position, limit: Int) async throws -> [RewrittenEvent] {
      precondition(limit > 0, "`limit` must be at least 1 (was \(limit))")
      // If all compactions are requested, the table's order provides the first positions without this condition.
      let some =
        number == 0
        ? ""
        : """
        AND f.position IN (
          SELECT g.position FROM \(schema).annals_former g WHERE g.compaction > $3 AND g.position > $1)
        """
      let rows = try await log.read(
        """
        SELECT f.position, max(f.transaction), max(f.stream), max(f.version),
          json_agg(json_build_array(f.source, f.id) ORDER BY f.compaction)::text,
          count(*) FILTER (WHERE f.cut)
        FROM \(schema).annals_former f WHERE f.position > $1 \(some)
        GROUP BY f.position ORDER BY f.position LIMIT $2
        """, [.int(after.rawValue), .int(limit)] + (number == 0 ? [] : [.int(number)]))
      return try (0..<rows.count).map { row in
        guard let position = rows.int(row, 0), let transaction = rows.int(row, 1), let stream = rows.text(row, 2),
          let version = rows.int(row, 3), case .array(let found)? = try? JSONValue(parsing: rows.text(row, 4) ?? ""),
          !found.isEmpty, let cuts = rows.int(row, 5)
        else { throw Self.damaged }
        let ids = try found.map { pair in
          guard case .array(let pair) = pair, pair.count == 2, case .string(let id) = pair[1] else {
            throw Self.damaged
          }
          // In a row, null represents the log's own source.
          return if case .string(let source) = pair[0] { EventID(source: source, id: id) } else {
            EventID(source: log.store.source, id: id)
          }
        }
        return RewrittenEvent(
          position: Position(position), transaction: transaction, stream: StreamName(stream), version: version,
          ids: ids, isCut: cuts > 0)
      }
    }

    private static let damaged = EventStoreError(
      .corrupt,
      "the record of compactions is damaged: a column is empty or can't be read; restore the database from a backup")

    /// Creates the error for a follower that blocks a compaction, from the server's JSON with its name, version and
    /// position.
    private static func behind(_ message: String, _ horizon: Position) -> any Error {
      guard let start = message.firstIndex(of: "["), let end = message.lastIndex(of: "]"), start < end,
        case .array(let found)? = try? JSONValue(parsing: String(message[start...end])), found.count == 3,
        case .string(let name) = found[0], case .number(let version) = found[1], let version = Int(version.text),
        case .number(let position) = found[2], let position = Int(position.text)
      else { return damaged }
      return CompactionError.followerBehind(
        FollowerID(name, version: version), at: Position(position), horizon: horizon)
    }
  }

  extension PostgresCompacting {
    /// Returns the statements that remove and replace events, in chunks.
    private func rewriting(_ compaction: RemoteCompaction) throws -> [SQLStatement] {
      var (statements, part) = ([] as [SQLStatement], Part())
      for (position, change) in compaction.changes {
        try part.add(change, at: position)
        if part.count == Self.chunk {
          statements.append(part.statement(schema, compaction))
          part = Part()
        }
      }
      if part.count > 0 { statements.append(part.statement(schema, compaction)) }
      return statements
    }

    /// The changes to a chunk of events, with an array per column.
    private struct Part {
      private(set) var count = 0
      private var (cut, positions): ([Int], [Int]) = ([], [])
      private var (sources, ids, types, tags): ([String], [String], [String], [String]) = ([], [], [], [])
      private var (schemas, fields): ([Int], [Int]) = ([], [])
      private var bodies: [String?] = []
      private var (owners, words): ([Int], [String]) = ([], [])
      private var (fieldOwners, places): ([Int], [Int]) = ([], [])
      private var (subjects, objects): ([String], [String?]) = ([], [])

      mutating func add(_ change: CompactionPlan.Change, at position: Position) throws {
        count += 1
        guard case .replaced(let event) = change else { return cut.append(position.rawValue) }
        guard let id = event.id else {
          throw EventStoreError(
            .invalidAppend, "the event that replaces event \(position) has no id. Give the new event an id")
        }
        let payload = try event.payload.map { try PersonalPayload(cutting: $0) }
        let sorted = event.tags.sorted().map(\.text)
        positions.append(position.rawValue)
        sources.append(id.source)
        ids.append(id.id)
        types.append(event.type)
        schemas.append(event.schema)
        tags.append(GroupSQL.words(sorted))
        bodies.append(payload?.payload)
        fields.append(payload?.fields.count ?? 0)
        words += sorted
        owners += sorted.map { _ in position.rawValue }
        for (place, field) in (payload?.fields ?? []).enumerated() {
          fieldOwners.append(position.rawValue)
          places.append(place)
          subjects.append(field.subject)
          objects.append(field.object)
        }
      }

      func statement(_ schema: String, _ compaction: RemoteCompaction) -> SQLStatement {
        let values = (1...18).map { "$\($0)" }.joined(separator: ", ")
        return SQLStatement(
          "SELECT \(schema).annals_rewrite(\(values))",
          [
            .text(compaction.id), .int(compaction.revision.erasures), .int(compaction.revision.compacted.count),
            .ints(cut), .ints(positions), .texts(sources), .texts(ids), .texts(types), .ints(schemas), .texts(tags),
            .texts(bodies), .ints(fields), .ints(owners), .texts(words), .ints(fieldOwners), .ints(places),
            .texts(subjects), .texts(objects),
          ])
      }
    }
  }
#endif
