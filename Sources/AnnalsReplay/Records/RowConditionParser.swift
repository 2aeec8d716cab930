import Annals

extension RowCondition {
  /// The permitted depth of nested brackets.
  ///
  /// In a debug build, 64 levels needed more than 512 KB of stack, which is the stack of a secondary thread on Apple's
  /// systems.
  static let maximumDepth = 40

  /// What is wrong with the text of a condition.
  struct Problem: Error {
    let message: String
  }

  /// The operators, as an error lists them.
  static let operators = "= != < <= > >= contains starts ends matches in exists"

  /// Parses a condition.
  ///
  /// - Parameter text: Such as `price >= 50 and shelf in (a, b)`.
  /// - Throws: ``Problem``.
  init(_ text: String) throws {
    var parser = RowConditionParser(text)
    self = try parser.parse()
  }
}

/// Reads the text of a condition from left to right.
///
/// A value that is not quoted ends at a bracket that closes one of the condition's own, or at " and " or " or " if
/// another condition follows: `title = War and Peace` is one comparison, because "Peace" is no condition. A field whose
/// name has one of these words is quoted, so that `title = War and Peace and price > 5` is two comparisons.
private struct RowConditionParser {
  private let text: [Character]
  private var place = 0
  /// How many brackets of the condition's own are open.
  private var depth = 0
  /// Where values are known to end, or not to, by place and depth: what follows is parsed once to find out.
  private let ends = Ends()

  private final class Ends {
    var known: [[Int]: Bool] = [:]
  }

  init(_ text: String) { self.text = Array(text) }

  mutating func parse() throws -> RowCondition {
    let condition = try alternatives()
    skipSpace()
    if place < text.count { throw problem("expected the end, found \"\(rest)\"") }
    return condition
  }

  private mutating func alternatives() throws -> RowCondition {
    var found = [try conjunction()]
    while take(word: "or") { found.append(try conjunction()) }
    return found.count == 1 ? found[0] : .any(found)
  }

  private mutating func conjunction() throws -> RowCondition {
    var found = [try negation()]
    while take(word: "and") { found.append(try negation()) }
    return found.count == 1 ? found[0] : .all(found)
  }

  private mutating func negation() throws -> RowCondition {
    var isNegated = false
    skipSpace()
    var start = place
    while take(word: "not") {
      skipSpace()
      // A field may be called "not".
      guard place < text.count, !startsOperator else {
        place = start
        break
      }
      isNegated.toggle()
      start = place
    }
    let condition = try operand()
    return isNegated ? .not(condition) : condition
  }

  private mutating func operand() throws -> RowCondition {
    guard place < text.count, text[place] == "(" else { return .comparison(try comparison()) }
    place += 1
    depth += 1
    if depth > RowCondition.maximumDepth {
      throw problem("expected at most \(RowCondition.maximumDepth) brackets in each other")
    }
    let condition = try alternatives()
    skipSpace()
    guard place < text.count, text[place] == ")" else { throw problem("expected ), found the end") }
    place += 1
    depth -= 1
    return condition
  }

  private mutating func comparison() throws -> RowCondition.Comparison {
    skipSpace()
    let field = try field()
    let name = FieldPath(field)
    guard let found = takeOperator() else {
      throw problem("expected one of \(RowCondition.operators) after \"\(field)\", found \"\(rest)\"")
    }
    if found == "exists" { return .init(field: name, test: .exists) }
    if found == "in" { return .init(field: name, test: .isIn(try list())) }
    let literal = RowCondition.Literal(try value(after: found))
    let test: RowCondition.Test =
      switch found {
      case "=": .equals(literal)
      case "!=": .differs(literal)
      case "<": .less(literal)
      case "<=": .atMost(literal)
      case ">": .greater(literal)
      case ">=": .atLeast(literal)
      case "contains": .contains(literal)
      case "starts": .starts(literal)
      case "ends": .ends(literal)
      default: .matches(try pattern(literal))
      }
    return .init(field: name, test: test)
  }

  private func pattern(_ literal: RowCondition.Literal) throws -> TextPattern {
    do {
      return try TextPattern(literal.value.string ?? literal.text)
    } catch {
      throw problem("expected a regular expression after matches, found \"\(literal.text)\"")
    }
  }

  /// The field's name, which ends at the first operator; in quotes it is JSON.
  private mutating func field() throws -> String {
    if place < text.count, text[place] == "\"", let quoted = takeQuoted() { return quoted }
    let start = place
    while place < text.count, !startsOperator {
      // Such a name is an error. Without this, a long text would be read to its end for every one of its words.
      if text[place] == " ", place > start + 512, joins(from: start) { break }
      place += 1
    }
    let name = trimmed(text[start..<place])
    guard !name.isEmpty, place < text.count else {
      let found = place < text.count ? "the operator first" : "\"\(name)\""
      throw problem("expected FIELD OP VALUE with one of \(RowCondition.operators), found \(found)")
    }
    if name.split(separator: " ").count > 1, let word = name.split(separator: " ").first(where: Self.joins) {
      throw problem("expected a field's name, in quotes because it has \(word), found \(name)")
    }
    return name
  }

  /// True of a word that joins conditions.
  private static func joins(_ word: Substring) -> Bool { ["and", "or", "AND", "OR"].contains(word) }

  /// True if the words from a place on have a word that joins conditions, after the first word.
  private func joins(from start: Int) -> Bool {
    text[start..<place].split(separator: " ").dropFirst().contains { Self.joins(Substring(String($0))) }
  }

  private static let signs = ["!=", "<=", ">=", "=", "<", ">"]
  private static let words = ["contains", "starts", "ends", "matches", "in", "exists"]

  private var startsOperator: Bool {
    var copy = self
    return copy.takeOperator() != nil
  }

