import Annals
import AnnalsTesting
import Foundation
import Testing

/// Filters that are read from text.
@Suite struct FilterTextTests {
  @Test func `a filter of a text lets the rows through that plain code does, however it is written`() throws {
    try check(
      FilterTree.generator, .array(of: FilteredThing.generator, count: 0...12), .int(in: 0...1_000_000),
      settings: CheckSettings(examples: 200)
    ) {
      tree, items, seed in
      var speller = Speller(seed: UInt64(seed))
      let text = speller.text(of: tree)
      let filter = try FilteredThing.fields.filter(text)
      for item in items {
        try ensure(filter.includes(item) == tree.includes(item), "\(text) of \(item): expected \(tree.includes(item))")
      }
      // The name is a text of the same filter, in the one spelling.
      let name = try #require(filter.name)
      let again = try FilteredThing.fields.filter(name)
      try ensureEqual(again.name, name)
      for item in items { try ensureEqual(again.includes(item), filter.includes(item)) }
    }
  }

  @Test func `filters that differ do not share a name, also where a type reads 5 and "5" as two values`() throws {
    let fields = FilterFields<Marked>(.field("mark", \.mark))
    let number = try fields.filter("mark = 5")
    let text = try fields.filter("mark = \"5\"")
    let row = Marked(id: "1", mark: .number(5))
    #expect(number.includes(row) && !text.includes(row) && number.name != text.name)
    for filter in [number, text] {
      let again = try fields.filter(try #require(filter.name))
      #expect(again.name == filter.name && again.includes(row) == filter.includes(row))
    }
  }

  @Test func `a text of any characters is a filter or an error with a place in it`() throws {
    let pieces = [
      "title", "price", "sold", "size", "and", "or", "not", "in", "exists", "null", "(", ")", ",", "=", "<", "!=",
      "\"a\"",
      "'", "\"", "5", "-", "2026-01-01", "é", "\u{301}", "&&", "\\", "§", "\n", " ",
    ]
    try check(.array(of: .element(of: pieces), count: 0...12), settings: CheckSettings(examples: 2_000)) { pieces in
      for text in [pieces.joined(separator: " "), pieces.joined()] {
        do throws(FilterError) {
          _ = try FilteredThing.fields.filter(text)
        } catch {
          try ensure((1...text.count + 1).contains(error.column), "\(text): \(error)")
          try ensure(!error.expected.isEmpty && !error.found.isEmpty, "\(error)")
          // What stands there is what the error says.
          let rest = text.dropFirst(error.column - 1)
          var found = error.found.dropFirst().dropLast()
          // A long word is cut.
          if found.count > 30, found.last == "…" { found.removeLast() }
          let isThere = error.found == "the end" ? rest.isEmpty : rest.starts(with: found)
          try ensure(isThere, "\(text): \(error)")
        }
      }
    }
  }

  @Test(arguments: [
    ("prise > 5", 1, "one of the fields title, caption, price, stock, sold, made, size, note, rating, owner, key"),
    ("price", 6, "an operator after price (= != < <= > >= in exists)"),
    ("price >", 8, "a number for price"),
    ("price > cheap", 9, "a number for price"),
    ("price > \"5\"", 9, "a number for price"),
    ("stock = 5.5", 9, "a whole number for stock"),
    ("stock = 99999999999999999999", 9, "a whole number for stock"),
    ("price contains 5", 7, "an operator after price, which is a number (= != < <= > >= in exists)"),
    ("price = null", 9, "a number for price"),
    ("rating < null", 10, "a whole number for rating"),
    ("made < yesterday", 8, "a day or a time, such as 2026-03-31 or 2026-03-31T18:30:00Z for made"),
    ("made = 2026-02-30", 8, "a day or a time, such as 2026-03-31 or 2026-03-31T18:30:00Z for made"),
    ("sold = 1", 8, "true or false for sold"),
    ("size = huge", 8, "one of small, large for size"),
    ("key = abc", 7, "a UUID for key"),
    ("title = ", 9, "a string for title"),
    ("title", 6, "an operator after title (= != < <= > >= contains starts ends in exists)"),
    ("title = a b", 11, "`and`, `or` or the end"),
    ("title = 'a", 11, "' at the end of the string that begins at character 9"),
    ("(sold", 6, "`and`, `or` or `)`"),
    ("sold)", 5, "`and`, `or` or the end"),
    ("sold and", 9, "one of the fields title, caption, price, stock, sold, made, size, note, rating, owner, key"),
    ("stock in 5", 10, "`(` and a list of values after `in`"),
    ("stock in (5, )", 14, "a whole number for stock"),
    ("stock in (5 6)", 13, "`,` and another value, or `)`"),
    ("price > 5; sold", 10, "a field, an operator, a value or a quoted string"),
  ])
  func `an error names the place and what was expected there`(text: String, column: Int, expected: String) throws {
    let error = #expect(throws: FilterError.self) { try FilteredThing.fields.filter(text) }
    #expect(error?.column == column)
    #expect(error?.expected == expected)
    #expect(error?.message.hasPrefix("character \(column): expected \(expected), found ") == true)
  }

  @Test func `the texts and the errors of the page on filters are what it says`() throws {
    let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    let page = try String(contentsOf: root.appending(path: "Docs/Filters.md"), encoding: .utf8)
    let fields = FilterFields<FilteredThing>(
      .field("title", \.title, ignoringCase: true), .field("price", \.price), .field("shelf", \.title),
      .field("bought", \.rating), .field("sold", \.sold))
    let errors = page.split(separator: "\n").compactMap { line -> (text: String, message: String)? in
      guard line.hasPrefix("    "), let place = line.range(of: "character ") else { return nil }
      return (line[..<place.lowerBound].trimmingCharacters(in: .whitespaces), String(line[place.lowerBound...]))
    }
    #expect(errors.count == 3)
    for (text, message) in errors {
      #expect(#expect(throws: FilterError.self) { try fields.filter(text) }?.message == message)
    }
    let texts = page[..<(page.range(of: "## Predicates that throw")?.lowerBound ?? page.endIndex)]
    let rows = texts.split(separator: "\n").filter { $0.hasPrefix("| `") }
    let filters = rows.flatMap { $0.split(separator: "|")[0].split(separator: "`").filter { $0.contains(" ") } }
    #expect(rows.count == 6)
    for text in filters where text.contains(where: \.isLetter) && text.count > 8 {
      #expect(throws: Never.self, "\(text)") { try fields.filter(String(text)) }
    }
    #expect(try fields.filter("price >= 50 and (shelf = odd or not title contains war)").name?.isEmpty == false)
  }

  @Test func `an empty text is the filter of all rows`() throws {
    for text in ["", " ", "\n\t"] {
      let filter = try FilteredThing.fields.filter(text)
      #expect(filter.includes(FilteredThing(id: "1")) && filter.name == "")
    }
  }

  @Test func `a text from outside cannot make the reader run deep or long`() throws {
    for (open, close) in [("(", ")"), ("not ", "")] {
      let deep = String(repeating: open, count: 2_000) + "sold" + String(repeating: close, count: 2_000)
      let error = #expect(throws: FilterError.self) { try FilteredThing.fields.filter(deep) }
      #expect(error?.expected == "at most 40 nested terms")
      let fine = String(repeating: open, count: 39) + "sold" + String(repeating: close, count: 39)
      #expect(throws: Never.self) { try FilteredThing.fields.filter(fine) }
    }
    let long = Array(repeating: "sold", count: 100_000).joined(separator: " and ")
    let tooLong = #expect(throws: FilterError.self) { try FilteredThing.fields.filter(long) }
    #expect(
      tooLong?.column == 10_001 && tooLong?.expected == "at most 10000 characters", "\(String(describing: tooLong))")
    let wide = Array(repeating: "sold", count: 1_100).joined(separator: " or ")
    #expect(try FilteredThing.fields.filter(wide).includes(FilteredThing(id: "1", sold: true)))
  }

