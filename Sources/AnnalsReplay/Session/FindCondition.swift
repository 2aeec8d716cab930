import Annals

/// A condition on a whole list, as `find` takes it: `count(price > 50) > 3`, `row(b3).price > 50`, `exists(b3)`,
/// `section(odd).count = 0`, `index(b3) = [0, 0]`, `changed(b3.price)`, or a condition that some row meets.
indirect enum FindCondition {
  case count(RowCondition?, Number)
  case row(String, RowCondition)
  case exists(String)
  case section(String, Number)
  case index(String, RowPath)
  case changed(String, String?)
  case some(RowCondition)
  case not(FindCondition)
  case all([FindCondition])
  case any([FindCondition])

  /// A comparison with a number.
  struct Number {
    let operation: String
    let value: Int

    func holds(_ found: Int) -> Bool {
      switch operation {
      case "=": found == value
      case "!=": found != value
      case "<": found < value
      case "<=": found <= value
      case ">": found > value
      default: found >= value
      }
    }
  }

  /// True if the number of rows and the events of the named rows decide whether the condition holds.
  var hasTurns: Bool {
    switch self {
    case .count(nil, _), .row, .exists: true
    case .not(let condition): condition.hasTurns
    case .all(let conditions), .any(let conditions): conditions.allSatisfy(\.hasTurns)
    case .count, .section, .index, .changed, .some: false
    }
  }

  /// The positions after which the condition may begin or cease to hold, by an index, in order.
  func turns(_ index: ListIndex) -> [Position] {
    switch self {
    case .count(nil, let number): index.turns { number.holds($0) }
    case .row(let id, _), .exists(let id):
      index.events(ofHash: OrderKey(id).fingerprint, through: index.end).map { Position(Int($0)) }
    case .not(let condition): condition.turns(index)
    case .all(let conditions), .any(let conditions): Set(conditions.flatMap { $0.turns(index) }).sorted()
    case .count, .section, .index, .changed, .some: []
    }
  }

  /// The ids of the rows that the condition names.
  var ids: [String] {
    switch self {
    case .row(let id, _), .exists(let id), .index(let id, _), .changed(let id, _): [id]
    case .not(let condition): condition.ids
    case .all(let conditions), .any(let conditions): conditions.flatMap(\.ids)
    case .count, .section, .some: []
    }
  }

  /// The names of rows in the condition.
  ///
  /// A row with one of a group's names is enough, because `changed(a.b)` can mean the row `a.b` or a field of the row
  /// `a`.
  var namedRows: [[String]] {
    switch self {
    case .row(let id, _), .exists(let id), .index(let id, _), .changed(let id, _): [[id]]
    case .not(let condition): condition.namedRows
    case .any(let conditions) where conditions.allSatisfy(\.asksForChanges): [conditions.flatMap(\.ids)]
    case .all(let conditions), .any(let conditions): conditions.flatMap(\.namedRows)
    case .count, .section, .some: []
    }
  }

  /// The fields in the condition, except in `changed`.
  var fields: [FieldPath] {
    switch self {
    case .count(let condition, _): condition?.fields ?? []
    case .row(_, let condition), .some(let condition): condition.fields
    case .not(let condition): condition.fields
    case .all(let conditions), .any(let conditions): conditions.flatMap(\.fields)
    case .exists, .section, .index, .changed: []
    }
  }

  /// The keys or titles of sections in the condition.
  var sections: [String] {
    switch self {
    case .section(let key, _): [key]
    case .not(let condition): condition.sections
    case .all(let conditions), .any(let conditions): conditions.flatMap(\.sections)
    case .count, .row, .exists, .index, .changed, .some: []
    }
  }

  /// True if it asks what a batch changed, and not only what the list is like.
  var asksForChanges: Bool {
    switch self {
    case .changed: true
    case .not(let condition): condition.asksForChanges
    case .all(let conditions), .any(let conditions): conditions.contains(where: \.asksForChanges)
    case .count, .row, .exists, .section, .index, .some: false
    }
  }

  /// What a condition may be, as help and errors list it.
  static let forms =
    "count > 3, count(CONDITION) > 3, row(ID).FIELD > 50, exists(ID), section(KEY).count = 0, index(ID) = [0, 0], "
    + "changed(ID), changed(ID.FIELD), or a condition that some row meets, joined by and, or, not"

  /// The permitted depth of nested brackets and "not", because every bracket can follow a "not".
  private static let deepest = 2 * RowCondition.maximumDepth

  /// The regular expressions of the condition.
  var patterns: [TextPattern] {
    switch self {
    case .count(let condition, _): condition?.patterns ?? []
    case .row(_, let condition), .some(let condition): condition.patterns
    case .not(let condition): condition.patterns
    case .all(let conditions), .any(let conditions): conditions.flatMap(\.patterns)
    case .exists, .section, .index, .changed: []
    }
  }

  /// Reads a condition.
  ///
  /// - Parameter text: The condition.
  /// - Throws: ``ReplayError``.
  init(_ text: String) throws { try self.init(text, depth: 0) }

  private init(_ text: String, depth: Int) throws {
    if depth > Self.deepest {
      throw ReplayError.usage("expected at most \(Self.deepest) brackets and \"not\" in each other")
    }
    var terms: [Term] = []
    for part in Self.parts(text) {
      let parsed = Result { try Self.single(part.text.trimmed, depth) }
      if (try? parsed.get()) == nil, let last = terms.indices.last {
        // What is no condition belongs to the value before it: "title = War and Peace".
        terms[last].text += " \(part.word) " + part.text
        terms[last].parsed = nil
      } else {
        terms.append(Term(word: part.word, text: part.text, parsed: parsed))
      }
    }
    // "or" binds weakest.
    let alternatives = try terms.split(whereSeparatorBefore: { $0.word.lowercased() == "or" }).map { group in
      Self.joined(try group.map { try $0.parsed?.get() ?? Self.single($0.text.trimmed, depth) })
    }
    let conditions = alternatives.compactMap(\.ofOneRow)
    if alternatives.count == 1 {
      self = alternatives[0]
    } else {
      self = conditions.count == alternatives.count ? .some(.any(conditions)) : .any(alternatives)
    }
  }

  /// A condition without "and" and "or", and the word before it.
  private struct Term {
    let word: String
    var text: String
    /// What the text alone is; nil if something was added to it.
    var parsed: Result<FindCondition, any Error>?
  }

  /// The condition on one row, if it is no more.
  var ofOneRow: RowCondition? { if case .some(let condition) = self { condition } else { nil } }

  /// Conditions that all hold; those on rows hold of one and the same row.
  private static func joined(_ conditions: [FindCondition]) -> FindCondition {
    let ofRows = conditions.compactMap(\.ofOneRow)
    if conditions.count == 1 { return conditions[0] }
    let row = ofRows.isEmpty ? [] : [FindCondition.some(ofRows.count == 1 ? ofRows[0] : .all(ofRows))]
    let all = row + conditions.filter { $0.ofOneRow == nil }
    return all.count == 1 ? all[0] : .all(all)
  }

  /// The parts of a text between " and " and " or " outside of brackets and quotes, with the word before each.
  private static func parts(_ text: String) -> [(word: String, text: String)] {
    var (parts, depth, isQuoted) = ([(word: "", text: "")], 0, false)
    var rest = Substring(text)
    while let next = rest.first {
      if next == "\"" { isQuoted.toggle() }
      if isQuoted, next == "\\" {
        // What follows is a part of the text, also a quote.
        parts[parts.count - 1].text += rest.prefix(2)
        rest = rest.dropFirst(2)
        continue
      }
      if !isQuoted, next == "(" || next == "[" { depth += 1 }
      if !isQuoted, next == ")" || next == "]" { depth -= 1 }
      let word = [" and ", " or ", " AND ", " OR "].first { rest.hasPrefix($0) }
      if depth == 0, !isQuoted, let word {
        parts.append((word: String(word.dropFirst().dropLast()), text: ""))
        // The space after the word may be the one before the next.
        rest = rest.dropFirst(word.count - 1)
      } else {
        parts[parts.count - 1].text.append(next)
        rest = rest.dropFirst()
      }
    }
    return parts
  }

  private static func single(_ text: String, _ depth: Int) throws -> FindCondition {
    if text.hasPrefix("not ") || text.hasPrefix("NOT ") {
      // Of a row's own condition it is a part: a field may be called "not".
      if let condition = try? FindCondition(String(text.dropFirst(4)), depth: depth + 1) { return .not(condition) }
    }
    if text.hasPrefix("not(") || text.hasPrefix("NOT(") {
      return .not(try FindCondition(String(text.dropFirst(3)), depth: depth + 1))
    }
    if text.hasPrefix("("), let (inner, rest) = brackets(Substring(text)), rest.trimmed.isEmpty {
      return try FindCondition(inner, depth: depth + 1)
    }
    for name in ["count", "row", "exists", "section", "index", "changed"] where text.hasPrefix(name) {
      let rest = text.dropFirst(name.count).drop { $0 == " " }
      if let (inner, rest) = brackets(rest) { return try call(name, inner.trimmed, rest.trimmed, in: text) }
      guard name == "count", let first = rest.first, "=!<>".contains(first) else { continue }
      guard let number = number(String(rest)) else {
        throw ReplayError.usage(
          "expected an operator and a whole number of 0 or more after count, found \"\(text)\"; a field of that name "
            + "is "
            + "written \"count\", with the quotes")
      }
      return .count(nil, number)
    }
    do {
      return .some(try RowCondition(text))
    } catch let problem as RowCondition.Problem {
      throw ReplayError.usage("expected \(forms); \(problem.message), in \"\(text)\"")
    }
  }

  private static func call(_ name: String, _ inner: String, _ rest: String, in text: String) throws -> FindCondition {
    func problem(_ expected: String) -> ReplayError {
      ReplayError.usage("expected \(expected), found \"\(text)\"")
    }
    if inner.isEmpty { throw problem("something in the brackets of \(name)()") }
    // In quotes it is JSON, for an id with brackets of its own.
    let quoted = (try? JSONValue(parsing: inner))?.string
    let id = quoted ?? inner
    switch name {
    case "exists":
      guard rest.isEmpty else { throw problem("nothing after exists(ID)") }
      return .exists(id)
    case "changed":
      guard rest.isEmpty else { throw problem("nothing after changed(ID.FIELD)") }
      if quoted != nil { return .changed(id, nil) }
      // An id may have dots, and so may a field: each way to read it counts.
      let parts = inner.indices.filter { inner[$0] == "." && $0 > inner.startIndex }.map { dot in
        let (head, field) = (String(inner[..<dot]), String(inner[inner.index(after: dot)...]))
        return FindCondition.changed((try? JSONValue(parsing: head))?.string ?? head, field)
      }
      return parts.isEmpty ? .changed(id, nil) : .any([.changed(id, nil)] + parts)
    case "row":
      guard rest.hasPrefix("."), rest.count > 1 else {
        throw problem("a field after row(ID), as in row(b3).price > 50")
      }
      return .row(id, try rowCondition(String(rest.dropFirst())))
    case "section":
      guard rest.hasPrefix(".count"), let number = number(String(rest.dropFirst(6)).trimmed) else {
        throw problem("section(KEY).count with an operator and a number")
      }
      return .section(id, number)
    case "index":
      guard rest.hasPrefix("="), let value = try? JSONValue(parsing: String(rest.dropFirst()).trimmed).array,
        value.count == 2, let section = value[0].int, let row = value[1].int
      else { throw problem("index(ID) = [SECTION, ROW]") }
      return .index(id, RowPath(section: section, row: row))
    default:
      guard let number = number(rest) else { throw problem("an operator and a number after count()") }
      return .count(try rowCondition(inner), number)
    }
  }

  private static func rowCondition(_ text: String) throws -> RowCondition {
    do {
      return try RowCondition(text)
    } catch let problem as RowCondition.Problem {
      throw ReplayError.usage("\(problem.message), in \"\(text)\"")
    }
  }

  private static func number(_ text: String) -> Number? {
    for sign in ["!=", "<=", ">=", "=", "<", ">"] where text.hasPrefix(sign) {
      return Arguments.wholeNumber(String(text.dropFirst(sign.count)).trimmed).map {
        Number(operation: sign, value: $0)
      }
    }
    return nil
  }

  /// What stands in the brackets at the beginning of a text, and what follows them.
  private static func brackets(_ text: Substring) -> (inner: String, rest: String)? {
    guard text.first == "(" else { return nil }
    var (depth, isQuoted) = (0, false)
    var isEscaped = false
    for index in text.indices {
      if isEscaped {
        isEscaped = false
        continue
      }
      if text[index] == "\"" { isQuoted.toggle() }
      if isQuoted {
        isEscaped = text[index] == "\\"
        continue
      }
      if text[index] == "(" { depth += 1 }
      if text[index] == ")" {
        depth -= 1
        if depth == 0 {
          return (
            String(text[text.index(after: text.startIndex)..<index]), String(text[text.index(after: index)...])
          )
        }
      }
    }
    return nil
  }
}

extension Array {
  /// The elements in groups, a new one before each element that begins one.
  fileprivate func split(whereSeparatorBefore begins: (Element) -> Bool) -> [[Element]] {
    var groups: [[Element]] = [[]]
    for element in self {
      if begins(element) { groups.append([]) }
      groups[groups.count - 1].append(element)
    }
    return groups
  }
}

extension StringProtocol {
  /// The text without spaces at its ends.
  fileprivate var trimmed: String {
    let start = drop { $0 == " " }
    return String(start.prefix(start.count - start.reversed().prefix { $0 == " " }.count))
  }
}
