import Foundation

/// A part of a coding path, which is a member's name or an element's index.
struct PayloadKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) {
    stringValue = "Index \(intValue)"
    self.intValue = intValue
  }
}

extension JSONTape {
  /// Returns the path from the root to a token.
  ///
  /// The function scans the tape instead of storing paths, because paths are needed only for errors.
  func path(to token: Int) -> [any CodingKey] {
    var path: [any CodingKey] = []
    var outer = Self.root
    while outer < token {
      var inner = outer + 1
      var index = 0
      if kind(outer) == .object {
        while Int(tokens[inner + 1].next) <= token { inner = Int(tokens[inner + 1].next) }
        inner += 1
        let asked = askedKeys.last { $0.token == inner }?.key
        path.append(asked ?? PayloadKey(stringValue: string(inner - 1) ?? "?"))
      } else {
        while Int(tokens[inner].next) <= token {
          inner = Int(tokens[inner].next)
          index += 1
        }
        path.append(PayloadKey(intValue: index))
      }
      outer = inner
    }
    return path
  }

  /// Returns the error for a token that could not be read as a value of a type.
  func failure(_ type: Any.Type, at token: Int, _ path: [any CodingKey]) -> DecodingError {
    let kind = kind(token)
    let isNumber = kind == .integer || kind == .number
    let isString = kind == .plain || kind == .escaped
    if kind == .null, type != Bool.self {
      return .valueNotFound(
        type, .init(codingPath: path, debugDescription: "Cannot get value of type \(type) -- found null value instead"))
    }
    if type == Date.self, isNumber || isString {
      let found = isString ? string(token)?.debugDescription : String(decoding: text(token), as: UTF8.self)
      let wanted = "Expected a time such as \"2026-03-31T18:30:00Z\""
      return .dataCorrupted(
        .init(codingPath: path, debugDescription: "\(wanted), found \(found ?? "bytes that aren't UTF-8")."))
    }
    if isNumber, type is any Numeric.Type {
      let text = String(decoding: text(token), as: UTF8.self)
      return .dataCorrupted(
        .init(codingPath: path, debugDescription: "Expected a number that \(type) can represent, found \(text)."))
    }
    if isString, Self.readsStrings(type) {
      let text = string(token)
      return .dataCorrupted(
        .init(
          codingPath: path,
          debugDescription: text.map { "Expected a string that represents \(type), found \($0.debugDescription)." }
            ?? "Expected a UTF-8 string, found other bytes."))
    }
    let wanted: Any.Type = Self.readsStrings(type) ? String.self : type
    return .typeMismatch(
      wanted,
      .init(codingPath: path, debugDescription: "Expected to decode \(wanted) but found \(description(kind)) instead."))
  }

  private static func readsStrings(_ type: Any.Type) -> Bool {
    type == String.self || type == Data.self || type == URL.self
  }

  private func description(_ kind: Kind) -> String {
    switch kind {
    case .null: "null"
    case .yes, .no: "bool"
    case .integer, .number: "number"
    case .plain, .escaped: "a string"
    case .array: "an array"
    case .object: "a dictionary"
    }
  }

  /// Returns the error for a token that is not the object or array that a container needs.
  func containerFailure(_ wanted: Kind, at token: Int, _ path: [any CodingKey]) -> DecodingError {
    let type: Any.Type = wanted == .object ? [String: Any].self : [Any].self
    if kind(token) == .null {
      let word = wanted == .object ? "keyed" : "unkeyed"
      return .valueNotFound(
        type,
        .init(
          codingPath: path, debugDescription: "Cannot get \(word) decoding container -- found null value instead"))
    }
    return .typeMismatch(
      type,
      .init(
        codingPath: path,
        debugDescription: "Expected to decode \(type) but found \(description(kind(token))) instead."))
  }
}
