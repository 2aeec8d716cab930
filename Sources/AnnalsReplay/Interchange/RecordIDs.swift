import Annals

/// The ids of the records of every collection: all that tells whether a record event is valid.
///
/// It takes a fraction of the time and the memory that the rows take.
struct RecordIDs {
  private var ids: [ExactString: Set<ExactString>] = [:]

  /// Takes an event.
  ///
  /// An event of another domain is valid, and changes nothing.
  ///
  /// - Parameters:
  ///   - type: The event's type.
  ///   - payload: Its payload.
  /// - Throws: ``RecordEvent/Problem`` if the event is no valid record event, as when the rows are folded.
  mutating func apply(type: String, payload: String?) throws {
    // No other text equals these, in any spelling: they are ASCII.
    switch type {
    case "RecordInserted", "RecordUpdated", "RecordDeleted", "SectionRenamed": break
    default: return
    }
    guard let (collection, id) = Self.names(in: payload, needsFields: type != "RecordDeleted"), type != "SectionRenamed"
    else {
      return try applySlowly(type, payload)
    }
    let key = ExactString(id)
    let isDone =
      switch type {
      case "RecordInserted": ids[ExactString(collection), default: []].insert(key).inserted
      case "RecordUpdated": ids[ExactString(collection)]?.contains(key) ?? false
      default: ids[ExactString(collection)]?.remove(key) != nil
      }
    if !isDone { try applySlowly(type, payload) }
  }

  /// Reads the whole event, and finds the words for what is wrong with it.
  private mutating func applySlowly(_ type: String, _ payload: String?) throws {
    guard let (collection, event) = try RecordEvent.read(type: type, payload: payload) else { return }
    let name = ExactString(collection)
    var rows = Rows<Record>()
    switch event {
    case .inserted(let id, _), .updated(let id, _), .deleted(let id):
      let key = ExactString(id)
      if ids[name]?.contains(key) ?? false { rows.insert(Record(id: id)) }
      try event.apply(to: &rows, in: collection)
      if rows[id] == nil { ids[name]?.remove(key) } else { ids[name, default: []].insert(key) }
    case .sectionRenamed: break
    }
  }

  /// The collection and the id of a plain record event; nil if only a closer look can tell.
  private static func names(in payload: String?, needsFields: Bool) -> (collection: String, id: String)? {
    guard let payload, let members = try? JSON.members(ofObject: payload) else { return nil }
    var (collection, id, fields): (String?, String?, String?) = (nil, nil, nil)
    for (name, json) in members {
      switch name {
      case "collection": collection = JSONValue.plainString(json)
      case "id": id = JSONValue.plainString(json)
      case "fields": fields = json
      default: continue
      }
    }
    // A deletion needs no fields.
    guard let collection, let id, needsFields == false || fields?.utf8.first == UInt8(ascii: "{") else { return nil }
    return (collection, id)
  }
}
