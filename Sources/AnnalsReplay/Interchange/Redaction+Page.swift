import Annals
import AnnalsLog

/// What a page must not say, in values and in names.
extension Redaction {
  /// What stands in a payload where a value was.
  static let word = "redacted"

  /// True if rows, streams and all that could repeat the id of a row must not be shown.
  var hidesIDs: Bool { hides("id") }

  /// True if a field of a row, or a word of an event's metadata, is hidden.
  func hides(_ name: String) -> Bool { hides(Self.steps(name)) }

  /// True if the field by which rows are cut into sections is hidden.
  func hides(_ field: FieldPath?) -> Bool {
    guard let field else { return false }
    let path = Self.steps(field.text)
    return path.indices.contains { hides(Array(path[...$0])) }
  }

  /// A payload without what is hidden.
  ///
  /// A payload that cannot be read is left out: what is in it is not known.
  func payload(_ text: String) -> String? {
    if isEmpty { return text }
    guard let value = try? JSONValue(parsing: text) else { return nil }
    return (self.value(value) ?? .string(Self.word)).text
  }

  /// A value without what is hidden in it; nil if all of it is hidden.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - path: The names under which it is found, the outermost first.
  /// - Returns: The value, with words in the place of what is hidden inside it.
  func value(_ value: JSONValue, at path: [String] = []) -> JSONValue? {
    if isEmpty { return value }
    return masked(value, path.flatMap(Self.steps))
  }

  private func masked(_ value: JSONValue, _ path: [ExactString]) -> JSONValue? {
    if !path.isEmpty, hides(path) { return nil }
    switch value {
    case .object(let members):
      if let subject = members.first(where: { ExactString($0.name) == ExactString("$personal") })?.value,
        hides(personalOf: subject)
      {
        return nil
      }
      return .object(
        members.map { member in
          JSONMember(
            name: member.name,
            value: masked(member.value, path + Self.steps(member.name)) ?? .string(Self.word))
        })
    case .array(let values): return .array(values.map { masked($0, path) ?? .string(Self.word) })
    default: return value
    }
  }

  /// True if the personal values of what stands for a subject are hidden; what is no subject may be anyone.
  private func hides(personalOf subject: JSONValue) -> Bool {
    if case .string(let name) = subject { return hides(subject: name) }
    return hides(subject: "")
  }

  /// The texts of the values of a row that are hidden, by which a title that repeats one is found.
  func hiddenTexts(of record: Record) -> [String] {
    if isEmpty { return [] }
    var found: [String] = []
    for member in record.members { collect(member.value, Self.steps(member.name), &found) }
    if hidesIDs { found.append(record.id) }
    return found
  }

  private func collect(_ value: JSONValue, _ path: [ExactString], _ found: inout [String]) {
    let subject = value.personal.map { JSONValue.string($0.subject) }
    if subject.map(hides(personalOf:)) ?? false || hides(path) { return leaves(of: value, &found) }
    switch value {
    case .object(let members):
      for member in members { collect(member.value, path + Self.steps(member.name), &found) }
    case .array(let values): for value in values { collect(value, path, &found) }
    default: break
    }
  }

  private func leaves(of value: JSONValue, _ found: inout [String]) {
    switch value {
    case .object(let members): for member in members { leaves(of: member.value, &found) }
    case .array(let values): for value in values { leaves(of: value, &found) }
    case .string(let text): found.append(text)
    case .null, .bool: break
    case .number: found.append(value.text)
    }
  }
}
