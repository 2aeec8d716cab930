import AnnalsLog

/// The plan for an event query, with a branch for each way to find events: by tag, by stream, by category, or by
/// scanning the log.
///
/// Every branch returns events in the order of their positions and stops at the limit. So the cost depends on the size
/// of the result instead of the size of the log. Events with given tags or streams are found through B-trees. Only
/// alternatives without tags and streams scan the log. For a category, `EventReader` chooses between the two ways.
struct QueryPlan {
  private enum Value {
    case int(Int64)
    case text(String)
  }

  /// The values of a statement's parameters, in order.
  private struct Values {
    var list: [Value]

    mutating func place(_ value: Value) -> String {
      list.append(value)
      return "?\(list.count)"
    }

    mutating func condition(_ column: String, _ keys: [Int64]) -> String {
      if keys.isEmpty { return "" }
      return " AND \(column) IN (\(keys.map { place(.int($0)) }.joined(separator: ",")))"
    }

    /// Returns the condition for the name of a stream of a category, which is a range of the index of names.
    mutating func names(of category: String) -> String {
      // Names are compared by their bytes, and "." is the character after "-".
      "stream.name >= \(place(.text(category + "-"))) AND stream.name < \(place(.text(category + ".")))"
    }

    mutating func condition(_ categories: [String]) -> String {
      if categories.isEmpty { return "" }
      let names = categories.map { "(\(self.names(of: $0)))" }.joined(separator: " OR ")
      return " AND EXISTS (SELECT 1 FROM stream WHERE stream.key = event.stream AND (\(names)))"
    }
  }

  /// The way to find the events of a category.
  enum CategorySearch {
    /// Looks up the stream of every event between the two positions.
    case scan
    /// Finds the category's streams by their names, and reads the index of every stream.
    case streams
  }

  /// SQL that selects the columns of events.
  let events: String
  /// SQL that selects positions.
  let positions: String
  /// The version before the first requested event, in the stream that was planned last.
  private(set) var versionBefore: Int?
  private let values: [Value]

  /// Returns true for a query with more branches or more values than one statement should have.
  ///
  /// SQLite's own limit for branches is higher: see sqlite.org/limits.html, "compound SELECT".
  static func isTooWide(_ query: EventQuery) -> Bool {
    var branches = 0
    for alternative in query.alternatives ?? [] {
      branches += alternative.tags.isEmpty ? max(1, alternative.streams.count + alternative.categories.count) : 1
      let values =
        alternative.types.count + alternative.streams.count + 2 * alternative.categories.count + alternative.tags.count
      if branches > 100 || values > 500 { return true }
    }
    return false
  }

