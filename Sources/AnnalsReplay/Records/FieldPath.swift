package import Annals
import AnnalsLog

/// The way to a value in a record: a field's name, or one in it, such as `address.city` or `tags[0]`.
package struct FieldPath: Hashable, Sendable {
  /// The path as it was written.
  package let text: String
  private let name: ExactString
  /// The names and indices of a nested value; one name for a plain field.
  private let steps: [Step]

  private enum Step: Hashable {
    case member(String)
    case element(Int)
  }

  /// Reads a path; every text is one.
  package init(_ text: String) {
    self.text = text
    name = ExactString(text)
    var steps: [Step] = []
    for part in text.split(separator: ".", omittingEmptySubsequences: false) {
      var rest = part[...]
      var elements: [Step] = []
      // From the end, so that a name may have brackets of its own before them.
      while rest.last == "]", let open = rest.lastIndex(of: "["),
        let index = Int(rest[rest.index(after: open)..<rest.index(before: rest.endIndex)]), index >= 0
      {
        elements.insert(.element(index), at: 0)
        rest = rest[..<open]
      }
      steps.append(.member(String(rest)))
      steps += elements
    }
    self.steps = steps
  }

  /// The names of the record's fields that the path can read.
  var fieldNames: [ExactString] {
    guard case .member(let first)? = steps.first else { return [name] }
    return [name, ExactString(first)]
  }

  /// True of the path `id`, which is the row's id where the row has no field of that name.
  package var isID: Bool { text == "id" }

  /// The value in a record: of the field of the whole name, else of the path; null if there is none.
  package func value(in record: Record) -> JSONValue {
    let whole = record[name]
    if whole != .null { return whole }
    if isID { return .string(record.id) }
    guard steps.count > 1 else { return .null }
    return value(in: record.fields)
  }

  /// The value at the path in any JSON value; null if there is none.
  package func value(in json: JSONValue) -> JSONValue {
    var value = json
    for step in steps {
      switch step {
      case .member(let name): value = value.impersonal[name] ?? .null
      case .element(let index):
        guard let elements = value.impersonal.array, elements.indices.contains(index) else { return .null }
        value = elements[index]
      }
    }
    return value.impersonal
  }
}
