/// A literal value in a filter string.
struct FilterLiteral: Equatable, Sendable {
  enum Kind: Sendable { case word, number, text }

  let kind: Kind
  /// The value, without the quotes of a quoted string.
  let text: String
}

/// The tokens of a filter string: words, numbers, quoted strings and signs.
struct FilterTokens: Sendable {
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

  /// Returns true for valid field names.
  static func isName(_ text: String) -> Bool {
    guard let first = text.first, first.isLetter else { return false }
    return text.allSatisfy { isPartOfWord($0) && $0 != "-" && $0 != ":" && $0 != "+" }
      && !words.contains(text.lowercased())
  }

  init(_ text: String) throws(FilterError) {
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
        content = .literal(FilterLiteral(kind: .text, text: try Self.quoted(text, &place)))
      } else if let sign = Self.signs.first(where: { text[place...].starts(with: $0) }) {
        place += sign.count
        content = .sign(sign == "==" ? "=" : sign)
      } else if Self.isPartOfWord(first) {
        place = text[place...].firstIndex { !Self.isPartOfWord($0) } ?? text.count
        let word = String(text[start..<place])
        let isNumber = first.isASCII && (first.isNumber || first == "-" || first == "+")
        content = .literal(FilterLiteral(kind: isNumber ? .number : .word, text: word))
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
    character.isLetter || character.isNumber || "_.:+-".contains(character)
  }

  /// Returns the string between quotes.
  ///
  /// A backslash escapes the next character.
  private static func quoted(_ text: [Character], _ place: inout Int) throws(FilterError) -> String {
    let (quote, start) = (text[place], place)
    var found = ""
    place += 1
    while place < text.count, text[place] != quote {
      if text[place] == "\\", place + 1 < text.count { place += 1 }
      found.append(text[place])
      place += 1
    }
    if place == text.count {
      throw FilterError(
        column: place + 1, expected: "\(quote) at the end of the string that begins at character \(start + 1)",
        found: "the end")
    }
    place += 1
    return found
  }
}
