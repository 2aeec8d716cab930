import Annals

extension Text {
  /// A value for people, such that no other value looks the same.
  ///
  /// A text is bare where you cannot misread it, and else quoted as in JSON: the text `5` is `"5"`, the number is `5`.
  static func value(_ value: JSONValue) -> String {
    if case .string(let text) = value { bareOrQuoted(text) } else { value.text }
  }

  /// A text as it is, or quoted as in JSON where it could be read as something else.
  ///
  /// It could if ``name(_:)`` quotes it, and if it looks like a number, true, false or null.
  static func bareOrQuoted(_ text: String) -> String {
    isAmbiguous(text) || looksLikeAnotherValue(text) ? JSONValue.quoted(text) : text
  }

  /// An id or a name of a field, which is always a text: `5` cannot be misread.
  ///
  /// It is quoted if it is empty, begins as other JSON does or as the words in parentheses that the tool prints itself,
  /// has spaces at an end, or has what the tool puts between two values.
  static func name(_ text: String) -> String { isAmbiguous(text) ? JSONValue.quoted(text) : text }

  /// A section's title for people: `(none)` for the section of the rows without a value.
  ///
  /// The section of the number 5 is `5`, that of the text "5" is `"5"`, and that of the empty text is `""`.
  ///
  /// - Parameters:
  ///   - title: The section's title.
  ///   - key: The section's key.
  /// - Returns: The title as it is, or quoted.
  static func title(_ title: String, of key: JSONValue) -> String {
    switch key {
    case .null where title.isEmpty: "(none)"
    case .string: bareOrQuoted(title)
    // A title that the section was given is a text. A number's own title is not: 5.0 is that of 5.
    default: title == key.text || (try? JSONValue(parsing: title)) == key ? title : bareOrQuoted(title)
    }
  }

  private static func isAmbiguous(_ text: String) -> Bool {
    guard let first = text.utf8.first, let last = text.utf8.last else { return true }
    if " \"{[(".utf8.contains(first) || " ,:".utf8.contains(last) { return true }
    return [", ", ": ", "  ", " → "].contains { text.contains($0) }
  }

  private static func looksLikeAnotherValue(_ text: String) -> Bool {
    if ["true", "false", "null"].contains(text) { return true }
    guard let first = text.utf8.first, "0123456789+-.".utf8.contains(first) else { return false }
    return Double(text) != nil
  }
}
