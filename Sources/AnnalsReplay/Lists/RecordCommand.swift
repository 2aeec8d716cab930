import Annals
import AnnalsLog

/// A command that changes the records of a log.
enum RecordCommand: String, CaseIterable, CommandSource {
  case insert, update, delete
  case renameSection = "rename-section"

  var name: String { rawValue }

  var words: [String] {
    switch self {
    case .insert: ["ID", "[FIELD=VALUE …]"]
    case .update: ["ID", "FIELD=VALUE …"]
    case .delete: ["ID"]
    case .renameSection: ["KEY", "TITLE"]
    }
  }

  func call(_ words: [String], collection: String?, note: @escaping (String) -> Void) throws -> CommandCall {
    let event: RecordEvent =
      switch self {
      case .insert: .inserted(id: words[0], fields: try Self.fields(words.dropFirst()))
      case .update: .updated(id: words[0], fields: try Self.fields(words.dropFirst()))
      case .delete: .deleted(id: words[0])
      case .renameSection: .sectionRenamed(section: JSONValue(word: words[0]), title: words[1])
      }
    if let collection, collection.isEmpty { throw ReplayError.usage("--list: expected a name, found \"\"") }
    let creates = self == .insert
    func decide(_ store: any EventStore, isRepeated: Bool = false) throws -> (StreamName, NewEvent, Position) {
      var (records, end) = try RecordCollections.all(of: store)
      let name = try records.collection(collection, creates: creates)
      let new = NewEvent(type: event.type, payload: event.payload(in: name))
      if isRepeated { return (StreamName(name), new, end) }
      for sentence in records.newFields(event.fields, in: name) { note(Text.safe(sentence)) }
      do {
        let before = records.rows[ExactString(name)]?[words[0]]
        try records.apply(type: new.type, payload: new.payload)
        let after = records.rows[ExactString(name)]?[words[0]]
        if self == .update, let before, let after, before.difference(to: after).isEmpty {
          note("the row has these values already, so the event changes nothing")
        }
      } catch {
        throw ReplayError(.negative, "refused: \(error)")
      }
      return (StreamName(name), new, end)
    }
    return CommandCall(
      createsLog: creates,
      execute: { store, commandID, metadata in
        while true {
          // The store compares a repeated command with the first one.
          let isRepeated = try commandID.map { try store.receipt(ofCommand: $0) != nil } ?? false
          var (stream, event, end) = try decide(store, isRepeated: isRepeated)
          event.metadata = metadata
          var append = Append(
            [.init(stream: stream, event: event)], conditions: [.init(noneMatching: RecordEvent.query, after: end)])
          append.commandID = commandID
          do {
            return try store.append(append)
          } catch let error as EventStoreError where error.isConflict {
            // Another process appended records in the meantime.
            continue
          }
        }
      },
      decide: { store in
        let (stream, event, _) = try decide(store)
        return (stream, [event])
      })
  }

  /// Splits words of the form FIELD=VALUE at the first equals sign.
  private static func fields(_ words: ArraySlice<String>) throws -> [JSONMember] {
    var seen: Set<ExactString> = []
    return try words.map { text in
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw ReplayError.usage("expected FIELD=VALUE, found \"\(text)\"")
      }
      guard seen.insert(ExactString(parts[0])).inserted else {
        throw ReplayError.usage("the field \"\(parts[0])\" is given twice")
      }
      return JSONMember(name: parts[0], value: JSONValue(word: parts[1]))
    }
  }
}

extension RecordEvent {
  /// The fields that the event sets.
  fileprivate var fields: [JSONMember] {
    switch self {
    case .inserted(_, let fields), .updated(_, let fields): fields
    case .deleted, .sectionRenamed: []
    }
  }
}

extension RecordCollections {
  /// The records of a log, and the log's last position.
  static func all(of store: any EventStore) throws -> (records: RecordCollections, end: Position) {
    try store.read { log in
      let end = try log.head()
      var records = RecordCollections()
      try log.forEachEvent(RecordEvent.query, through: end) {
        try records.apply(type: $0.type, payload: $0.payload)
      }
      return (records, end)
    }
  }

  /// Returns a sentence for every field that no row of a collection has, because it may be misspelled.
  fileprivate func newFields(_ fields: [JSONMember], in collection: String) -> [String] {
    guard !fields.isEmpty, let rows = rows[ExactString(collection)]?.all, !rows.isEmpty else { return [] }
    let known = Set(rows.flatMap { $0.members.map { ExactString($0.name) } })
    return fields.filter { !known.contains(ExactString($0.name)) }.map { field in
      let nearest = Nearest.name(to: field.name, among: known.sorted().map(\.text))
      return UnknownField(name: field.name, nearest: nearest).sentence("no row of \(collection) had a field")
    }
  }

  /// Returns the name of the collection that a command changes.
  ///
  /// - Parameters:
  ///   - wanted: The value of `--list`, or nil for the only collection.
  ///   - creates: True if the command can create the collection.
  /// - Returns: The name.
  /// - Throws: ``ReplayError`` if the collection doesn't exist, or if several exist and none was named.
  func collection(_ wanted: String?, creates: Bool) throws -> String {
    if let wanted {
      if creates || rows[ExactString(wanted)] != nil { return wanted }
      throw ReplayError(.negative, "the log has no collection \(JSONValue.quoted(wanted))")
    }
    if names.count == 1 { return names[0] }
    let list = names.map { JSONValue.quoted($0) }.joined(separator: ", ")
    throw ReplayError.usage(
      names.isEmpty
        ? "the log has no collection yet; name one with --list"
        : "the log has \(names.count) collections; choose one with --list: \(list)")
  }
}
