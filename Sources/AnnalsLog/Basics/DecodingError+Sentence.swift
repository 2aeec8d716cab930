extension DecodingError {
  /// A sentence that names the place of the error as a path, such as `guests[2].name`.
  ///
  /// The standard library's description contains the coding keys as Swift values, which a reader of a message doesn't
  /// know.
  var sentence: String {
    switch self {
    case .keyNotFound(let key, let context):
      let owner = Self.path(context.codingPath)
      return "the member \(Self.path([key])) is missing" + (owner.isEmpty ? "" : " in \(owner)")
    case .valueNotFound(let type, let context):
      let place = Self.path(context.codingPath)
      if context.codingPath.last?.intValue != nil, context.debugDescription.hasSuffix("at end.") {
        return "the element \(place) of type \(type) is missing, because the array is too short"
      }
      return Self.member(place) + "expected a value of type \(type), found null"
    case .typeMismatch(_, let context), .dataCorrupted(let context):
      let reason = context.underlyingError.map { ": " + described($0) } ?? ""
      return Self.member(Self.path(context.codingPath)) + Self.uncapitalized(context.debugDescription) + reason
    @unknown default: return "\(self)"
    }
  }

  private static func member(_ path: String) -> String { path.isEmpty ? "" : "the member \(path): " }

  private static func path(_ keys: [any CodingKey]) -> String {
    keys.reduce("") { path, key in
      if let index = key.intValue { return path + "[\(index)]" }
      return path.isEmpty ? key.stringValue : path + "." + key.stringValue
    }
  }

  /// Returns a sentence without its full stop and with a lower-case beginning, as a part of another sentence.
  private static func uncapitalized(_ text: String) -> String {
    var text = text.hasSuffix(".") ? String(text.dropLast()) : text
    if let first = text.first { text.replaceSubrange(text.startIndex...text.startIndex, with: first.lowercased()) }
    return text
  }
}
