import Annals
import AnnalsLog

/// An event of the record domain.
enum RecordEvent {
  case inserted(id: String, fields: [JSONMember])
  case updated(id: String, fields: [JSONMember])
  case deleted(id: String)
  case sectionRenamed(section: JSONValue, title: String)

  /// The types' stored names.
  static let types: Set<String> = ["RecordInserted", "RecordUpdated", "RecordDeleted", "SectionRenamed"]

  /// Matches the events of the record domain.
  static let query = EventQuery([.init(types: types)])

  /// What is wrong with an event: what was expected and what was found.
  struct Problem: Error, CustomStringConvertible {
    let description: String
  }

  /// Reads an event with its collection; nil if its type is not in the record domain.
  ///
  /// Skips members that the domain does not know.
  static func read(type: String, payload: String?) throws -> (collection: String, event: RecordEvent)? {
    guard types.contains(where: { ExactString($0) == ExactString(type) }) else { return nil }
    guard let payload else { throw Problem(description: "\(type): expected data, found none") }
    let members: [(name: String, json: String)]
    do {
      members = try JSON.members(ofObject: payload)
    } catch {
      throw Problem(description: "\(type): data: \(error)")
    }
    func json(_ name: String) -> String { members.first { ExactString($0.name) == ExactString(name) }?.json ?? "null" }
    return try make(
      type, value: { try JSONValue(parsing: json($0)) },
      fields: {
        // Null removes a field here, but a value that is read leaves nulls out.
        try JSON.members(ofObject: json("fields")).map {
          JSONMember(name: $0.name, value: try JSONValue(parsing: $0.json))
        }
      })
  }

  /// Reads an event of a type from the members of its payload.
  ///
  /// - Parameters:
  ///   - type: The stored type.
  ///   - value: Reads a member; null where there is none.
  ///   - members: Reads the fields, after they were seen to be an object.
  /// - Returns: The collection and the event.
  /// - Throws: ``Problem``, and what the closures throw.
  static func make(
    _ type: String, value: (String) throws -> JSONValue, fields members: () throws -> [JSONMember]
  ) throws -> (collection: String, event: RecordEvent) {
    func text(_ name: String) throws -> String {
      let value = try value(name)
      if case .string(let text) = value { return text }
      throw Problem(description: "\(type): \(name): expected a string, found \(found(value))")
    }
    func fields() throws -> [JSONMember] {
      let value = try value("fields")
      guard case .object = value else {
        throw Problem(description: "\(type): fields: expected an object, found \(found(value))")
      }
      return try members()
    }
    let collection = try text("collection")
    switch type {
    case "RecordInserted": return (collection, .inserted(id: try text("id"), fields: try fields()))
    case "RecordUpdated": return (collection, .updated(id: try text("id"), fields: try fields()))
    case "RecordDeleted": return (collection, .deleted(id: try text("id")))
    default: return (collection, .sectionRenamed(section: try value("section"), title: try text("title")))
    }
  }

  private static func found(_ value: JSONValue) -> String {
    value == .null ? "none" : value.text.shortened(to: 40)
  }
}

extension RecordEvent {
  /// The name of the section cut.
  ///
  /// A title is valid whatever field you cut the rows by.
  static let cut = "section"

  /// Returns the event without fields of other names, or the event itself for nil.
  func keeping(_ names: Set<ExactString>?) -> RecordEvent {
    guard let names else { return self }
    func kept(_ fields: [JSONMember]) -> [JSONMember] { fields.filter { names.contains(ExactString($0.name)) } }
    return switch self {
    case .inserted(let id, let fields): .inserted(id: id, fields: kept(fields))
    case .updated(let id, let fields): .updated(id: id, fields: kept(fields))
    case .deleted, .sectionRenamed: self
    }
  }

  /// Changes the rows of the event's collection, or throws.
  func apply(to rows: inout Rows<Record>, in collection: String) throws {
    switch self {
    case .inserted(let id, let fields):
      if rows[id] != nil { throw Problem(description: "inserts the id \(quoted(id)), which \(quoted(collection)) has") }
      var record = Record(id: id)
      record.update(fields)
      rows.insert(record)
    case .updated(let id, let fields):
      var isThere = false
      rows.update(id) {
        isThere = true
        $0.update(fields)
      }
      if !isThere { throw missing(id, "updates", collection) }
    case .deleted(let id):
      if rows[id] == nil { throw missing(id, "deletes", collection) }
      rows[id] = nil
    case .sectionRenamed(let section, let title):
      rows.renameSection(section.sectionKey, of: Self.cut, to: title)
    }
  }

  private func missing(_ id: String, _ what: String, _ collection: String) -> Problem {
    Problem(description: "\(what) the id \(quoted(id)), which \(quoted(collection)) does not have")
  }

  private func quoted(_ text: String) -> String { JSONValue.quoted(text.shortened(to: 200)) }
}