  @Test func `texts compare by their scalars, and without case and accents where the field says so`() throws {
    let item = FilteredThing(id: "1", title: "Caf\u{E9} noir")
    func includes(_ text: String) throws -> Bool { try FilteredThing.fields.filter(text).includes(item) }
    #expect(try includes("title contains 'Caf\u{E9}'") && !includes("title contains 'Cafe\u{301}'"))
    #expect(try !includes("title contains cafe") && includes("caption contains CAFE") && includes("caption ends NOIR"))
    #expect(
      try includes("caption = 'CAF\u{C9} NOIR'") && !includes("caption = cafe") && includes("caption in ('cafe noir')"))
    #expect(try includes("title starts Caf") && !includes("title starts noir"))
  }

  @Test func `a personal value counts as long as it is there, and computed values are fields too`() throws {
    var item = FilteredThing(id: "1")
    item.owner = Personal("Ann", of: "p")
    #expect(try FilteredThing.fields.filter("owner = Ann").includes(item))
    item.owner = Personal(erasedOf: "p")
    #expect(
      try !FilteredThing.fields.filter("owner = Ann").includes(item)
        && FilteredThing.fields.filter("not owner exists").includes(item))
    let fields = FilterFields<FilteredThing>(.field("length") { $0.title.count })
    #expect(try fields.filter("length = 3").includes(FilteredThing(id: "1", title: "abc")))
    #expect(fields.fields.map(\.expects) == ["a whole number"])
  }

  @Test func `a list is filtered by a text, also one that is saved`() throws {
    let store = MemoryEventStore()
    func list() -> FetchedResultsController<FilteredThing> {
      FetchedResultsController(
        store: store, projection: FilteredThings(), request: ListRequest(sort: [.ascending(\.price)]),
        cacheName: "items")
    }
    for price in 0..<10 {
      try store.append([StockEvent.added(FilteredThing(id: "\(price)", price: Double(price)))], to: "items")
    }
    let first = list()
    try first.performFetch()
    try first.update { $0.filter = try FilteredThing.fields.filter("price>=3 AND not price in (4,5)") }
    #expect(first.results.rows.map(\.price) == [3, 6, 7, 8, 9])
    try first.saveCache()
    let second = list()
    try second.update { $0.filter = try FilteredThing.fields.filter("price >= 3 and not price in (4, 5)") }
    try second.performFetch()
    #expect(second.results.rows.map(\.price) == [3, 6, 7, 8, 9] && second.cacheReport.restored == 10)
  }
}

