import Annals
import AnnalsLog

/// The records of one collection as rows.
struct RecordProjection: Projection {
  /// The collection's name.
  let collection: String
  /// True if no record may be of another collection.
  var isOnly = false
  /// The fields that the rows have, or `nil` for all fields.
  ///
  /// The places of rows depend on few fields. With these alone, 200,000 rows take half of the memory.
  var fields: Set<ExactString>?

  var identity: String? { fields == nil ? collection : nil }

  /// An app may have events whose names begin with "Record" too.
  static var unknownEvents: UnknownEventPolicy { .skip }

  /// Members that are not known are left out, whatever the schema.
  static var newerEvents: NewerEventPolicy { .read }

  func project(_ event: StoredRecordEvent, into rows: inout Rows<Record>) throws {
    let (collection, record) = event.content
    guard ExactString(collection) == ExactString(self.collection) else {
      if isOnly { throw OtherCollection() }
      return
    }
    try record.keeping(fields).apply(to: &rows, in: collection)
  }
}

/// A record is of another collection than the first one, and it was not said which of them is meant.
struct OtherCollection: Error {}

/// An event of the record domain with its collection, as the log stores it.
enum StoredRecordEvent: CustomCodedEvent {
  case inserted(Content)
  case updated(Content)
  case deleted(Content)
  case sectionRenamed(Content)

  // Codable of an enum asks for these names.
  enum CodingKeys: String, CodingKey {
    case inserted, updated, deleted
    case sectionRenamed = "SectionRenamed"
  }

  static var typePrefix: String { "Record" }

  /// A collection and what happened in it.
  struct Content: Sendable {
    let collection: String
    let event: RecordEvent
  }

  var content: (String, RecordEvent) {
    switch self {
    case .inserted(let content), .updated(let content), .deleted(let content), .sectionRenamed(let content):
      (content.collection, content.event)
    }
  }

  init?(case name: String, payload: PayloadValue) throws {
    let type = name == "SectionRenamed" ? name : "Record" + name.prefix(1).uppercased() + name.dropFirst()
    let (collection, event) = try RecordEvent.make(
      type, value: { try payload[$0].json() }, fields: { try payload["fields"].membersWithNulls() })
    let content = Content(collection: collection, event: event)
    switch name {
    case "inserted": self = .inserted(content)
    case "updated": self = .updated(content)
    case "deleted": self = .deleted(content)
    case "SectionRenamed": self = .sectionRenamed(content)
    default: return nil
    }
  }

  func write(to payload: inout PayloadWriter) -> String {
    let (collection, event) = content
    payload.write(json: event.payload(in: collection))
    return switch self {
    case .inserted: "inserted"
    case .updated: "updated"
    case .deleted: "deleted"
    case .sectionRenamed: "SectionRenamed"
    }
  }
}

extension StoredRecordEvent.Content: Codable {
  /// The type writes and reads itself, so that this form is never stored.
  init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    let members = try JSON.members(ofObject: text)
    guard let type = members.first?.name, let payload = members.first?.json,
      let (collection, event) = try RecordEvent.read(type: type, payload: payload)
    else {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "expected an event of records"))
    }
    self.init(collection: collection, event: event)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode("{\"\(event.type)\":\(event.payload(in: collection))}")
  }
}

extension RecordEvent {
  /// The stored type.
  var type: String {
    switch self {
    case .inserted: "RecordInserted"
    case .updated: "RecordUpdated"
    case .deleted: "RecordDeleted"
    case .sectionRenamed: "SectionRenamed"
    }
  }

  /// The payload of the event in a collection, as JSON.
  func payload(in collection: String) -> String {
    let members: KeyValuePairs<String, JSONValue> =
      switch self {
      case .inserted(let id, let fields), .updated(let id, let fields):
        ["collection": .string(collection), "id": .string(id), "fields": .object(fields)]
      case .deleted(let id): ["collection": .string(collection), "id": .string(id)]
      case .sectionRenamed(let section, let title):
        ["collection": .string(collection), "section": section, "title": .string(title)]
      }
    return JSONValue.object(members.map { JSONMember(name: $0.key, value: $0.value) }).text
  }
}
