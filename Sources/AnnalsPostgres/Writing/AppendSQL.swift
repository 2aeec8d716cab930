#if Postgres
  import Annals
  import Foundation

  /// An append as it is sent: with identities and times for all events.
  struct AppendSQL: Sendable {
    private let append: Append
    private let ids: [EventID]
    private let times: [Int]
    /// The payloads, cut into what every event keeps and what an erasure may take away.
    private let cut: [PersonalPayload?]
    /// The streams that the receipt tells of, by name.
    private let streams: [StreamName]
    private let expectations: [(stream: StreamName, version: ExpectedVersion)]
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
      expectations = append.expectations.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
      canBeSettled = append.commandID != nil || append.entries.first.map { $0.event.id == nil } ?? true
      size = append.entries.reduce(256) { $0 + 256 + ($1.event.payload?.utf8.count ?? 0) }
    }

    /// The call of the server's function.
    ///
    /// - Parameters:
    ///   - schema: The schema, quoted.
    ///   - durability: What the commit is to survive.
    ///   - isAgain: True if it was sent before, and may have been committed.
    /// - Returns: The statement, which answers one row.
    func statement(_ schema: String, _ durability: Durability, isAgain: Bool) -> SQLStatement {
      let entries = append.entries
      var (words, owners): ([String], [Int]) = ([], [])
      for (index, entry) in entries.enumerated() {
        for tag in entry.event.tags.sorted() {
          words.append(tag.text)
          owners.append(index + 1)
        }
      }
      let fields = cut.enumerated().flatMap { index, cut in
        (cut?.fields ?? []).enumerated().map { (owner: index + 1, place: $0.offset, field: $0.element) }
      }
      let alternatives = append.conditions.map { condition -> String in
        guard let found = SQLAlternative.all(of: condition.noneMatching) else { return "[[[],[],[]]]" }
        return Self.list(
          found.map { Self.list([Self.words($0.streams), Self.words($0.types), Self.words($0.tags)]) })
      }
      let values: [SQLValue] = [
        .text(durability.synchronousCommit), append.commandID.map { .text($0) } ?? .null, .bool(isAgain),
        .texts(expectations.map(\.stream.text)),
        .ints(expectations.map { Self.number($0.version) }),
        .ints(append.conditions.map(\.after.rawValue)), .text(Self.list(alternatives)),
        .texts(entries.map(\.stream.text)), .texts(ids.map(\.source)), .texts(ids.map(\.id)),
        .texts(entries.map(\.event.type)), .ints(entries.map(\.event.schema)), .ints(times),
        .texts(entries.map { Self.words($0.event.tags.sorted().map(\.text)) }),
        .texts(cut.map { $0?.payload }), .texts(entries.map(\.event.metadata.json)), .int(firstTwice),
        .texts(words), .ints(owners), .texts(streams.map(\.text)), .text(Self.words(streams.map(\.text))),
        .int(append.revision?.erasures ?? -1), .ints(cut.map { $0?.fields.count ?? 0 }),
        .ints(fields.map(\.owner)), .ints(fields.map(\.place)), .texts(fields.map(\.field.subject)),
        .texts(fields.map(\.field.object)),
      ]
      let places = (1...values.count).map { "$\($0)" }.joined(separator: ", ")
      return SQLStatement("SELECT * FROM \(schema).annals_append(\(places))", values)
    }

    /// What the server answered.
    ///
    /// - Parameter rows: The row of ``statement(_:_:isAgain:)``.
    /// - Returns: The receipt.
    /// - Throws: `EventStoreError`, and then nothing was added.
    func receipt(_ rows: SQLRows) throws -> Receipt {
      let (item, number) = (rows.int(0, 1) ?? 0, rows.int(0, 2) ?? 0)
      switch rows.text(0, 0) {
      case "done", "settled": return try ReceiptRow.receipt(rows, 0, from: 1)
      case "again": return try ReceiptRow.receipt(rows, 0, from: 1).repeated()
      case "rewritten": throw EventStoreError.decidedBeforeRewriting
      case "version" where expectations.indices.contains(item - 1):
        let expectation = expectations[item - 1]
        throw EventStoreError.versionConflict(
          stream: expectation.stream, expected: expectation.version, found: number)
      case "condition" where append.conditions.indices.contains(item - 1):
        throw EventStoreError.conditionConflict(after: append.conditions[item - 1].after, found: Position(number))
      case "duplicate" where ids.indices.contains(item - 1):
        throw EventStoreError.duplicateEvent(ids[item - 1], at: Position(number))
      default:
        throw EventStoreError(
          .notALog,
          "the server's function annals_append answered \"\(rows.text(0, 0) ?? "nothing")\", which this program does "
            + "not know; update the program")
      }
    }

    /// The place, from 1, of the first event whose identity an event before it has; 0 if there is none.
    private var firstTwice: Int {
      var seen: Set<EventID> = []
      return (ids.firstIndex { !seen.insert($0).inserted } ?? -1) + 1
    }

    /// An expectation as a number: a version, -1 for an existing stream, -2 for any.
    private static func number(_ expected: ExpectedVersion) -> Int {
      switch expected {
      case .any: -2
      case .exists: -1
      case .doesNotExist: 0
      // No stream has a negative version, and none has so many events.
      case .exact(let version): version < 0 ? .max : version
      }
    }

    private static func list(_ parts: [String]) -> String { "[" + parts.joined(separator: ",") + "]" }
    private static func words(_ words: [String]) -> String { list(words.map { JSONValue.quoted($0) }) }
  }

  /// A receipt as the server keeps it: position, count, transaction, the names of streams, their versions.
  enum ReceiptRow {
    static func receipt(_ rows: SQLRows, _ row: Int, from column: Int) throws -> Receipt {
      let versions = (rows.text(row, column + 4) ?? "").split(separator: ",").compactMap { Int($0) }
      guard let position = rows.int(row, column), let count = rows.int(row, column + 1),
        case .array(let names)? = try? JSONValue(parsing: rows.text(row, column + 3) ?? ""),
        names.count == versions.count
      else {
        throw EventStoreError(
          .corrupt, "a command's receipt is damaged: a column is empty or cannot be read; restore the database")
      }
      let streams = names.map { if case .string(let name) = $0 { StreamName(name) } else { StreamName("") } }
      return Receipt(
        position: Position(position), count: count, transaction: rows.int(row, column + 2),
        versions: Dictionary(zip(streams, versions)) { $1 })
    }
  }
#endif
