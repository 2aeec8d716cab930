import AnnalsLog
import Foundation

/// A reader of events through a connection, which verifies every event's checksum.
struct EventReader {
  let connection: SQLiteConnection

  init(_ connection: SQLiteConnection) {
    self.connection = connection
  }

  /// Returns the last event's position.
  ///
  /// The log stores this position in two places, because the last events might be hidden by a damaged page.
  func head() throws -> Position {
    var (last, counted) = (0 as Int64, 0 as Int64)
    try connection.statement(
      "SELECT (SELECT max(position) FROM event), (SELECT seq FROM sqlite_sequence WHERE name = 'event')"
    ).run { (last, counted) = ($0.int(0), $0.int(1)) }
    // A compaction might have removed the last events.
    guard last >= 0, counted <= LogNumber.most,
      try last == counted || last < counted && CompactionTables(connection).hasCut(last + 1...counted)
    else {
      throw EventStoreError(
        .corrupt,
        "\(connection.path): the log is damaged: the log's last event must be at position \(counted), but is at "
          + "position \(last). Restore the log from a copy")
    }
    return Position(Int(counted))
  }

  func version(of stream: StreamName) throws -> Int {
    let find = try connection.statement("SELECT key FROM stream WHERE name = ?1")
    try find.bind(1, stream.text)
    return try find.firstInt().map { try version(of: $0) } ?? 0
  }

  /// Returns the version of the stream that has the given key.
  func version(of stream: Int64) throws -> Int {
    let last = try connection.statement("SELECT max(version) FROM event WHERE stream = ?1")
    try last.bind(1, stream)
    let found = try LogNumber.checked(last.firstInt() ?? 0, "a stream's version", in: connection.path)
    return max(found, try CompactionTables(connection).version(ofCut: stream))
  }

  func position(of id: EventID) throws -> Position? {
    let source = try connection.statement("SELECT key FROM source WHERE name = ?1")
    try source.bind(1, id.source)
    if let key = try source.firstInt(), let found = try EventIDs(connection).position(of: id.id, ofSource: key) {
      return try position(found)
    }
    return try CompactionTables(connection).position(ofCut: id)
  }

  private func position(_ number: Int64) throws -> Position {
    Position(try LogNumber.checked(number, "a position", in: connection.path))
  }

  /// Returns the position of the first event that matches a query, or `nil` if no event does.
  func first(_ query: EventQuery, after: Position) throws -> Position? {
    if let types = query.onlyTypes {
      return try events(ofTypes: types, after: after, through: nil, limit: 1).first?.position
    }
    if QueryPlan.isTooWide(query) {
      return try filtered(query, after: after, through: nil, limit: 1, backwards: false).first?.position
    }
    if query.hasCategories { return try events(query, after: after, through: nil, limit: 1).first?.position }
    guard let plan = try QueryPlan(query, after: after, through: nil, connection) else { return nil }
    let find = try connection.statement(plan.positions)
    try plan.bind(to: find, limit: 1)
    return try find.firstInt().map { try position($0) }
  }

  /// Returns up to `limit` events that match a query, newest first if `backwards` is true.
  func events(
    _ query: EventQuery, after: Position, through: Position?, limit: Int, backwards: Bool = false
  ) throws -> [StoredEvent] {
    if after == 0, through == nil, !backwards, let stream = query.onlyStream { return try beginning(of: stream, limit) }
    if !backwards, let types = query.onlyTypes {
      return try events(ofTypes: types, after: after, through: through, limit: limit)
    }
    if QueryPlan.isTooWide(query) {
      return try filtered(query, after: after, through: through, limit: limit, backwards: backwards)
    }
    if query.hasCategories {
      return try eventsOfCategories(query, after: after, through: through, limit: limit, backwards: backwards)
    }
    return try planned(query, after: after, through: through, limit: limit, backwards: backwards, .streams)
  }

  /// The number of positions that a query for categories always scans.
  static let scanned = 4_096

