import Annals
import AnnalsLog
import Foundation

/// A value of a type that several forms of JSON contain.
protocol JSONOutput: SendableMetatype {
  static var schema: JSONSchema { get }
  /// The alignment of a column of such values.
  static var alignment: Text.Alignment { get }

  func write(to writer: inout PayloadWriter)
}

extension JSONOutput {
  static var alignment: Text.Alignment { .left }
}

/// An object that several forms of JSON contain.
protocol JSONObject: JSONOutput {
  typealias Form = JSONForm<Self>

  static var form: Form { get }
}

extension JSONObject {
  static var schema: JSONSchema { form.schema }
  func write(to writer: inout PayloadWriter) { Self.form.write(self, to: &writer) }
}

extension String: JSONOutput {
  static var schema: JSONSchema { .text }
  func write(to writer: inout PayloadWriter) { writer.write(self) }
}

extension Bool: JSONOutput {
  static var schema: JSONSchema { .bool }
  func write(to writer: inout PayloadWriter) { writer.write(self) }
}

/// A whole number from 0.
extension Int: JSONOutput {
  static var schema: JSONSchema { .count }
  static var alignment: Text.Alignment { .right }
  func write(to writer: inout PayloadWriter) { writer.write(self) }
}

extension Optional: JSONOutput where Wrapped: JSONOutput {
  static var schema: JSONSchema { Wrapped.schema.orNull }
  static var alignment: Text.Alignment { Wrapped.alignment }
  func write(to writer: inout PayloadWriter) {
    if let self { self.write(to: &writer) } else { writer.writeNull() }
  }
}

extension Array: JSONOutput where Element: JSONOutput {
  static var schema: JSONSchema { .array(of: Element.schema) }
  func write(to writer: inout PayloadWriter) { writer.writeArray(of: self) { $0.write(to: &$1) } }
}

extension Position: JSONOutput {
  static var schema: JSONSchema {
    .count.saying("A place in the log: 0 is before the first event.").shared(as: "position")
  }
  static var alignment: Text.Alignment { .right }
  func write(to writer: inout PayloadWriter) { writer.write(rawValue) }
}

extension Date: JSONOutput {
  static var schema: JSONSchema { Microseconds.schema }
  func write(to writer: inout PayloadWriter) { Microseconds(count: microseconds).write(to: &writer) }
}

/// A moment in microseconds since 1970.
struct Microseconds: JSONOutput {
  let count: Int64

  static var schema: JSONSchema {
    .text(matching: #"^([0-9]{4}|[+-][0-9]{6})-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?Z$"#)
      .saying("A moment in UTC, as in RFC 3339; a year beyond 0000 to 9999 has a sign and six digits.")
      .shared(as: "time")
  }
  func write(to writer: inout PayloadWriter) { writer.write(RFC3339.text(microseconds: count)) }
}

extension RowPath: JSONOutput {
  static var schema: JSONSchema {
    .array(of: .count, count: 2).saying("The index of a section, and the index of a row in it.").shared(as: "path")
  }
  func write(to writer: inout PayloadWriter) { [section, row].write(to: &writer) }
}

extension SectionKey: JSONOutput {
  static var schema: JSONSchema { .any }
  func write(to writer: inout PayloadWriter) { writer.write(json: json) }
}

/// JSON that is known to be valid, for example a stored payload.
struct RawJSON: JSONOutput {
  let text: String

  static var schema: JSONSchema { .any }
  func write(to writer: inout PayloadWriter) { writer.write(json: text) }
}

/// Values by names that are data, such as a row's fields.
struct Fields: JSONOutput {
  let text: String

  init(_ fields: JSONValue) { text = fields.text }

  init(_ values: [(name: String, value: JSONValue)]) {
    text = PayloadWriter.json {
      $0.writeObject { for (name, value) in values { $0.write(name) { $0.write(json: value.text) } } }
    }
  }

  static var schema: JSONSchema {
    .map(of: .any).saying("A row's fields by name; a field that a row does not have is left out.").shared(as: "fields")
  }
  func write(to writer: inout PayloadWriter) { writer.write(json: text) }
}