  /// Plans a query, or returns `nil` if no event can match.
  init?(
    _ query: EventQuery, after: Position, through: Position?, backwards: Bool = false,
    categories search: CategorySearch = .streams, _ connection: SQLiteConnection
  ) throws {
    let order = backwards ? " DESC" : ""
    var values = Values(list: [.int(Int64(after.rawValue)), .int(Int64(through?.rawValue ?? .max)), .int(0)])
    var branches: [String] = []
    var isAlongLog = false
    for alternative in query.alternatives ?? [.init()] {
      guard let alternative = alternative.reduced,
        let types = try Self.keys(alternative.types.sorted(), in: "type", connection),
        let streams = try Self.keys(alternative.streams.sorted().map(\.text), in: "stream", connection)
      else { continue }
      if let first = alternative.tags.min() {
        var branch = "SELECT event_tag.position AS place FROM event_tag"
        let categories = alternative.categories.sorted()
        if !types.isEmpty || !streams.isEmpty || !categories.isEmpty { branch += " CROSS JOIN event USING (position)" }
        branch += " WHERE tag = \(values.place(.text(first.text))) AND place > ?1 AND place <= ?2"
        for tag in alternative.tags.sorted().dropFirst() {
          branch +=
            " AND EXISTS (SELECT 1 FROM event_tag AS other WHERE other.tag = \(values.place(.text(tag.text)))"
            + " AND other.position = event_tag.position)"
        }
        branch += values.condition("event.type", types) + values.condition("event.stream", streams)
        branch += values.condition(categories)
        branches.append(branch + " ORDER BY place\(order) LIMIT ?3")
      } else if !streams.isEmpty {
        for stream in streams {
          // Within a stream, versions have the order of positions, and the stream's index contains versions.
          let first = after == 0 ? 0 : try Self.version(of: stream, at: after, connection)
          let last = try through.map { try Self.version(of: stream, at: $0, connection) }
          versionBefore = Int(first)
          branches.append(
            "SELECT position AS place FROM event WHERE stream = \(values.place(.int(stream)))"
              + " AND version > \(values.place(.int(first))) AND version <= \(values.place(.int(last ?? .max)))"
              + values.condition("type", types) + " ORDER BY version\(order) LIMIT ?3")
        }
      } else if !alternative.categories.isEmpty {
        let categories = alternative.categories.sorted()
        switch search {
        case .scan:
          branches.append(
            "SELECT position AS place FROM event WHERE position > ?1 AND position <= ?2"
              + values.condition("type", types) + values.condition(categories) + " ORDER BY position\(order) LIMIT ?3")
        case .streams:
          for category in categories {
            branches.append(
              "SELECT event.position AS place FROM stream CROSS JOIN event ON event.stream = stream.key"
                + " WHERE \(values.names(of: category)) AND event.position > ?1 AND event.position <= ?2"
                + values.condition("event.type", types) + " ORDER BY place\(order) LIMIT ?3")
          }
        }
      } else {
        isAlongLog = types.isEmpty && query.alternatives?.count ?? 1 == 1
        branches.append(
          "SELECT position AS place FROM event WHERE position > ?1 AND position <= ?2" + values.condition("type", types)
            + " ORDER BY position\(order) LIMIT ?3")
      }
    }
    if branches.isEmpty { return nil }
    self.values = values.list
    let union = branches.map { "SELECT place FROM (\($0))" }.joined(separator: " UNION ")
    positions = branches.count == 1 ? branches[0] : "\(union) ORDER BY place\(order) LIMIT ?3"
    let columns = EventReader.columns
    events =
      isAlongLog
      ? "SELECT \(columns) FROM event WHERE position > ?1 AND position <= ?2 ORDER BY position\(order) LIMIT ?3"
      : "SELECT \(columns) FROM (\(union)) AS found CROSS JOIN event ON event.position = found.place"
        + " ORDER BY found.place\(order) LIMIT ?3"
  }

  /// Binds the values to the parameters of `events` or `positions`.
  func bind(to statement: SQLiteStatement, limit: Int) throws {
    for (index, value) in values.enumerated() {
      switch value {
      case .int(let value): try statement.bind(Int32(index + 1), index == 2 ? Int64(limit) : value)
      case .text(let value): try statement.bind(Int32(index + 1), value)
      }
    }
  }

  /// Returns the keys of some names, or `nil` if the log contains none of the names, so that no event can match.
  private static func keys(
    _ names: [String], in table: String, _ connection: SQLiteConnection
  ) throws -> [Int64]? {
    if names.isEmpty { return [] }
    let find = try connection.statement("SELECT key FROM \(table) WHERE name = ?1")
    var keys: [Int64] = []
    for name in names {
      try find.bind(1, name)
      if let key = try find.firstInt() { keys.append(key) }
    }
    return keys.isEmpty ? nil : keys
  }

  /// Returns a stream's version at a position by binary search, or 0 if the stream has no events up to the position.
  static func version(of stream: Int64, at position: Position, _ connection: SQLiteConnection) throws -> Int64 {
    let last = try connection.statement("SELECT max(version) FROM event WHERE stream = ?1")
    try last.bind(1, stream)
    // A compaction might have removed the event in the middle. In that case, the next event gives the same result.
    let find = try connection.statement(
      "SELECT version, position FROM event WHERE stream = ?1 AND version >= ?2 ORDER BY version LIMIT 1")
    var low = 0 as Int64
    var high = Int64(try LogNumber.checked(last.firstInt() ?? 0, "a stream's version", in: connection.path))
    while low < high {
      let middle = low + (high - low + 1) / 2
      try find.bind(1, stream)
      try find.bind(2, middle)
      var found: Int64?
      try find.run { row in if row.int(1) <= position.rawValue { found = row.int(0) } }
      if let found {
        // A damaged index can return unrequested rows, and then the binary search would not end.
        guard found >= middle, found <= LogNumber.most else {
          throw EventStoreError(
            .corrupt,
            "\(connection.path): the log is damaged: expected a stream version from \(middle) to \(LogNumber.most) in "
              + "the index of stream versions, found \(found). Restore the log from a copy")
        }
        low = found
      } else {
        high = middle - 1
      }
    }
    return low
  }
}
