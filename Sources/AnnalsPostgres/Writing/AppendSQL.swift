#if Postgres
  import Annals
  import Foundation

  /// An append as it is sent: with identities and times for all events.
  struct AppendSQL: Sendable {
    let append: Append
    let ids: [EventID]
    let times: [Int]
    /// The payloads, cut into what every event keeps and what an erasure may take away.
    let cut: [PersonalPayload?]
    /// The streams that the receipt tells of, by name.
    let streams: [StreamName]
    /// What is expected, by stream; without what holds for each stream.
    let expectations: [(stream: StreamName, version: ExpectedVersion)]
    /// True if the store made the first event's identity, or a command's id says what was committed.
    let canBeSettled: Bool
    /// About how many bytes it has.
    let size: Int

    /// Prepares an append.
    ///
    /// - Throws: `EventStoreError` if it is none that a store can keep.
    init(_ append: Append, source: String, _ environment: StoreEnvironment) throws {
      try append.validate()
      cut = try append.cutPersonalFields()
      self.append = append
      ids = append.entries.map { $0.event.id ?? EventID(source: source, id: environment.makeID()) }
      times = append.entries.map { Int(($0.event.time ?? environment.now()).microseconds) }
      streams = Set(append.entries.map(\.stream)).union(append.expectations.keys).sorted()
      expectations = append.expectations.filter { $0.value != .any }.sorted { $0.key < $1.key }
        .map { ($0.key, $0.value) }
      canBeSettled = append.commandID != nil || append.entries.first.map { $0.event.id == nil } ?? true
      size = append.entries.reduce(256) { $0 + 256 + ($1.event.payload?.utf8.count ?? 0) }
    }

    /// What the server answered.
    ///
    /// - Parameters:
    ///   - rows: The rows of a ``GroupSQL``.
    ///   - row: The append's place in the group.
    /// - Returns: The receipt.
    /// - Throws: `EventStoreError`, and then nothing was added.
    func receipt(_ rows: SQLRows, _ row: Int) throws -> Receipt {
      let (item, number) = (rows.int(row, 1) ?? 0, rows.int(row, 2) ?? 0)
      switch rows.text(row, 0) {
      case "done":
        guard let receipt = ReceiptRow.receipt(rows, row, from: 1, of: streams) else { throw ReceiptRow.damaged }
        return receipt
      case "settled": return try ReceiptRow.receipt(rows, row, from: 1)
      case "again":
        let first = try ReceiptRow.receipt(rows, row, from: 1)
        return try append.repeated { _ in first } ?? first
      case "rewritten": throw EventStoreError.decidedBeforeRewriting
      case "version" where expectations.indices.contains(item - 1):
        let expectation = expectations[item - 1]
        throw EventStoreError.versionConflict(
          stream: expectation.stream, expected: expectation.version, found: number)
      case "condition" where append.conditions.indices.contains(item - 1):
        throw EventStoreError.conditionConflict(after: append.conditions[item - 1].after, found: Position(number))
      case "compacted" where append.conditions.indices.contains(item - 1):
        throw EventStoreError.conditionConflict(
          after: append.conditions[item - 1].after, compactedThrough: Position(number))
      case "duplicate" where ids.indices.contains(item - 1):
        throw EventStoreError.duplicateEvent(ids[item - 1], at: Position(number))
      default:
        throw EventStoreError(
          .notALog,
          "the server's function annals_write answered \"\(rows.text(row, 0) ?? "nothing")\", which this program does "
            + "not know; update the program")
      }
    }

    /// The place, from 1, of the first event whose identity an event before it has; 0 if there is none.
    var firstTwice: Int {
      if ids.count < 2 { return 0 }
      var seen: Set<EventID> = []
      return (ids.firstIndex { !seen.insert($0).inserted } ?? -1) + 1
    }
  }

  /// A receipt as the server keeps it: position, count, transaction, the names of streams, their versions, the call,
  /// its digest.
  enum ReceiptRow {
    static let damaged = EventStoreError(
      .corrupt, "a command's receipt is damaged: a column is empty or cannot be read; restore the database")

    static func receipt(_ rows: SQLRows, _ row: Int, from column: Int) throws -> Receipt {
      guard case .array(let names)? = try? JSONValue(parsing: rows.text(row, column + 3) ?? "") else { throw damaged }
      let streams = names.map { if case .string(let name) = $0 { StreamName(name) } else { StreamName("") } }
      guard let receipt = receipt(rows, row, from: column, of: streams) else { throw damaged }
      return receipt
    }

    /// A receipt whose streams are known; nil if it is damaged.
    static func receipt(_ rows: SQLRows, _ row: Int, from column: Int, of streams: [StreamName]) -> Receipt? {
      let versions = (rows.text(row, column + 4) ?? "").split(separator: ",").compactMap { Int($0) }
      guard let position = rows.int(row, column), let count = rows.int(row, column + 1),
        streams.count == versions.count
      else { return nil }
      return Receipt(
        position: Position(position), count: count, transaction: rows.int(row, column + 2),
        versions: Dictionary(zip(streams, versions)) { $1 },
        use: rows.text(row, column + 5).map { CommandUse(call: $0, digest: rows.text(row, column + 6)) })
    }
  }
#endif