private enum StockEvent: Event { case added(FilteredThing) }

private struct FilteredThings: Projection {
  func project(_ event: StockEvent, into rows: inout Rows<FilteredThing>) {
    if case .added(let item) = event { rows.insert(item) }
  }
}

private struct Marked: Row {
  var id: String
  var mark: Mark
}

/// A mark of a school: a number, or a word.
private enum Mark: Codable, OrderedValue {
  case number(Int)
  case word(String)

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(Int.self) {
      self = .number(number)
    } else {
      self = .word(try container.decode(String.self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .number(let number): try container.encode(number)
    case .word(let word): try container.encode(word)
    }
  }

  func encode(into writer: inout KeyWriter) {
    switch self {
    case .number(let number): "\(number)".encode(into: &writer)
    case .word(let word): "w\(word)".encode(into: &writer)
    }
  }
}

private enum Size: String, Codable, OrderedValue, CaseIterable { case small, large }

private struct FilteredThing: Row {
  let id: String
  var title = ""
  var price = 0.0
  var stock = 0
  var sold = false
  var made = Date(timeIntervalSince1970: 0)
  var size = Size.small
  var note: String?
  var rating: Int?
  var owner = Personal("Ann", of: "p")
  var key = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

  static let fields = FilterFields<FilteredThing>(
    .field("title", \.title), .field("caption", \.title, ignoringCase: true), .field("price", \.price),
    .field("stock", \.stock), .field("sold", \.sold), .field("made", \.made), .field("size", \.size),
    .field("note", \.note), .field("rating", \.rating), .field("owner", \.owner), .field("key", \.key))

