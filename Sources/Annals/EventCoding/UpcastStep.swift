/// A step of one stored type.
struct UpcastStep: Sendable {
  enum Change: Sendable {
    /// The payload stays as it is.
    case none
    case json(@Sendable (inout JSONValue) throws -> Void)
    case text(@Sendable (String, PayloadCoder) throws -> String)
    case split(@Sendable (JSONValue) throws -> [Upcaster.Output])
  }

  let type: String
  let from: Int
  /// The schema of what comes out; nil if nothing does, of this schema and all later ones.
  let to: Int?
  /// The types of what comes out.
  let into: [String]
  let change: Change

  /// The step in words, for errors and for saved lists, which keep what was made by it.
  var description: String {
    guard let to else { return "\(type) dropped from schema \(from) on" }
    let target = into == [type] ? "schema \(to)" : "\(into.joined(separator: ", ")) schema \(to)"
    return "\(type) schema \(from) to \(target)"
  }
}

/// A stored type at a schema: what a step is from, or leads to.
package struct UpcastStage: Hashable, Comparable, Sendable, CustomStringConvertible {
  let name: ExactString
  let schema: Int

  package init(_ name: String, _ schema: Int) {
    (self.name, self.schema) = (ExactString(name), schema)
  }

  package static func < (left: UpcastStage, right: UpcastStage) -> Bool {
    left.name == right.name ? left.schema < right.schema : left.name < right.name
  }

  package var description: String { "\(name) schema \(schema)" }
}

/// A payload on its way up, as text or as a value, whichever the last step made.
struct UpcastPayload {
  private enum Form {
    case text(String)
    case value(JSONValue)
  }

  private var form: Form

  init(_ text: String?) { form = .text(text ?? "{}") }
  init(_ value: JSONValue) { form = .value(value) }

  var text: String {
    get {
      switch form {
      case .text(let text): text
      case .value(let value): value.text
      }
    }
    set { form = .text(newValue) }
  }

  /// Reads the payload as a value and keeps that.
  mutating func value() throws -> JSONValue {
    switch form {
    case .value(let value): return value
    case .text(let text):
      let value = try JSONValue(parsing: text)
      form = .value(value)
      return value
    }
  }
}