  /// Takes a sign, or a word between spaces.
  private mutating func takeOperator() -> String? {
    for sign in Self.signs where starts(sign, at: place) {
      place += sign.count
      return sign
    }
    var start = place
    // After a field in quotes the space before the word is still there.
    while start < text.count, text[start] == " " { start += 1 }
    guard start > 0, text[start - 1] == " " || text[start - 1] == "\"" else {
      return start > place ? takeSign(at: start) : nil
    }
    for word in Self.words where starts(word, at: start) {
      let end = start + word.count
      guard
        end == text.count || text[end] == " " || (word != "exists" && "([".contains(text[end]))
          || (word == "exists" && text[end] == ")")
      else { continue }
      place = end
      return word
    }
    return start > place ? takeSign(at: start) : nil
  }

  private mutating func takeSign(at start: Int) -> String? {
    for sign in Self.signs where starts(sign, at: start) {
      place = start + sign.count
      return sign
    }
    return nil
  }

  /// The text of a value.
  private mutating func value(after sign: String) throws -> String {
    skipSpace()
    if place < text.count, "<>=!".contains(text[place]) {
      throw problem(
        "expected a value after \(sign), found a second operator. Put a value that begins with \(text[place]) in quotes"
      )
    }
    if place < text.count, text[place] == "\"" {
      let start = place
      if takeQuoted() != nil { return String(text[start..<place]) }
    }
    let start = place
    var open = 0
    while place < text.count {
      if text[place] == "(" || text[place] == "[" || text[place] == "{" { open += 1 }
      if text[place] == ")" || text[place] == "]" || text[place] == "}" {
        if open == 0, depth > 0 { break }
        open -= 1
      }
      if open <= 0, text[place] == " ", endsValue { break }
      place += 1
    }
    let value = trimmed(text[start..<place])
    // An empty text is something to be equal to, and nothing to be compared with.
    if value.isEmpty, sign != "=", sign != "!=" { throw problem("expected a value after \(sign), found none") }
    let words = value.split(separator: " ")
    if words.count > 1, let last = words.last, Self.joins(last) {
      throw problem("expected a condition after \(last), or quotes around a value that ends with it, found \(value)")
    }
    return value
  }

  /// True if " and " or " or " and a condition follow.
  private var endsValue: Bool {
    if !startsJoiningWord { return false }
    if let known = ends.known[[place, depth]] { return known }
    // From the last place to this one, so that a look ahead finds the later results, and doesn't call itself for every
    // term.
    var copy = self
    for other in text.indices[place...].reversed() where text[other] == " " {
      copy.place = other
      if copy.startsJoiningWord, ends.known[[other, depth]] == nil {
        ends.known[[other, depth]] = copy.isFollowedByCondition
      }
    }
    return ends.known[[place, depth]] ?? false
  }

  /// True if "and" or "or" follows.
  private var startsJoiningWord: Bool {
    var copy = self
    return copy.take(word: "and") || copy.take(word: "or")
  }

  private var isFollowedByCondition: Bool {
    for word in ["and", "or"] {
      var copy = self
      guard copy.take(word: word), copy.place < copy.text.count else { continue }
      if (try? copy.negation()) != nil { return true }
    }
    return false
  }

  /// The values after `in`: `(a, b)` or a JSON array.
  private mutating func list() throws -> [RowCondition.Literal] {
    skipSpace()
    guard place < text.count, text[place] == "(" || text[place] == "[" else {
      throw problem("expected (VALUE, VALUE) after in, found \"\(rest)\"")
    }
    let close: Character = text[place] == "(" ? ")" : "]"
    place += 1
    var found: [RowCondition.Literal] = []
    while true {
      skipSpace()
      let start = place
      // A value may be an array or an object, with texts in it.
      var open = 0
      while place < text.count, open > 0 || text[place] != "," && text[place] != close {
        if text[place] == "\"", takeQuoted() != nil { continue }
        if "[{(".contains(text[place]) { open += 1 }
        if "]})".contains(text[place]) { open -= 1 }
        place += 1
      }
      guard place < text.count else { throw problem("expected \(close) at the end of the values, found the end") }
      let word = trimmed(text[start..<place])
      if !word.isEmpty { found.append(.init(word)) }
      place += 1
      if text[place - 1] == close { return found }
    }
  }

  /// A JSON string at the place, as text.
  private mutating func takeQuoted() -> String? {
    var end = place + 1
    while end < text.count, text[end] != "\"" { end += text[end] == "\\" ? 2 : 1 }
    guard end < text.count, case .string(let quoted)? = try? JSONValue(parsing: String(text[place...end])) else {
      return nil
    }
    place = end + 1
    return quoted
  }

  private mutating func take(word: String) -> Bool {
    var start = place
    while start < text.count, text[start] == " " { start += 1 }
    let end = start + word.count
    // In capitals too, as SQL has them.
    guard starts(word, at: start) || starts(word.uppercased(), at: start),
      end == text.count || text[end] == " " || text[end] == "("
    else { return false }
    guard start == 0 || text[start - 1] == " " || text[start - 1] == ")" || text[start - 1] == "(" else { return false }
    place = end
    return true
  }

  private func starts(_ word: String, at start: Int) -> Bool { text[min(start, text.count)...].starts(with: word) }

  private mutating func skipSpace() { while place < text.count, text[place] == " " { place += 1 } }

  private var rest: String { String(text[min(place, text.count)...]) }

  private func trimmed(_ part: ArraySlice<Character>) -> String {
    let start = part.drop { $0 == " " }
    return String(start.prefix(start.count - start.reversed().prefix { $0 == " " }.count))
  }

  private func problem(_ message: String) -> RowCondition.Problem { .init(message: message) }
}