  /// Returns the events of a query for categories.
  ///
  /// A follower mostly reads the newest events, so the next positions are scanned first. If they contain few events of
  /// the category, the streams of the category are found by their names. But this reads the index entries of all events
  /// of the category, for every page. So before that, the scan continues for a number of positions that equals the
  /// number of the category's events. In total, a query reads a number of rows in proportion to the events of the
  /// category, but never the whole log.
  private func eventsOfCategories(
    _ query: EventQuery, after: Position, through: Position?, limit: Int, backwards: Bool
  ) throws -> [StoredEvent] {
    let head = try head().rawValue
    var (first, last) = (after.rawValue, min(through?.rawValue ?? head, head))
    var found: [StoredEvent] = []
    func add(_ count: Int, _ search: QueryPlan.CategorySearch) throws {
      let count = min(count, last - first)
      guard count > 0, found.count < limit else { return }
      let range = backwards ? last - count...last : first...first + count
      found += try planned(
        query, after: Position(range.lowerBound), through: Position(range.upperBound), limit: limit - found.count,
        backwards: backwards, search)
      if backwards { last = range.lowerBound } else { first = range.upperBound }
    }
    try add(max(Self.scanned, 8 * min(limit, Self.scanned)), .scan)
    guard first < last, found.count < limit else { return found }
    let count = try eventCount(ofCategories: query)
    if limit < count { try add(count, .scan) }
    try add(.max, .streams)
    return found
  }

  /// Returns the number of events of a query's categories, including events that a compaction removed.
  private func eventCount(ofCategories query: EventQuery) throws -> Int {
    let categories = Set((query.alternatives ?? []).flatMap(\.categories).map(ExactString.init))
    let find = try connection.statement(
      "SELECT CAST(min(total((SELECT max(version) FROM event WHERE stream = stream.key)), 1e15) AS INTEGER)"
        + " FROM stream WHERE stream.name >= ?1 AND stream.name < ?2")
    var count = 0
    for category in categories {
      try find.bind(1, category.text + "-")
      try find.bind(2, category.text + ".")
      count += Int(max(0, try find.firstInt() ?? 0))
    }
    return count
  }

  private func planned(
    _ query: EventQuery, after: Position, through: Position?, limit: Int, backwards: Bool,
    _ search: QueryPlan.CategorySearch
  ) throws -> [StoredEvent] {
    let plan = try QueryPlan(
      query, after: after, through: through, backwards: backwards, categories: search, connection)
    guard let plan else { return [] }
    let names = NameCache(connection)
    let find = try connection.statement(plan.events)
    guard query.alternatives != nil else {
      return try all(find, plan, after: after, through: through, limit: limit, backwards: backwards)
    }
    try plan.bind(to: find, limit: limit)
    var events: [StoredEvent] = []
    var (first, last) = (after.rawValue, through?.rawValue ?? .max)
    var version = query.onlyStream == nil || backwards ? nil : plan.versionBefore
    try find.run { row in
      let event = try event(row, names)
      guard query.matches(event) else {
        throw damaged(
          event.position, "an index lists the event under a tag, a stream or a type that the event doesn't have")
      }
      // A reader of several pages continues after the last event, so a wrong position could make it loop forever.
      let place = event.position.rawValue
      guard first < place, place <= last else {
        throw damaged(
          event.position,
          "an index lists the event among events \(first + 1) to \(last), but the event's position is outside this "
            + "range")
      }
      if let before = version {
        try checkVersion(of: event, after: (before, Position(first)))
        version = event.version
      }
      if backwards { last = place - 1 } else { first = place }
      events.append(event)
    }
    return events
  }

  /// Returns the first events of a stream, using a statement that is prepared once because every command needs it.
  func beginning(of stream: StreamName, _ limit: Int) throws -> [StoredEvent] {
    let find = try connection.statement(.streamBeginning, Self.beginning)
    try find.bind(1, stream.text)
    try find.bind(2, limit)
    var events: [StoredEvent] = []
    let names = NameCache(connection)
    try find.run { row in
      if events.isEmpty { names.keep(stream.text, of: row.int(2), in: .stream) }
      let event = try event(row, names)
      try checkVersion(of: event, after: events.last.map { ($0.version, $0.position) })
      events.append(event)
    }
    return events
  }

  /// Throws if an event is not the next event of its stream, unless a compaction removed the events in between.
  private func checkVersion(of event: StoredEvent, after last: (version: Int, position: Position)?) throws {
    let expected = (last?.version ?? 0) + 1
    guard try event.version == expected || isCut(before: event.version, after: last) else {
      throw damaged(
        event.position, "expected version \(expected) of the event's stream, found version \(event.version)")
    }
  }

  private static let beginning =
    "SELECT \(columns) FROM event WHERE stream = (SELECT key FROM stream WHERE name = ?1) ORDER BY version LIMIT ?2"

