import Annals
import AnnalsLog
import Foundation

/// The rows of a CSV file, a JSON array of objects, or a JSON object per line.
struct ImportedRows {
  /// A row of the source.
  struct Row {
    let id: String
    /// The fields without the id, sorted by name.
    ///
    /// A field that is null or an empty cell is left out.
    let fields: JSONValue
  }

  /// The rows, in the order of the source.
  ///
  /// No two rows have the same id.
  private(set) var rows: [Row] = []
  /// The place of each row in messages, by its id.
  private var places: [ExactString: String] = [:]
  private let field: String
  private let source: String

  /// Reads all rows.
  ///
  /// - Parameters:
  ///   - data: The whole source.
  ///   - field: The field or column with the ids.
  ///   - source: The name of the source in messages.
  /// - Throws: ``ReplayError``, if a row can't be read, has no id, or has the id of an earlier row.
  init(_ data: Data, id field: String, source: String) throws {
    (self.field, self.source) = (field, source)
    guard var text = String(validating: data, as: UTF8.self) else {
      throw ReplayError(.unreadable, "\(source): expected text in UTF-8, found other bytes")
    }
    if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
    switch FileKind.firstByte(of: data) {
    case UInt8(ascii: "["): try readArray(text)
    case UInt8(ascii: "{"): try readLines(text)
    case nil: break
    default: try readCSV(text)
    }
  }

  /// True if the source has a row with an id.
  func contains(_ id: String) -> Bool { places[ExactString(id)] != nil }

  private mutating func readArray(_ text: String) throws {
    let elements: [String]
    do { elements = try JSON.elements(ofArray: text) } catch { throw bad(nil, "\(error)") }
    for (index, element) in elements.enumerated() { try add(json: element, at: "row \(index + 1)") }
  }

  private mutating func readLines(_ text: String) throws {
    var number = 0
    for line in text.split(separator: /\r?\n/, omittingEmptySubsequences: false) {
      number += 1
      if line.allSatisfy(\.isWhitespace) { continue }
      try add(json: String(line), at: "line \(number)")
    }
  }

  private mutating func add(json: String, at place: String) throws {
    let value: JSONValue
    do { value = try JSONValue(parsing: json) } catch { throw bad(place, "\(error)") }
    guard case .object(var members) = value else {
      throw bad(place, "expected a row as a JSON object, found \(json.shortened(to: 40))")
    }
    let index = members.firstIndex { ExactString($0.name) == ExactString(field) }
    switch index.map({ members.remove(at: $0).value }) {
    case .string(let id)?: try add(id, members, at: place)
    case .number(let number)?: try add("\(JSONValue.number(number).text)", members, at: place)
    case let other?:
      throw bad(place, "\(field): expected a string or a number, found \(other.text.shortened(to: 40))")
    case nil:
      throw bad(
        place,
        "expected the field \(JSONValue.quoted(field)) that --rows names, found "
          + (members.isEmpty ? "no field" : members.map(\.name).joined(separator: ", ").shortened(to: 200)))
    }
  }

  private mutating func readCSV(_ text: String) throws {
    var reader = CSVReader(text)
    func next() throws -> (cells: [String], line: Int)? {
      do { return try reader.next() } catch let problem as CSVReader.Problem {
        throw bad("line \(problem.line)", problem.description)
      }
    }
    guard let names = try next()?.cells else { return }
    if let name = names.first(where: \.isEmpty) {
      throw bad("line 1", "a column has no name: \(JSONValue.quoted(name))")
    }
    guard Set(names.map { ExactString($0) }).count == names.count else {
      throw bad("line 1", "two columns have the same name, so rename one of them")
    }
    guard let column = names.firstIndex(where: { ExactString($0) == ExactString(field) }) else {
      let nearest = Nearest.name(to: field, among: names).map { "; did you mean \($0)?" } ?? ""
      throw ReplayError.usage(
        "--rows: expected a column of \(source) (\(names.joined(separator: ", ").shortened(to: 200))), "
          + "found \(JSONValue.quoted(field))\(nearest)")
    }
    while let (cells, line) = try next() {
      guard cells.count == names.count else {
        throw bad("line \(line)", "expected \(Text.counted(names.count, "cell")), found \(cells.count)")
      }
      let members = zip(names, cells).enumerated().compactMap { index, cell in
        index == column || cell.1.isEmpty ? nil : JSONMember(name: cell.0, value: JSONValue(word: cell.1))
      }
      try add(cells[column], members, at: "line \(line)")
    }
  }

  private mutating func add(_ id: String, _ members: [JSONMember], at place: String) throws {
    if id.isEmpty { throw bad(place, "\(field): expected an id, found \"\"") }
    if let other = places.updateValue(place, forKey: ExactString(id)) {
      throw bad(place, "the id \(JSONValue.quoted(id)) is also the id of \(other)")
    }
    var record = Record(id: id)
    record.update(members)
    rows.append(Row(id: id, fields: record.fields))
  }

  private func bad(_ place: String?, _ message: String) -> ReplayError {
    ReplayError(.unreadable, "\(source)\(place.map { ", " + $0 } ?? ""): \(message)\nno row was imported")
  }
}
