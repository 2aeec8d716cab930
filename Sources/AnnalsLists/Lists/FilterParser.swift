import AnnalsLog

/// A parser that reads a filter string from left to right and creates the test for rows.
///
///     filter     = group { "or" group }
///     group      = term { "and" term }
///     term       = "not" term | "(" filter ")" | field test
///     test       = operator value | "in" "(" value { "," value } ")" | "exists" | (of a Boolean field) nothing
struct FilterParser<Row: AnnalsLists.Row> {
  typealias Test = @Sendable (Row) -> Bool
  typealias Field = FilterField<Row>
  /// The test, and its string in a normalized spelling.
  typealias Part = (test: Test, text: String)

  private let tokens: [FilterTokens.Token]
  private let fields: [ExactString: Field]
  private let names: [String]
  private var place = 0
  /// The nesting depth of terms.
  private var depth = 0
  private static var deepest: Int { 100 }

  init(_ tokens: FilterTokens, _ fields: [Field]) {
    self.tokens = tokens.tokens
    names = fields.map(\.name)
    self.fields = Dictionary(uniqueKeysWithValues: fields.map { (ExactString($0.name), $0) })
  }

  mutating func parse() throws(FilterError) -> Part {
    if next.content == .end { return ({ _ in true }, "") }
    let whole = try filter()
    guard next.content == .end else { throw expected("`and`, `or` or the end") }
    return whole
  }

  private mutating func filter() throws(FilterError) -> Part {
    var parts = [try group()]
    while take(word: "or", sign: "||") { parts.append(try group()) }
    if parts.count == 1 { return parts[0] }
    let tests = parts.map(\.test)
    return ({ row in tests.contains { $0(row) } }, parts.map(\.text).joined(separator: " or "))
  }

  private mutating func group() throws(FilterError) -> Part {
    var parts = [try term()]
    while take(word: "and", sign: "&&") { parts.append(try term()) }
    if parts.count == 1 { return parts[0] }
    let tests = parts.map(\.test)
    return ({ row in tests.allSatisfy { $0(row) } }, parts.map(\.text).joined(separator: " and "))
  }

  private mutating func term() throws(FilterError) -> Part {
    depth += 1
    defer { depth -= 1 }
    // The innermost comparison counts as a term too.
    if depth > Self.deepest + 1 { throw expected("at most \(Self.deepest) nested terms") }
    if take(word: "not") {
      let part = try term()
      return ({ !part.test($0) }, "not " + part.text)
    }
    if take(sign: "(") {
      let part = try filter()
      guard take(sign: ")") else { throw expected("`and`, `or` or `)`") }
      return (part.test, "(" + part.text + ")")
    }
    return try comparison()
  }

  private mutating func comparison() throws(FilterError) -> Part {
    guard case .literal(let name) = next.content, name.kind == .word, let field = fields[ExactString(name.text)] else {
      throw expected("one of the fields " + names.joined(separator: ", "))
    }
    place += 1
    if take(word: "exists") { return (field.exists, field.name + " exists") }
    if take(word: "in") { return try list(of: field) }
    guard let operation = takeOperator() else {
      if field.kind == .bool, isAtEndOfTerm, let test = field.compare(.equals, .init(kind: .word, text: "true")) {
        return (test, field.name + " = true")
      }
      let words = field.kind == .text ? "contains starts ends " : ""
      throw expected("an operator after \(field.name) (= != < <= > >= \(words)in exists)")
    }
    if operation.isOfTexts, field.kind != .text {
      place -= 1
      throw expected("an operator after \(field.name), which is \(field.expects) (= != < <= > >= in exists)")
    }
    if !operation.isOfTexts, take(word: "null") { return try null(field, operation) }
    let (literal, text) = try value(of: field)
    guard let test = field.compare(operation, literal) else {
      place -= 1
      throw expected("\(field.expects) for \(field.name)")
    }
    return (test, "\(field.name) \(operation.rawValue) \(text)")
  }

  /// Returns the part for `= null` or `!= null`.
  private mutating func null(_ field: Field, _ operation: FilterOperator) throws(FilterError) -> Part {
    guard field.isOptional, !operation.isOfOrder else {
      // A string can also have the value "null".
      if field.kind == .text, let test = field.compare(operation, .init(kind: .text, text: tokens[place - 1].source)) {
        return (test, "\(field.name) \(operation.rawValue) \(JSONValue.quoted(tokens[place - 1].source))")
      }
      place -= 1
      throw expected("\(field.expects) for \(field.name)")
    }
    let exists = field.exists
    return operation == .equals
      ? ({ !exists($0) }, "not \(field.name) exists") : (exists, "\(field.name) exists")
  }

  private mutating func list(of field: Field) throws(FilterError) -> Part {
    guard take(sign: "(") else { throw expected("`(` and a list of values after `in`") }
    var tests: [Test] = []
    var texts: [String] = []
    repeat {
      let (literal, text) = try value(of: field)
      guard let test = field.compare(.equals, literal) else {
        place -= 1
        throw expected("\(field.expects) for \(field.name)")
      }
      tests.append(test)
      texts.append(text)
    } while take(sign: ",")
    guard take(sign: ")") else { throw expected("`,` and another value, or `)`") }
    let all = tests
    return ({ row in all.contains { $0(row) } }, "\(field.name) in (\(texts.joined(separator: ", ")))")
  }

  /// Returns a value, and its string in a normalized spelling.
  private mutating func value(of field: Field) throws(FilterError) -> (FilterLiteral, String) {
    guard case .literal(let literal) = next.content else { throw expected("\(field.expects) for \(field.name)") }
    place += 1
    let isPlain = literal.kind == .number && (field.kind == .integer || field.kind == .number) || field.kind == .bool
    // In a type that is read as JSON, 5 and "5" can be different values, and case can matter.
    if case .other = field.kind, literal.kind != .text { return (literal, literal.text) }
    return (literal, isPlain ? literal.text.lowercased() : JSONValue.quoted(literal.text))
  }

  private mutating func takeOperator() -> FilterOperator? {
    let found: FilterOperator?
    switch next.content {
    case .sign(let sign): found = FilterOperator(rawValue: sign)
    case .literal(let word): found = word.kind == .word ? FilterOperator(rawValue: word.text.lowercased()) : nil
    case .end: found = nil
    }
    if found != nil { place += 1 }
    return found
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

  private mutating func take(word: String, sign: String? = nil) -> Bool {
    if case .literal(let found) = next.content, found.kind == .word, found.text.lowercased() == word {
      place += 1
      return true
    }
    return sign.map { take(sign: $0) } ?? false
  }

  private mutating func take(sign: String) -> Bool {
    guard next.content == .sign(sign) else { return false }
    place += 1
    return true
  }

  private func expected(_ what: String) -> FilterError {
    let found = next.content == .end ? "the end" : "\"\(next.source.shortened(to: 40))\""
    return FilterError(column: next.column, expected: what, found: found)
  }
}
