import Annals
import AnnalsTesting
import Foundation
import Testing

@testable import AnnalsReplay

/// A filter of an app is a condition of the tool, and selects the same rows.
@Suite struct OneLanguageTests {
  private struct Thing: Row {
    let id: String
    var title: String
    var note: String?
    var price: Double
    var stock: Int
    var rating: Int?
    var sold: Bool
    var made: Date

    static let fields = FilterFields<Thing>(
      .field("title", \.title), .field("note", \.note), .field("price", \.price), .field("stock", \.stock),
      .field("rating", \.rating), .field("sold", \.sold), .field("made", \.made))

    static let texts = ["", "a", "b", "ab", "and", "true", "A", "a \"b\"", "it's", "\\", "5", "-1", "x/y@z", "\n"]
    static let day = Date(timeIntervalSince1970: 1_767_225_600)

    static let generator = Generator<Thing> { draw in
      Thing(
        id: "1", title: try draw(.element(of: texts)), note: try draw(.bool) ? try draw(.element(of: texts)) : nil,
        price: Double(try draw(.int(in: -2...2))) / 2, stock: try draw(.int(in: -2...6)),
        rating: try draw(.bool) ? try draw(.int(in: -1...1)) : nil, sold: try draw(.bool),
        made: day.addingTimeInterval(Double(try draw(.int(in: -1...1))) * 86_400))
    }
  }

  private static func same(_ text: String, _ things: [Thing]) throws {
    let filter = try Thing.fields.filter(text)
    let condition = try RowCondition(text)
    let read = RowReading<Thing>().record
    for thing in things {
      try ensure(
        filter.includes(thing) == condition.includes(read(thing)), "\(text) of \(thing): \(filter.includes(thing))")
    }
  }

  /// A comparison that an app accepts, in one of its spellings.
  private static func comparison(_ draw: Draw) throws -> String {
    func pick(_ texts: [String]) throws -> String { try draw(.element(of: texts)) }
    let field = try pick(["title", "note", "price", "stock", "rating", "sold", "made"])
    let isText = field == "title" || field == "note"
    func value() throws -> String {
      switch field {
      case "price": return try pick(["0", "-1", "0.5", "5e-1", "1.00"])
      case "stock", "rating": return try pick(["0", "1", "-1", "5", "6"])
      case "sold": return try pick(["true", "false", "TRUE", "False"])
      case "made": return try pick(["2026-01-01", "'2025-12-31'", "2026-01-01T01:00:00+01:00", "\"2026-01-02\""])
      default:
        let text = try pick(Thing.texts)
        if try draw(.bool), ["a", "b", "ab", "and", "true", "A", "5", "-1", "x/y@z"].contains(text) { return text }
        if try draw(.bool) { return JSONValue.quoted(text) }
        return "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
      }
    }
    switch try draw(.int(in: 0...9)) {
    case 0: return field + (try pick([" exists", " EXISTS"]))
    case 1: return "\(field) \(try pick(["in", "IN"])) (\(try value()), \(try value()))"
    case 2 where field == "sold": return field
    case 2 where field == "note" || field == "rating": return field + (try pick([" = null", "!=NULL"]))
    case 3...4 where isText:
      return "\(field) \(try pick(["contains", "starts", "ends", "Contains"])) \(try value())"
    default:
      let sign = try pick(["=", "==", "!=", "<", "<=", ">", ">="])
      return field + (try pick([sign, " \(sign) "])) + (try value())
    }
  }

  private static func filter(_ draw: Draw, depth: Int) throws -> String {
    switch try draw(.int(in: 0...(depth > 0 ? 6 : 2))) {
    case 0...2: return try comparison(draw)
    case 3: return try draw(.element(of: ["not ", "NOT  "])) + filter(draw, depth: depth - 1)
    case 4: return "(" + (try filter(draw, depth: depth - 1)) + ")"
    default:
      let word = try draw(.element(of: [" and ", " AND ", "&&", " or ", "\nOr ", "||"]))
      return try filter(draw, depth: depth - 1) + word + filter(draw, depth: depth - 1)
    }
  }

  @Test func `a filter that an app accepts selects the same rows in the tool, also by its name`() throws {
    let texts = Generator<String> { draw in try Self.filter(draw, depth: 3) }
    try check(texts, .array(of: Thing.generator, count: 0...8), settings: CheckSettings(examples: 2_000)) {
      text, things in
      try Self.same(text, things)
      try Self.same(Thing.fields.filter(text).name ?? "", things)
    }
  }

  @Test func `a text of any words is read in the same way, or is an error at the same place`() throws {
    let words = [
      "title", "price", "sold", "rating", "and", "or", "not", "in", "exists", "contains", "(", ")", ",", "=", "<", "!=",
      "\"a\"", "'", "\"", "5", "-", "2026-01-01", "&&", "\\", "§", "[1]", "{", "\n", "made", "x/y",
    ]
    let things = Generator<[Thing]>.array(of: Thing.generator, count: 0...4)
    try check(
      .array(of: .element(of: words), count: 0...9), things, settings: CheckSettings(examples: 4_000)
    ) { words, things in
      let text = words.joined(separator: " ")
      let problems = ["for ", "which is", "one of the fields", "an operator after"]
      do throws(FilterError) {
        _ = try Thing.fields.filter(text)
      } catch {
        // The tool knows neither fields nor kinds, so that only the rows can show such an error.
        if problems.contains(where: error.expected.contains) { return }
        let other = #expect(throws: FilterError.self) { try RowCondition(text) }
        return try ensureEqual(other?.column, error.column)
      }
      try Self.same(text, things)
    }
  }

  @Test(arguments: [
    // The differences that Docs/Filters.md lists.
    ("title = null", "null", true, false), ("title = 2026-01-01", "2026-01-01T00:00:00Z", false, true),
  ])
  func `a difference between a filter and a condition`(text: String, title: String, ofApp: Bool, ofTool: Bool) throws {
    let thing = Thing(id: "1", title: title, price: 0, stock: 0, sold: false, made: Thing.day)
    #expect(try Thing.fields.filter(text).includes(thing) == ofApp)
    #expect(try RowCondition(text).includes(RowReading<Thing>().record(thing)) == ofTool)
  }
}