  static let texts = ["", "a", "b", "ab", "ba", "aab", "and", "null", "A", "a \"b\"", "it's", "\\", "5"]
  static let day = Date(timeIntervalSince1970: 1_767_225_600)

  static var generator: Generator<FilteredThing> {
    let title = Generator<String>.element(of: texts)
    let note = Generator<String?>.element(of: texts.map { $0 } + [nil])
    let rating = Generator<Int?>.element(of: [nil, 0, 1, 2])
    let numbers = Generator<[Int]>.array(of: .int(in: -2...2), count: 3...3)
    let rest = zip(Generator<Bool>.element(of: [true, false]), Generator<Size>.element(of: Size.allCases))
    return zip(zip(title, note), zip(rating, numbers), rest).map { texts, numbers, rest in
      FilteredThing(
        id: "1", title: texts.0, price: Double(numbers.1[0]) / 2, stock: numbers.1[1], sold: rest.0,
        made: day.addingTimeInterval(Double(numbers.1[2].signum()) * 86_400), size: rest.1, note: texts.1,
        rating: numbers.0)
    }
  }
}

/// What a text says, and plain code for it.
private indirect enum FilterTree: Sendable {
  case text(optional: Bool, String, String)
  case price(String, Double)
  case stock(String, Int)
  case stockIn([Int])
  case made(String, Int)
  case size(String, Size)
  case sold(Bool?)
  case rating(String, Int)
  case lacks(String, isNull: Bool)
  case not(FilterTree)
  case all([FilterTree])
  case any([FilterTree])

  private static let signs = ["=", "!=", "<", "<=", ">", ">="]

  private static var leaf: Generator<FilterTree> {
    let sign = Generator<String>.element(of: signs)
    let number = Generator<Int>.int(in: -2...2)
    let isOptional = Generator<Bool>.element(of: [true, false])
    let texts = zip(
      isOptional, .element(of: signs + ["contains", "starts", "ends"]), .element(of: FilteredThing.texts))
    let text: Generator<FilterTree> = texts.map { .text(optional: $0, $1, $2) }
    let price: Generator<FilterTree> = zip(sign, number).map { .price($0, Double($1) / 2) }
    let stock: Generator<FilterTree> = zip(sign, number).map { .stock($0, $1) }
    let list: Generator<FilterTree> = Generator<[Int]>.array(of: number, count: 1...3).map { .stockIn($0) }
    let made: Generator<FilterTree> = zip(sign, .int(in: -1...1)).map { .made($0, $1) }
    let size: Generator<FilterTree> = zip(sign, .element(of: Size.allCases)).map { .size($0, $1) }
    let rating: Generator<FilterTree> = zip(sign, number).map { .rating($0, $1) }
    let lacks: Generator<FilterTree> = zip(.element(of: ["note", "rating"]), isOptional).map { .lacks($0, isNull: $1) }
    let sold: Generator<FilterTree> = .element(of: [.sold(nil), .sold(true), .sold(false)])
    return .frequency(
      (3, text), (1, price), (1, stock), (1, list), (1, made), (1, size), (1, rating), (1, lacks), (1, sold))
  }

  static var generator: Generator<FilterTree> { generator(3) }

  private static func generator(_ depth: Int) -> Generator<FilterTree> {
    guard depth > 0 else { return leaf }
    let part = generator(depth - 1)
    return .frequency(
      (3, leaf), (1, part.map { .not($0) }),
      (1, Generator<[FilterTree]>.array(of: part, count: 1...3).map { .all($0) }),
      (1, Generator<[FilterTree]>.array(of: part, count: 1...3).map { .any($0) }))
  }

  func includes(_ item: FilteredThing) -> Bool {
    func holds<V: Comparable>(_ sign: String, _ found: V?, _ wanted: V) -> Bool {
      guard let found else { return sign == "!=" }
      switch sign {
      case "=": return found == wanted
      case "!=": return found != wanted
      case "<": return found < wanted
      case "<=": return found <= wanted
      case ">": return found > wanted
      default: return found >= wanted
      }
    }
    switch self {
    case .text(let optional, let sign, let wanted):
      let found = optional ? item.note : item.title
      switch sign {
      case "contains": return found.map { wanted.isEmpty || $0.contains(wanted) } ?? false
      case "starts": return found?.hasPrefix(wanted) ?? false
      case "ends": return found?.hasSuffix(wanted) ?? false
      default: return holds(sign, found, wanted)
      }
    case .price(let sign, let wanted): return holds(sign, item.price, wanted)
    case .stock(let sign, let wanted): return holds(sign, item.stock, wanted)
    case .stockIn(let wanted): return wanted.contains(item.stock)
    case .made(let sign, let days):
      return holds(sign, item.made, FilteredThing.day.addingTimeInterval(Double(days) * 86_400))
    case .size(let sign, let wanted):
      return holds(sign, Size.allCases.firstIndex(of: item.size), Size.allCases.firstIndex(of: wanted) ?? 0)
    case .sold(let wanted): return item.sold == wanted ?? true
    case .rating(let sign, let wanted): return holds(sign, item.rating, wanted)
    case .lacks(let field, let isNull): return isNull == (field == "note" ? item.note == nil : item.rating == nil)
    case .not(let part): return !part.includes(item)
    case .all(let parts): return parts.allSatisfy { $0.includes(item) }
    case .any(let parts): return parts.contains { $0.includes(item) }
    }
  }
}

/// Writes a tree in one of its spellings.
private struct Speller {
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  private mutating func pick(_ texts: String...) -> String { texts[Int(random.next() % UInt64(texts.count))] }

