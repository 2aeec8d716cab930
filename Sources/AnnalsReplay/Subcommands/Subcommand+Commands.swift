import Annals
import AnnalsLog
import AnnalsSQLite
import Foundation

extension Subcommand {
  private static let collection = Option(
    "--collection", "NAME", "The collection, and the stream that is written to; by default the only one.")

  static let insert = Subcommand(
    name: "insert", operands: ["LOG", "ID"], rest: "[FIELD=VALUE …]",
    summary: "Insert a record; the log is created if it is not there.",
    details: ["A value is JSON if it parses as it, else text. An id that is there is refused."],
    options: [
      collection, Option("--force", "Insert also into a log that has an app's own events and no records."),
    ],
    examples: ["annals insert shop.annals b1 title=Annals price=50.5 --collection book"],
    run: { session in
      let fields = try session.fields()
      return try session.runCommand(creates: true) { _ in ("RecordInserted", session.recordMembers(fields)) }
    })

  static let update = Subcommand(
    name: "update", operands: ["LOG", "ID"], rest: "FIELD=VALUE …",
    summary: "Change fields of a record; null removes one.",
    details: ["A value is JSON if it parses as it, else text. An id that is not there is", "refused."],
    options: [collection], examples: ["annals update shop.annals b1 price=60.5 shelf=null"],
    run: { session in
      let fields = try session.fields()
      if fields.isEmpty { throw ReplayError.usage("annals update needs FIELD=VALUE") }
      return try session.runCommand { _ in ("RecordUpdated", session.recordMembers(fields)) }
    })

  static let delete = Subcommand(
    name: "delete", operands: ["LOG", "ID"], summary: "Delete a record.", options: [collection],
    examples: ["annals delete shop.annals b1"],
    run: { session in
      try session.runCommand { _ in ("RecordDeleted", [("id", JSONValue.quoted(session.arguments.operands[1]))]) }
    })

  static let renameSection = Subcommand(
    name: "rename-section", operands: ["LOG", "KEY", "TITLE"], summary: "Give a section a title.",
    details: [
      "KEY is JSON if it parses as it, else text; null is the section of the rows",
      "without the field. The title holds also before the section exists and after it",
      "emptied.",
    ],
    options: [collection],
    examples: ["annals rename-section shop.annals shelf-1 Classics", "annals rename-section shop.annals 3 Three"],
    run: { session in
      let operands = session.arguments.operands
      return try session.runCommand { _ in
        ("SectionRenamed", [("section", Session.json(operands[1])), ("title", JSONValue.quoted(operands[2]))])
      }
    })
}

extension Session {
  /// A value from the command line: JSON if it parses as JSON, otherwise text.
  fileprivate static func json(_ text: String) -> String {
    (try? JSONValue(parsing: text)) != nil
      ? text.trimmingCharacters(in: .whitespacesAndNewlines) : JSONValue.quoted(text)
  }

  /// The FIELD=VALUE words, split at the first equals sign.
  fileprivate func fields() throws -> [(name: String, json: String)] {
    var seen: Set<ExactString> = []
    return try arguments.operands.dropFirst(2).map { text in
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw ReplayError.usage("expected FIELD=VALUE, found \"\(text)\"")
      }
      guard seen.insert(ExactString(parts[0])).inserted else {
        throw ReplayError.usage("the field \"\(parts[0])\" is given twice")
      }
      return (parts[0], Self.json(parts[1]))
    }
  }

  fileprivate func recordMembers(_ fields: [(name: String, json: String)]) -> [(String, String)] {
    let object = fields.map { JSONValue.quoted($0.name) + ":" + $0.json }.joined(separator: ",")
    return [("id", JSONValue.quoted(arguments.operands[1])), ("fields", "{\(object)}")]
  }

  /// Decides a command on the current records and appends its event, or throws.
  ///
  /// If another process appended records in the meantime, the command is decided again.
  fileprivate func runCommand(
    creates: Bool = false, _ make: (String) throws -> (type: String, members: [(String, String)])
  ) throws -> ReplayError.Status {
    // The first event creates the log, so that an error leaves no file.
    let path = arguments.operands[0]
    let log = try creates ? LogFile(path) : LogFile(existing: path)
    if log.store == nil, arguments.value("--collection") == nil {
      throw ReplayError.usage("a new log has no collection yet; name one with --collection")
    }
    if creates, !arguments.has("--force"), let store = log.store { try refuseStrangers(LogExtent(store)) }
    while true {
      var (records, end) = try log.store.map(folded) ?? (RecordCollections(), 0)
      let collection = try self.collection(among: records.names, creates: creates)
      let (type, members) = try make(collection)
      let all = [("collection", JSONValue.quoted(collection))] + members
      let payload = "{" + all.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
      do {
        try records.apply(type: type, payload: payload)
      } catch {
        throw ReplayError(.negative, "refused: \(error)")
      }
      do {
        let append = Append(
          [.init(stream: StreamName(collection), event: NewEvent(type: type, payload: payload))],
          conditions: [.init(noneMatching: RecordEvent.query, after: end)])
        let receipt = try log.append(append)
        if isJSON {
          try printJSON("{\"position\":\(receipt.position)}")
        } else {
          say("position \(receipt.position): \(type)")
        }
        return .done
      } catch let error as EventStoreError where error.isConflict {
        continue
      }
    }
  }

  /// Keeps records out of an app's own log, from which they would never go away.
  private func refuseStrangers(_ log: LogExtent) throws {
    let counts = try log.typeCounts(through: log.end)
    guard let first = counts.first, !counts.contains(where: { RecordEvent.types.contains($0.type) }) else { return }
    let events = counts.reduce(0) { $0 + $1.count }
    throw ReplayError(
      .negative,
      Text.safe(
        "\(arguments.operands[0]): has \(Text.counted(events, "event")) of an app's own, such as \(first.type), and no "
          + "records; an event never goes away, so nothing was inserted; --force inserts a record all the same"))
  }

  /// The records of a log, and their position.
  private func folded(_ store: any EventStore) throws -> (RecordCollections, Position) {
    try store.read { log in
      let end = try log.head()
      var records = RecordCollections()
      try log.forEachEvent(RecordEvent.query, through: end) {
        try records.apply(type: $0.type, payload: $0.payload)
      }
      return (records, end)
    }
  }

  private func collection(among names: [String], creates: Bool) throws -> String {
    if let wanted = arguments.value("--collection") {
      if wanted.isEmpty { throw ReplayError.usage("--collection: expected a name, found \"\"") }
      if creates || names.contains(where: { ExactString($0) == ExactString(wanted) }) { return wanted }
      throw ReplayError(.negative, "the log has no collection \(JSONValue.quoted(wanted))")
    }
    if names.count == 1 { return names[0] }
    let list = names.map { JSONValue.quoted($0) }.joined(separator: ", ")
    throw ReplayError.usage(
      names.isEmpty
        ? "the log has no collection yet; name one with --collection"
        : "the log has \(names.count) collections; choose one with --collection: \(list)")
  }
}
