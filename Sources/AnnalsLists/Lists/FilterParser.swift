import AnnalsLog

/// A field that a filter string can compare.
package protocol FilterTarget {
  associatedtype Test: Sendable

  var name: String { get }
  /// The kind of the field's values.
  var kind: FilterKind { get }
  /// True if the field can be empty in a row.
  var isOptional: Bool { get }
  /// The test for rows that have a value.
  var exists: Test { get }

  /// Returns the test for an operator with a literal, or `nil` if the literal isn't a value of the field.
  func compare(_ operation: FilterOperator, _ literal: FilterLiteral) -> Test?
}

/// A parser that reads a filter string from left to right and creates the tests for rows.
///
///     filter     = group { "or" group }
///     group      = term { "and" term }
///     term       = "not" term | "(" filter ")" | field test
///     test       = operator value | "in" "(" value { "," value } ")" | "exists" | (of a Boolean field) nothing
package struct FilterParser<Field: FilterTarget> {
  package typealias Tree = FilterTree<Field.Test>
  /// The condition, and its string in a normalized spelling.
  package typealias Part = (tree: Tree, text: String)

  /// The filter string.
  package let text: String
  private let tokens: [FilterTokens.Token]
  /// Returns the field with a name.
  private let field: (FilterLiteral) -> Field?
  /// The description of a field for error messages.
  private let expectation: String
  /// Parses a term that begins with a word and isn't a comparison of a field, or returns `nil`.
  package var special: ((inout Self) throws(FilterError) -> Tree?)?
  private var place = 0
  /// The nesting depth of terms.
  ///
  /// In a debug build, 64 levels needed more than 512 KB of stack in the replay tool, which is the stack of a secondary
  /// thread on Apple's systems.
  private var depth = 0
  private static var deepest: Int { 40 }

  package init(_ tokens: FilterTokens, expecting expectation: String, _ field: @escaping (FilterLiteral) -> Field?) {
    (text, self.tokens) = (tokens.text, tokens.tokens)
    self.expectation = expectation
    self.field = field
  }

  package mutating func parse() throws(FilterError) -> Part {
    if next.content == .end { return (.all([]), "") }
    let whole = try filter()
    guard next.content == .end else { throw expected("`and`, `or` or the end") }
    return whole
  }

  package mutating func filter() throws(FilterError) -> Part {
    var parts = [try group()]
    while take(word: "or", sign: "||") { parts.append(try group()) }
    return parts.count == 1 ? parts[0] : (.any(parts.map(\.tree)), parts.map(\.text).joined(separator: " or "))
  }

  private mutating func group() throws(FilterError) -> Part {
    var parts = [try term()]
    while take(word: "and", sign: "&&") { parts.append(try term()) }
    return parts.count == 1 ? parts[0] : (.all(parts.map(\.tree)), parts.map(\.text).joined(separator: " and "))
  }

  private mutating func term() throws(FilterError) -> Part {
    depth += 1
    defer { depth -= 1 }
    // The innermost comparison counts as a term too.
    if depth > Self.deepest + 1 { throw expected("at most \(Self.deepest) nested terms") }
    if take(word: "not") {
      let part = try term()
      return (.not(part.tree), "not " + part.text)
    }
    if take(sign: "(") {
      let part = try filter()
      guard take(sign: ")") else { throw expected("`and`, `or` or `)`") }
      return (part.tree, "(" + part.text + ")")
    }
    if let tree = try special?(&self) { return (tree, "") }
    return try comparison()
  }

  /// Parses the comparison of a field.
  ///
  /// - Parameter prefix: The text before the field's name.
  /// - Returns: The comparison.
  /// - Throws: `FilterError`.
  package mutating func comparison(after prefix: String = "") throws(FilterError) -> Part {
    let expectation = prefix.isEmpty ? expectation : "`\(prefix)` and a field"
    guard case .literal(var name) = next.content else { throw expected(expectation) }
    if !prefix.isEmpty {
      guard name.kind == .word, name.text.hasPrefix(prefix) else { throw expected(expectation) }
      name = .init(kind: .word, text: String(name.text.dropFirst(prefix.count)), column: name.column)
      if name.text.isEmpty {
        place += 1
        name = try takeLiteral("a field")
        place -= 1
      }
    }
    guard let field = field(name) else { throw expected(expectation) }
    place += 1
    if take(word: "exists") { return (.test(field.exists), field.name + " exists") }
    if take(word: "in") { return try list(of: field) }
    guard let operation = takeOperator(of: field) else {
      if field.kind == .bool || field.kind == .any && FilterTokens.isName(name.text), isAtEndOfTerm,
        let test = field.compare(.equals, .init(kind: .implied, text: "true", column: next.column))
      {
        return (.test(test), field.name + " = true")
      }
      throw expected("an operator after \(field.name) (\(field.kind.operators))")
    }
    if operation.isOfTexts, field.kind != .text, field.kind != .any {
      place -= 1
      throw expected("an operator after \(field.name), which is \(field.kind.expectation) (\(field.kind.operators))")
    }
    if !operation.isOfTexts, take(word: "null") { return try null(field, operation) }
    let (literal, text) = try value(of: field)
    guard let test = field.compare(operation, literal) else {
      place -= 1
      throw expected(
        "\(operation == .matches ? "a regular expression" : field.kind.expectation) for \(field.name)")
    }
    return (.test(test), "\(field.name) \(operation.rawValue) \(text)")
  }

  /// Returns the part for `= null` or `!= null`.
  private mutating func null(_ field: Field, _ operation: FilterOperator) throws(FilterError) -> Part {
    guard field.isOptional, !operation.isOfOrder else {
      // A string can also have the value "null".
      let word = FilterLiteral(kind: .text, text: tokens[place - 1].source, column: tokens[place - 1].column)
      if field.kind == .text || field.kind == .any, let test = field.compare(operation, word) {
        return (.test(test), "\(field.name) \(operation.rawValue) \(JSONValue.quoted(word.text))")
      }
      place -= 1
      throw expected("\(field.kind.expectation) for \(field.name)")
    }
    let exists = Tree.test(field.exists)
    return operation == .equals ? (.not(exists), "not \(field.name) exists") : (exists, "\(field.name) exists")
  }

  private mutating func list(of field: Field) throws(FilterError) -> Part {
    guard take(sign: "(") else { throw expected("`(` and a list of values after `in`") }
    var tests: [Tree] = []
    var texts: [String] = []
    repeat {
      let (literal, text) = try value(of: field)
      guard let test = field.compare(.equals, literal) else {
        place -= 1
        throw expected("\(field.kind.expectation) for \(field.name)")
      }
      tests.append(.test(test))
      texts.append(text)
    } while take(sign: ",")
    guard take(sign: ")") else { throw expected("`,` and another value, or `)`") }
    return (.any(tests), "\(field.name) in (\(texts.joined(separator: ", ")))")
  }

  /// Returns a value, and its string in a normalized spelling.
  private mutating func value(of field: Field) throws(FilterError) -> (FilterLiteral, String) {
    let expectation = "\(field.kind.expectation) for \(field.name)"
    let literal = try takeLiteral(expectation)
    var takesJSON = field.kind == .any
    if case .other = field.kind { takesJSON = true }
    if literal.kind == .json, !takesJSON {
      place -= 1
      throw expected(expectation)
    }
    let isPlain = literal.kind == .number && (field.kind == .integer || field.kind == .number) || field.kind == .bool
    // In a type that is read as JSON, 5 and "5" can be different values, and case can matter.
    if case .other = field.kind, literal.kind != .text { return (literal, literal.text) }
    return (literal, isPlain ? literal.text.lowercased() : JSONValue.quoted(literal.text))
  }

  /// Takes an operator that compares two values, such as `=`.
  package mutating func takeComparison() -> FilterOperator? {
    guard case .sign(let sign) = next.content, let found = FilterOperator(rawValue: sign) else { return nil }
    place += 1
    return found
  }

  private mutating func takeOperator(of field: Field) -> FilterOperator? {
    if let found = takeComparison() { return found }
    guard case .literal(let word) = next.content, word.kind == .word,
      let found = FilterOperator(rawValue: word.text.lowercased()), found != .matches || field.kind == .any
    else { return nil }
    place += 1
    return found
  }

  /// Takes a value.
  package mutating func takeLiteral(_ expectation: String) throws(FilterError) -> FilterLiteral {
    guard case .literal(let literal) = next.content else { throw expected(expectation) }
    place += 1
    return literal
  }

  /// The next token if it is a word without quotes, and the sign after it if there is one.
  package var nextWord: (word: String, sign: String?)? {
    guard case .literal(let literal) = next.content, literal.kind == .word else { return nil }
    if case .sign(let sign) = tokens[place + 1].content { return (literal.text, sign) }
    return (literal.text, nil)
  }

  private var next: FilterTokens.Token { tokens[place] }

  /// True at the end of a term.
  private var isAtEndOfTerm: Bool {
    switch next.content {
    case .end: true
    case .sign(let sign): sign == ")" || sign == "&&" || sign == "||"
    case .literal(let word): word.kind == .word && ["and", "or"].contains(word.text.lowercased())
    }
  }

  package mutating func take(word: String, sign: String? = nil) -> Bool {
    if case .literal(let found) = next.content, found.kind == .word, found.text.lowercased() == word {
      place += 1
      return true
    }
    return sign.map { take(sign: $0) } ?? false
  }

  package mutating func take(sign: String) -> Bool {
    guard next.content == .sign(sign) else { return false }
    place += 1
    return true
  }

  /// Returns the error for the next token.
  package func expected(_ what: String) -> FilterError {
    let found = next.content == .end ? "the end" : "\"\(next.source.shortened(to: 40))\""
    return FilterError(column: next.column, expected: what, found: found)
  }
}
