import Annals
import AnnalsLog
import Foundation

/// How the tool reads the rows of a list: as records, whatever their type is.
struct RowReading<Row: Annals.Row>: Sendable {
  /// The row's id and fields.
  let record: @Sendable (Row) -> Record
  /// The row in one line, if the app writes it.
  let line: (@Sendable (Row) -> String)?
  /// What an event did, in the words of the app, if it has some.
  let sentence: (@Sendable (StoredEvent) -> String?)?

  /// Reads rows by their Codable form.
  ///
  /// The fields are those of the row's JSON object, without the id. A row that is no object has one field, `value`.
  init(line: (@Sendable (Row) -> String)? = nil, sentence: (@Sendable (StoredEvent) -> String?)? = nil) {
    (self.line, self.sentence) = (line, sentence)
    if Row.self == Record.self {
      record = { row in
        // The types are the same, which only the cast can tell.
        row as? Record ?? Record(id: "")
      }
    } else {
      record = { row in Self.record(of: row) }
    }
  }

  /// Reads a field of rows.
  func reader(of field: FieldPath, noting use: FieldUse) -> @Sendable (Row) -> JSONValue {
    { [record] row in
      let record = record(row)
      use.note(record)
      return field.value(in: record)
    }
  }

  private static func record(of row: Row) -> Record {
    let id = idText(row.id)
    guard let text = try? PayloadCoder().encode(row), let value = try? JSONValue(parsing: text) else {
      return Record(
        id: id,
        fields: .object([.init(name: "value", value: .string(described(row, maximumLength: .max)))]))
    }
    guard case .object(let members) = value else {
      return Record(id: id, fields: .object([.init(name: "value", value: value)]))
    }
    return Record(
      id: id,
      fields: .object(
        members.filter { ExactString($0.name) != ExactString("id") || Self.text(of: $0.value) != ExactString(id) }))
  }

  /// An id as text: a string without quotes, any other value as its JSON.
  static func idText(_ id: Row.ID) -> String {
    if let text = id as? String { return text }
    guard let id = id as? any Encodable, let json = try? PayloadCoder().encode(id),
      let value = try? JSONValue(parsing: json)
    else { return described(id) }
    return text(of: value).text
  }

  private static func text(of value: JSONValue) -> ExactString { ExactString(value.string ?? value.text) }

  /// The id that a text says; nil if it says none.
  static func id(_ text: String) -> Row.ID? {
    if let id = text as? Row.ID { return id }
    guard let type = Row.ID.self as? any Decodable.Type else { return nil }
    for json in [text, JSONValue.quoted(text)] {
      if let id = (try? PayloadCoder().decode(type, from: json)) as? Row.ID { return id }
    }
    return nil
  }
}
