#if Postgres
  import AnnalsLog
  import Annals
  import AnnalsRemote
  import Foundation

  /// A prepared append, with an identity and a time for every event.
  struct AppendSQL: Sendable {
    let append: Append
    let ids: [EventID]
    let times: [Int]
    /// The payloads, split into a permanent part and an erasable part.
    let cut: [PersonalPayload?]
    /// The streams whose versions are in the receipt, sorted by name.
    let streams: [StreamName]
    /// The expected versions by stream, without expectations that every stream meets.
    let expectations: [(stream: StreamName, version: ExpectedVersion)]
    /// True if the server can still find out whether the append was committed if its response was lost.
    ///
    /// The value is true if the store created the first event's identity, or if the append has a command id.
    let canBeSettled: Bool
    /// The approximate size of the append in bytes.
    let size: Int
    /// The number of columns of the server's function.
    static let columns = 8
    /// An append's place in a chain of commands' appends.
    enum Link {
      /// The append isn't part of a chain.
      case none
      /// After a version conflict, the command is re-decided on the events that caused the conflict.
      case first
      /// The append is refused unless the previous append of the same call was committed.
      case following
    }
    var link = Link.none

    /// Prepares an append.
    ///
    /// - Throws: `EventStoreError` if the append is invalid for any store.
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

    /// Converts the server's response to the append's receipt.
    ///
    /// - Parameters:
    ///   - rows: The rows of a ``GroupSQL``.
    ///   - row: The append's index in the group.
    /// - Returns: The receipt.
    /// - Throws: `EventStoreError` if the append wasn't committed.
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
        if expectation.version.isMet(by: number) { throw EventStoreError.decidedOnUncommitted(expectation.stream) }
        let conflict = EventStoreError.versionConflict(
          stream: expectation.stream, expected: expectation.version, found: number)
        guard link == .first, let events = rows.text(row, 4) else { throw conflict }
        throw EventsConflict(conflict) { try QuestionSQL.events(json: events) }
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
          "the server's function annals_write returned \"\(rows.text(row, 0) ?? "NULL")\", which this program doesn't "
            + "support; update the program")
      }
    }

    /// The number, counted from 1, of the first event with the same identity as an earlier event of the append.
    ///
    /// It's 0 if all identities differ.
    var firstTwice: Int {
      if ids.count < 2 { return 0 }
      var seen: Set<EventID> = []
      return (ids.firstIndex { !seen.insert($0).inserted } ?? -1) + 1
    }
  }

  /// A receipt in the server's format.
  ///
  /// Its columns are the position, the count, the transaction, the stream names, the streams' versions, the call for
  /// which the command id was used, and the call's digest.
  enum ReceiptRow {
    static let damaged = EventStoreError(
      .corrupt,
      "a command's receipt is damaged: a column is empty or can't be read; restore the database from a backup")

    static func receipt(_ rows: SQLRows, _ row: Int, from column: Int) throws -> Receipt {
      guard case .array(let names)? = try? JSONValue(parsing: rows.text(row, column + 3) ?? "") else { throw damaged }
      let streams = names.map { if case .string(let name) = $0 { StreamName(name) } else { StreamName("") } }
      guard let receipt = receipt(rows, row, from: column, of: streams) else { throw damaged }
      return receipt
    }

    /// Returns a receipt for streams that the caller knows, or `nil` if a column is damaged.
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
