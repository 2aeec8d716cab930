package import AnnalsLog

extension SQLiteEventStore {
  /// Returns the position of the last event of the last transaction with a label, or `nil` if no transaction has the
  /// label.
  ///
  /// A transaction's label is the member `transaction` of its events' metadata. Without this member, the label is the
  /// id of the transaction's first event. An export contains the same label.
  ///
  /// - Parameter label: The label to find.
  /// - Returns: The position of the transaction's last event.
  /// - Throws: ``EventStoreError``.
  /// - Complexity: O(log n) if the label is a prefix of an event's id. That's the case in logs that `git` imports
  ///   created, and for appends without a label. Otherwise O(n), because the log is scanned.
  package func position(ofTransactionLabel label: String) throws -> Position? {
    try ranges(ofTransactionLabel: label).last?.upperBound
  }

  /// Returns the positions of the transactions with a label, in the order of the log.
  ///
  /// - Parameters:
  ///   - label: The label or its prefix.
  ///   - isBeginning: True to match labels by prefix, for example to find a commit by its short hash.
  ///   - limit: The maximum number of transactions.
  /// - Returns: The positions of the first and the last event of every transaction.
  /// - Throws: ``EventStoreError``.
  package func ranges(
    ofTransactionLabel label: String, isBeginning: Bool = false, limit: Int = 10
  ) throws -> [ClosedRange<Position>] {
    if label.isEmpty { return [] }
    return try inOneState { connection in
      let search = LabelSearch(connection, label, isBeginning: isBeginning)
      var numbers = try search.byID(limit)
      if numbers.isEmpty { numbers = try search.byMetadata(limit) }
      return try numbers.sorted().compactMap { try Self.range(ofTransaction: $0, connection) }
    }
  }
}

/// A search for transactions by their label.
private struct LabelSearch {
  let connection: SQLiteConnection
  let label: String
  let isBeginning: Bool

  init(_ connection: SQLiteConnection, _ label: String, isBeginning: Bool) {
    self.connection = connection
    self.label = label
    self.isBeginning = isBeginning
  }

  /// Returns true if a label matches the search.
  private func isMeant(_ found: String) -> Bool {
    isBeginning ? found.utf8.starts(with: label.utf8) : ExactString(found) == ExactString(label)
  }

  /// Returns the transactions of events whose ids begin with the label, using the index of event identities.
  func byID(_ limit: Int) throws -> Set<Int> {
    var plain = Substring(label)
    while plain.hasSuffix("'") { plain = plain.dropLast() }
    let start = plain.isEmpty ? label : String(plain)
    var numbers: Set<Int> = []
    for source in try connection.ints("SELECT key FROM source") where numbers.count < limit {
      let texts = try connection.ints(
        "SELECT position FROM event WHERE source = ?1 AND id >= ?2 AND id < ?3 AND typeof(id) = 'text' "
          + "ORDER BY id LIMIT 1000"
      ) { find in
        try find.bind(1, source)
        try find.bind(2, start)
        // In the order of UTF-8, this string sorts after every string with the prefix.
        try find.bind(3, start + "\u{10FFFF}")
      }
      let others =
        try OrderedID.range(beginning: start).map {
          try EventIDs(connection).positions(in: $0, ofSource: source, limit: 1_000)
        } ?? []
      for position in texts + others where numbers.count < limit {
        if let number = try transaction(ofEventAt: position) { numbers.insert(number) }
      }
    }
    return numbers
  }

  /// Returns the number of an event's transaction if its label matches the search.
  private func transaction(ofEventAt position: Int64) throws -> Int? {
    let find = try connection.statement(
      "SELECT \"transaction\", id, \(EventReader(connection).metadataSQL) FROM event WHERE position = ?1")
    try find.bind(1, position)
    var (number, id, metadata) = (0, "", "{}")
    try find.run { (number, id, metadata) = (Int($0.int(0)), EventReader.id($0, 1) ?? "", $0.text(2) ?? "{}") }
    let found = try Self.ownLabel(metadata) ?? madeLabel(ofEventAt: position, id: id)
    return found.map(isMeant) ?? false ? number : nil
  }

  /// Returns the transactions of events whose metadata contain the label, by scanning the log.
  func byMetadata(_ limit: Int) throws -> Set<Int> {
    var numbers: Set<Int> = []
    let quoted = JSONValue.quoted(label)
    let find = try connection.ownStatement(
      """
      SELECT "transaction", text FROM
        (SELECT position, "transaction", \(EventReader(connection).metadataSQL) AS text FROM event
          WHERE metadata <> '{}')
      WHERE instr(text, ?1) > 0 OR instr(text, '\\') > 0 ORDER BY position
      """)
    // If only a prefix is known, the search string has no closing quotation mark.
    try find.bind(1, isBeginning ? String(quoted.dropLast()) : quoted)
    try find.runWhile { row in
      if let own = Self.ownLabel(row.text(1) ?? "{}"), isMeant(own) { numbers.insert(Int(row.int(0))) }
      return numbers.count < limit
    }
    return numbers
  }

  private static func ownLabel(_ metadata: String) -> String? {
    guard metadata != "{}", let members = try? Metadata(json: metadata) else { return nil }
    return members["transaction"]
  }

  /// Returns the label that an export derives from the id of a transaction's first event, or `nil` for any other event.
  private func madeLabel(ofEventAt position: Int64, id: String, depth: Int = 0) throws -> String? {
    let before = try connection.ownStatement(
      """
      SELECT position, id, \(EventReader(connection).metadataSQL),
        "transaction" = (SELECT "transaction" FROM event WHERE position = ?1)
      FROM event WHERE position < ?1 ORDER BY position DESC LIMIT 1
      """)
    try before.bind(1, position)
    var label: String? = id
    try before.run { row in
      if row.int(3) == 1 {
        label = nil
        return
      }
      var last = Self.ownLabel(row.text(2) ?? "{}")
      // Only a label of the same letters makes a different label necessary.
      if last == nil, depth < 100, let first = try self.firstEvent(ofTransactionAt: row.int(0)),
        Self.letters(first.id) == Self.letters(id)
      {
        last = try madeLabel(ofEventAt: first.position, id: first.id, depth: depth + 1)
      }
      var made = id
      if let last, ExactString(last) == ExactString(made) { made += "'" }
      label = made
    }
    return label
  }

  private static func letters(_ id: String) -> Substring {
    var letters = Substring(id)
    while letters.hasSuffix("'") { letters = letters.dropLast() }
    return letters
  }

  private func firstEvent(ofTransactionAt position: Int64) throws -> (position: Int64, id: String)? {
    guard let number = try SQLiteEventStore.transaction(at: position, connection),
      let first = try SQLiteEventStore.range(ofTransaction: number, connection)?.lowerBound
    else { return nil }
    let find = try connection.ownStatement("SELECT id FROM event WHERE position = ?1")
    try find.bind(1, first.rawValue)
    var found: String?
    try find.run { found = EventReader.id($0, 0) }
    return found.map { (Int64(first.rawValue), $0) }
  }
}