  /// Returns the events that match a query by scanning the log, for a query with too many alternatives for one
  /// statement.
  private func filtered(
    _ query: EventQuery, after: Position, through: Position?, limit: Int, backwards: Bool
  ) throws -> [StoredEvent] {
    var found: [StoredEvent] = []
    var (first, last) = (after, through)
    while found.count < limit {
      let page = try events(.all, after: first, through: last, limit: 512, backwards: backwards)
      found += page.lazy.filter(query.matches).prefix(limit - found.count)
      guard page.count == 512, let end = page.last?.position else { break }
      if backwards { last = Position(end.rawValue - 1) } else { first = end }
    }
    return found
  }

  /// Converts a row with the columns of `columns` to an event.
  func event(_ row: SQLiteRow, _ names: NameCache) throws -> StoredEvent {
    let place = row.int(0)
    func damaged(_ what: String) -> EventStoreError { self.damaged(place, what) }
    guard let id = Self.id(row, 7), let tagText = row.text(9), let metadataText = try metadataText(row, 11) else {
      throw damaged("a text column contains a value that isn't text")
    }
    guard LogNumber.isPlace(place), LogNumber.isPlace(row.int(1)), LogNumber.isPlace(row.int(3)) else {
      throw damaged(
        "expected a position, a transaction and a version from 1 to \(LogNumber.most), found \(place), \(row.int(1)) "
          + "and \(row.int(3))")
    }
    guard let stream = try names.name(row.int(2), in: .stream), let type = try names.name(row.int(4), in: .type),
      let source = try names.name(row.int(6), in: .source)
    else { throw damaged("the name of the event's stream, type or source is missing") }
    let payload = row.text(10)
    let checksum = EventChecksum.of(
      position: Int(place), transaction: Int(row.int(1)), stream: stream, version: Int(row.int(3)), type: type,
      schema: Int(row.int(5)), source: source, id: id, time: row.int(8), tagText: tagText, payload: payload,
      metadataText: metadataText)
    // This check is before the comparison of checksums. Invalid UTF-8 is replaced when strings are read, so the
    // strings' checksum would not match.
    try checkTexts(row, at: place)
    guard Int64(checksum) == row.int(12) else { throw damaged("the event's checksum doesn't match its data") }
    var tags: Set<EventTag> = []
    if tagText != "[]" {
      guard case .array(let words)? = try? JSONValue(parsing: tagText) else {
        throw damaged("the event's tags aren't JSON")
      }
      tags = Set(words.compactMap { if case .string(let text) = $0 { EventTag(text) } else { nil } })
    }
    var metadata: Metadata = [:]
    if metadataText != "{}" {
      guard let members = try? Metadata(json: metadataText) else { throw damaged("the event's metadata isn't JSON") }
      metadata = members
    }
    // The personal values of the event are stored separately.
    let whole = try payload.map { payload in
      PersonalPayload.mayHaveFields(payload)
        ? try PersonalTables(connection).joined(payload, at: place, damaged) : payload
    }
    return StoredEvent(
      position: Position(Int(place)), transaction: Int(row.int(1)), stream: StreamName(stream),
      version: Int(row.int(3)), id: EventID(source: source, id: id), type: type, schema: Int(row.int(5)),
      time: Date(microseconds: row.int(8)), tags: tags, payload: whole, metadata: metadata)
  }

  func damaged(_ position: Position, _ what: String) -> EventStoreError { damaged(Int64(position.rawValue), what) }

  func damaged(_ position: Int64, _ what: String) -> EventStoreError {
    EventStoreError(.corrupt, "\(connection.path): event \(position) is damaged: \(what); restore the log from a copy")
  }

  /// The SQL columns that `event(_:_:)` converts to an event.
  static let columns = """
    event.position, event."transaction", event.stream, event.version, event.type, event.schema, event.source, event.id,
    event.time, event.tags, event.payload, event.metadata, event.checksum
    """
}

extension EventQuery {
  /// The stream that the query selects, if this is its only condition.
  var onlyStream: StreamName? {
    guard let alternatives, alternatives.count == 1, let one = alternatives.first, one.streams.count == 1,
      one.categories.isEmpty, one.types.isEmpty, one.tags.isEmpty
    else { return nil }
    return one.streams.first
  }

  /// True if the query selects categories, and not only among the events of tags or streams.
  var hasCategories: Bool {
    alternatives?.contains { !$0.categories.isEmpty && $0.streams.isEmpty && $0.tags.isEmpty } ?? false
  }

  /// The types that the query selects, if they are its only condition.
  var onlyTypes: [String]? {
    guard let alternatives, !alternatives.isEmpty,
      alternatives.allSatisfy({
        !$0.types.isEmpty && $0.streams.isEmpty && $0.categories.isEmpty && $0.tags.isEmpty
      })
    else { return nil }
    return alternatives.flatMap { Array($0.types) }
  }
}
