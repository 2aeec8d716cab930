import Annals

extension JSONValue {
  /// The value over several lines, indented by two spaces a level; a value without parts is one line.
  ///
  /// - Parameter levels: How many levels have lines of their own; what is deeper stands on one line.
  /// - Returns: The lines.
  func pretty(levels: Int = .max) -> [String] {
    func lines(_ parts: [(head: String, value: JSONValue)]) -> [String] {
      parts.enumerated().flatMap { index, part in
        var lines = part.value.pretty(levels: levels - 1)
        lines[0] = part.head + lines[0]
        if index < parts.count - 1 { lines[lines.count - 1] += "," }
        return lines.map { "  " + $0 }
      }
    }
    switch self {
    case .object(let members) where !members.isEmpty && levels > 0:
      return ["{"] + lines(members.map { (JSONValue.quoted($0.name) + ": ", $0.value) }) + ["}"]
    case .array(let values) where !values.isEmpty && levels > 0: return ["["] + lines(values.map { ("", $0) }) + ["]"]
    default: return [text]
    }
  }
}
