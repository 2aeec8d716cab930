import AnnalsLog

/// A literal value in a filter string.
package struct FilterLiteral: Equatable, Sendable {
  package enum Kind: Sendable {
    case word, number, text
    /// A JSON array or object.
    case json
    /// The value `true` of a field without an operator.
    case implied
  }

  package let kind: Kind
  /// The value, without the quotes of a quoted string.
  package let text: String
  /// The place of the literal's first character, counted from 1.
  package let column: Int

  package init(kind: Kind, text: String, column: Int = 1) {
    (self.kind, self.text, self.column) = (kind, text, column)
  }

  /// Creates a literal for a value that isn't part of a filter string.
  package init(_ text: String) { self.init(kind: JSONNumber(text: text) == nil ? .word : .number, text: text) }
}

/// The tokens of a filter string: words, numbers, quoted strings, JSON arrays and objects, and signs.
package struct FilterTokens: Sendable {
  enum Content: Equatable, Sendable {
    case literal(FilterLiteral)
    case sign(String)
    case end
  }

  struct Token: Sendable {
    let content: Content
    /// The place of the token's first character, counted from 1.
    let column: Int
    /// The token as written.
    let source: String
  }

  static let words = ["and", "or", "not", "in", "exists", "contains", "starts", "ends", "null", "true", "false"]
  private static let signs = ["==", "!=", "<=", ">=", "&&", "||", "=", "<", ">", "(", ")", ","]
  private static let longest = 10_000

  private(set) var tokens: [Token] = []
  /// The filter string.
  let text: String

  /// Returns true for valid field names.
  package static func isName(_ text: String) -> Bool {
    guard let first = text.first, first.isLetter else { return false }
    return text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
      && !words.contains(text.lowercased())
  }

  package init(_ text: String) throws(FilterError) {
    self.text = text
    let text = Array(text.prefix(Self.longest + 1))
    if text.count > Self.longest {
      throw FilterError(
        column: Self.longest + 1, expected: "at most \(Self.longest) characters", found: "more")
    }
    var place = 0
    while place < text.count {
      let start = place
      let first = text[place]
      if first.isWhitespace {
        place += 1
        continue
      }
      let content: Content
      if first == "\"" || first == "'" {
        content = .literal(FilterLiteral(kind: .text, text: try Self.quoted(text, &place), column: start + 1))
      } else if first == "[" || first == "{" {
        content = .literal(FilterLiteral(kind: .json, text: try Self.json(text, &place), column: start + 1))
      } else if let sign = Self.signs.first(where: { text[place...].starts(with: $0) }) {
        place += sign.count
        content = .sign(sign == "==" ? "=" : sign)
      } else if Self.isPartOfWord(first) {
        place = Self.endOfWord(text, place)
        let word = String(text[start..<place])
        let isNumber = first.isASCII && (first.isNumber || first == "-" || first == "+")
        content = .literal(FilterLiteral(kind: isNumber ? .number : .word, text: word, column: start + 1))
      } else {
        throw FilterError(
          column: start + 1, expected: "a field, an operator, a value or a quoted string",
          found: "\"\(first)\"")
      }
      tokens.append(Token(content: content, column: start + 1, source: String(text[start..<place])))
    }
    tokens.append(Token(content: .end, column: text.count + 1, source: ""))
  }

  private static func isPartOfWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || "_.:+-/@#%$*?~^".contains(character)
  }

  /// Returns the end of the word at a place.
  ///
  /// Indices in brackets, such as in `tags[0]`, are a part of the word.
  private static func endOfWord(_ text: [Character], _ start: Int) -> Int {
    var place = text[start...].firstIndex { !isPartOfWord($0) } ?? text.count
    while place < text.count, text[place] == "[",
      let end = text[(place + 1)...].firstIndex(where: { !$0.isASCII || !$0.isNumber }), end > place + 1,
      text[end] == "]"
    {
      place = text[(end + 1)...].firstIndex { !isPartOfWord($0) } ?? text.count
    }
    return place
  }

  /// Returns the JSON array or object at a place.
  private static func json(_ text: [Character], _ place: inout Int) throws(FilterError) -> String {
    var (end, depth, isQuoted) = (place, 0, false)
    repeat {
      switch text[end] {
      case "\\" where isQuoted: end += 1
      case "\"": isQuoted.toggle()
      case "[" where !isQuoted, "{" where !isQuoted: depth += 1
      case "]" where !isQuoted, "}" where !isQuoted: depth -= 1
      default: break
      }
      end += 1
    } while end < text.count && depth > 0
    let json = String(text[place..<min(end, text.count)])
    guard (try? JSONValue(parsing: json)) != nil else {
      throw FilterError(
        column: place + 1, expected: "a JSON array or object", found: "\"\(json.shortened(to: 40))\"")
    }
    place = end
    return json
  }

  /// Returns the string between quotes.
  ///
  /// A backslash escapes a quote and a backslash. Double quotes can also contain the other escapes of JSON.
  private static func quoted(_ text: [Character], _ place: inout Int) throws(FilterError) -> String {
    let (quote, start) = (text[place], place)
    var found = ""
    place += 1
    while place < text.count, text[place] != quote {
      if text[place] == "\\", place + 1 < text.count, text[place + 1] == quote || text[place + 1] == "\\" { place += 1 }
      found.append(text[place])
      place += 1
    }
    if place == text.count {
      throw FilterError(
        column: place + 1, expected: "\(quote) at the end of the string that begins at character \(start + 1)",
        found: "the end")
    }
    place += 1
    let json = quote == "\"" && text[start..<place].contains("\\") ? String(text[start..<place]) : ""
    return (try? JSONValue(parsing: json))?.string ?? found
  }
}