  mutating func text(of tree: FilterTree) -> String {
    switch tree {
    case .text(let optional, let sign, let text):
      return (optional ? "note" : "title") + spaced(sign) + quoted(text)
    case .price(let sign, let value): return "price" + spaced(sign) + pick("\(value)", "\(value)0", "\(value)e0")
    case .stock(let sign, let value): return "stock" + spaced(sign) + "\(value)"
    case .stockIn(let values):
      return "stock " + pick("in", "IN") + pick("", " ") + "("
        + values.map(String.init).joined(separator: pick(",", " , "))
        + ")"
    case .made(let sign, let days):
      let date = ["2025-12-31", "2026-01-01", "2026-01-02"][days + 1]
      return "made" + spaced(sign) + pick(date, "'\(date)'", date + "T00:00:00Z", date + "T01:00:00+01:00")
    case .size(let sign, let size): return "size" + spaced(sign) + pick(size.rawValue, "\"\(size.rawValue)\"")
    case .sold(let value): return value.map { "sold" + spaced("=") + "\($0)" } ?? pick("sold", "(sold)")
    case .rating(let sign, let value): return "rating" + spaced(sign) + "\(value)"
    case .lacks(let field, true): return pick("\(field) = null", "not \(field) exists", "\(field)==NULL")
    case .lacks(let field, false): return pick("\(field) != null", "\(field) exists", "not not \(field) EXISTS")
    case .not(let part): return pick("not ", "NOT  ") + "(" + text(of: part) + ")"
    case .all(let parts): return joined(parts, " and ", " AND ", " && ")
    case .any(let parts): return joined(parts, " or ", "\nOr ", "||")
    }
  }

  private mutating func joined(_ parts: [FilterTree], _ words: String...) -> String {
    var text = ""
    for (index, part) in parts.enumerated() {
      if index > 0 { text += words[Int(random.next() % 3)] }
      text += "(" + self.text(of: part) + ")"
    }
    return text
  }

  private mutating func spaced(_ sign: String) -> String {
    if sign.first?.isLetter == true { return " " + pick(sign, sign.uppercased()) + " " }
    let sign = sign == "=" ? pick("=", "==") : sign
    return pick(sign, " \(sign) ", "  \(sign)")
  }

  private mutating func quoted(_ text: String) -> String {
    let quote = pick("\"", "'")
    let isWord = !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } && text != "null"
    if isWord, pick("a", "b") == "a" { return text }
    return quote + text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: quote, with: "\\" + quote)
      + quote
  }
}
