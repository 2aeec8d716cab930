/// An upcasting step for one stored type.
struct UpcastStep: Sendable {
  /// The closures call their last parameter only if the step needs the context, because creating it decodes metadata.
  enum Change: Sendable {
    /// The payload remains unchanged.
    case none
    case json(@Sendable (inout JSONValue, () -> Upcaster.Context) throws -> Void)
    case text(@Sendable (String, PayloadCoder, () -> Upcaster.Context) throws -> String)
    case split(@Sendable (JSONValue, () -> Upcaster.Context) throws -> [Upcaster.Output])
  }

  let type: String
  let from: Int
  /// The schema of the results, or `nil` if the step drops events of the schema `from` and of all later schemas.
  let to: Int?
  /// The types of the results.
  let into: [String]
  let change: Change

  /// A description of the step in words, for errors and for the fingerprints of saved lists that contain the step's
  /// results.
  var description: String {
    guard let to else { return "\(type) dropped from schema \(from) on" }
    let target = into == [type] ? "schema \(to)" : "\(into.joined(separator: ", ")) schema \(to)"
    return "\(type) schema \(from) to \(target)"
  }
}

/// A stored type at a schema, which is the source or the target of a step.
package struct UpcastStage: Hashable, Comparable, Sendable, CustomStringConvertible {
  let name: ExactString
  let schema: Int

  package init(_ name: String, _ schema: Int) {
    self.name = ExactString(name)
    self.schema = schema
  }

  package static func < (left: UpcastStage, right: UpcastStage) -> Bool {
    left.name == right.name ? left.schema < right.schema : left.name < right.name
  }

  package var description: String { "\(name) (schema version \(schema))" }
}

/// A payload during upcasting, as a string or as a JSON value, depending on the last step.
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

  /// Returns the payload as a value, and keeps it in this form.
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
