#if Postgres
  import AnnalsRemote
  import AnnalsLog
  import Annals
  import Foundation

  /// The statements for a ``LogQuery``, and the conversion of their rows.
  struct QuestionSQL {
    /// Returns the selected columns, including the personal values of events that have personal fields.
    static func columns(_ schema: String) -> String {
      """
      position, transaction, stream, version, source, id, type, schema, time, tags, body, metadata, personal,
      CASE WHEN personal > 0 THEN (
        SELECT json_agg(json_build_array(p.place, p.subject, p.object, p.erasure))::text
        FROM \(schema).annals_personal p WHERE p.position = e.position) END
      """
    }

    let schema: String
    private(set) var statements: [SQLStatement] = []
    /// A closure that converts the rows of the statements.
    private(set) var answer: ([SQLRows]) throws -> LogResult

    init(_ question: LogQuery, _ schema: String) {
      self.schema = schema
      switch question {
      case .version(let stream):
        statements = [Self.version(stream, schema)]
        answer = { .version($0[0].int(0, 0) ?? 0) }
      case .position(let id):
        statements = [
          SQLStatement(
            """
            SELECT position FROM \(schema).annals_event WHERE id = $1 AND source = $2
              UNION ALL SELECT f.position FROM \(schema).annals_former f, \(schema).annals_log l
                WHERE f.id = $1 AND coalesce(f.source, l.source) = $2
            """,
            [.text(id.id), .text(id.source)])
        ]
        answer = { rows in .position(rows[0].count > 0 ? rows[0].int(0, 0).map { Position($0) } : nil) }
      case .events(let query, let after, let through, let limit):
        statements = [Self.select(query, after, through, limit, schema, isBackwards: false)]
        answer = { .events(try Self.events($0[0])) }
      case .eventsBackwards(let query, let after, let through, let limit):
        statements = [Self.select(query, after, through, limit, schema, isBackwards: true)]
        answer = { .events(try Self.events($0[0])) }
      case .stream(let stream, let after):
        statements = [
          Self.version(stream, schema),
          Self.select(.stream(stream), after, nil, .max, schema, isBackwards: false),
        ]
        answer = { rows in
          .stream(
            StreamTail(version: rows[0].int(0, 0) ?? 0, revision: .original, events: try Self.events(rows[1])))
        }
      case .receipt(let commandID):
        statements = [
          SQLStatement(
            """
            SELECT position, count, transaction, streams, versions, call, digest
              FROM \(schema).annals_command WHERE id = $1
            """, [.text(commandID)])
        ]
        answer = { rows in .receipt(rows[0].count > 0 ? try ReceiptRow.receipt(rows[0], 0, from: 0) : nil) }
      }
      // A string with a NUL isn't a valid string for the server, so no row can match it.
      if Self.hasNUL(question) {
        statements = []
        answer = { _ in Self.nothing(question) }
      }
    }

    private static func version(_ stream: StreamName, _ schema: String) -> SQLStatement {
      SQLStatement(
        "SELECT coalesce((SELECT version FROM \(schema).annals_stream WHERE stream = $1), 0)", [.text(stream.text)])
    }

    private static func hasNUL(_ question: LogQuery) -> Bool {
      func has(_ text: String) -> Bool { text.utf8.contains(0) }
      return switch question {
      case .version(let stream), .stream(let stream, _): has(stream.text)
      case .position(let id): has(id.id) || has(id.source)
      case .receipt(let commandID): has(commandID)
      case .events, .eventsBackwards: false
      }
    }

    private static func nothing(_ question: LogQuery) -> LogResult {
      switch question {
      case .version: .version(0)
      case .position: .position(nil)
      case .receipt: .receipt(nil)
      case .events, .eventsBackwards: .events([])
      case .stream: .stream(StreamTail(version: 0, revision: .original, events: []))
      }
    }

    private static func select(
      _ query: EventQuery, _ after: Position, _ through: Position?, _ limit: Int, _ schema: String, isBackwards: Bool
    ) -> SQLStatement {
      let order = isBackwards ? "DESC" : "ASC"
      var values: [SQLValue] = [.int(after.rawValue), .int(through?.rawValue ?? .max), .int(limit)]
      func ends(_ table: String) -> String { "\(table).position > $1 AND \(table).position <= $2" }
      let from = "SELECT \(columns(schema)) FROM \(schema).annals_event e"
      guard let alternatives = SQLAlternative.all(of: query) else {
        return SQLStatement("\(from) WHERE \(ends("e")) ORDER BY position \(order) LIMIT $3", values)
      }
      if alternatives.isEmpty {
        return SQLStatement("\(from) WHERE position > $1 AND position <= $2 AND false LIMIT $3", values)
      }
      let parts = alternatives.map { alternative in
        func value(_ words: [String]) -> String {
          values.append(.texts(words))
          return "$\(values.count)"
        }
        var tests = [ends("e")]
        if !alternative.streams.isEmpty { tests.append("e.stream = ANY (\(value(alternative.streams)))") }
        if !alternative.categories.isEmpty {
          let ranges = alternative.categories.map { category in
            values += [.text(category + "-"), .text(category + ".")]
            return "(e.stream >= $\(values.count - 1) AND e.stream < $\(values.count))"
          }
          tests.append("(\(ranges.joined(separator: " OR ")))")
        }
        if !alternative.types.isEmpty { tests.append("e.type = ANY (\(value(alternative.types)))") }
        for tag in alternative.tags {
          values.append(.text(tag))
          tests.append(
            "EXISTS (SELECT 1 FROM \(schema).annals_tag t WHERE t.tag = $\(values.count) "
              + "AND t.position = e.position AND \(ends("t")))")
        }
        return "(SELECT e.position FROM \(schema).annals_event e WHERE \(tests.joined(separator: " AND ")) "
          + "ORDER BY e.position \(order) LIMIT $3)"
      }
      return SQLStatement(
        "\(from) WHERE position IN (\(parts.joined(separator: " UNION "))) ORDER BY position \(order) LIMIT $3",
        values)
    }

    private static func events(_ rows: SQLRows) throws -> [StoredEvent] {
      try (0..<rows.count).map { row in try event { rows.text(row, $0) } }
    }

    /// Converts an array of rows in JSON, as in the response to a refused append.
    static func events(json: String) throws -> [StoredEvent] {
      guard case .array(let rows)? = try? JSONValue(parsing: json) else {
        throw EventStoreError.damagedEvent(nil, "its row isn't JSON")
      }
      return try rows.map { row in
        guard case .array(let values) = row else { throw EventStoreError.damagedEvent(nil, "its row isn't an array") }
        let texts = values.map { value -> String? in
          switch value {
          case .string(let text): text
          case .number(let number): number.text
          default: nil
          }
        }
        return try event { $0 < texts.count ? texts[$0] : nil }
      }
    }

    private static func event(_ text: (Int) -> String?) throws -> StoredEvent {
      func int(_ column: Int) -> Int? { text(column).flatMap(Int.init) }
      guard let position = int(0), let transaction = int(1), let stream = text(2), let version = int(3),
        let source = text(4), let id = text(5), let type = text(6), let schema = int(7), let time = int(8),
        let tags = EventBatch.tags(text(9)), let metadata = EventBatch.metadata(text(11)), let fields = int(12)
      else {
        throw EventStoreError.damagedEvent(text(0), "a column is empty or can't be read")
      }
      let payload = try PersonalSQL.joined(text(10), fields, text(13)) {
        EventStoreError.damagedEvent("\(position)", $0)
      }
      return StoredEvent(
        position: Position(position), transaction: transaction, stream: StreamName(stream), version: version,
        id: EventID(source: source, id: id), type: type, schema: schema,
        time: Date(microseconds: Int64(time)), tags: tags, payload: payload, metadata: metadata)
    }
  }

  extension EventStoreError {
    /// Creates the error for an event that differs from the appended event.
    fileprivate static func damagedEvent(_ position: String?, _ what: String) -> EventStoreError {
      EventStoreError(
        .corrupt,
        "\(position.map { "event \($0)" } ?? "an event without a position") is damaged: \(what); restore the database "
          + "from a backup")
    }
  }

  /// An alternative of an event query, without the parts that can't match any event.
  struct SQLAlternative {
    let streams: [String]
    let categories: [String]
    let types: [String]
    let tags: [String]

    /// Returns the alternatives that can match an event, or `nil` for all events.
    static func all(of query: EventQuery) -> [SQLAlternative]? {
      query.alternatives?.compactMap(\.reduced).compactMap { alternative in
        func plain(_ words: [String]) -> [String] { words.filter { !$0.utf8.contains(0) }.sorted() }
        let (streams, types, tags) = (
          plain(alternative.streams.map(\.text)), plain(Array(alternative.types)), plain(alternative.tags.map(\.text))
        )
        let categories = plain(Array(alternative.categories))
        // No row contains a string with a NUL.
        if streams.isEmpty != alternative.streams.isEmpty || types.isEmpty != alternative.types.isEmpty
          || categories.isEmpty != alternative.categories.isEmpty
        {
          return nil
        }
        return tags.count == alternative.tags.count
          ? SQLAlternative(streams: streams, categories: categories, types: types, tags: tags) : nil
      }
    }
  }
#endif
