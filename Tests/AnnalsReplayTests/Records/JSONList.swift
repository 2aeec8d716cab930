import Annals
import Foundation

/// The list that `show --json` printed, and a reader of batches that knows only a table view's rules.
///
/// It is written from the contract, and not from the library.
struct JSONList {
  struct Problem: Error {
    let text: String
  }

  struct Row: Equatable {
    let id: String
    /// The fields, in a form that is the same for equal values.
    let fields: JSONValue

    var name: String {
      guard case .object(let members) = fields,
        case .string(let text)? = members.first(where: { $0.name == "name" })?.value
      else { return "" }
      return text
    }

    static func == (left: Row, right: Row) -> Bool {
      Array(left.id.utf8) == Array(right.id.utf8) && left.fields == right.fields
    }
  }

  struct Section: Equatable {
    let key: JSONValue
    var title: String
    var rows: [Row]

    static func == (left: Section, right: Section) -> Bool {
      left.key == right.key && Array(left.title.utf8) == Array(right.title.utf8) && left.rows == right.rows
    }
  }

  var sections: [Section] = []
  var position = 0
  var count = 0

  init() {}

  init(_ text: String) throws {
    let value = try JSONValue(parsing: text)
    position = try value["position"].number
    count = try value["count"].number
    sections = try value["sections"].array.map { section in
      Section(
        key: section["key"], title: try section["title"].text,
        rows: try section["rows"].array.map { Row(id: try $0["id"].text, fields: $0["fields"]) })
    }
    guard count == sections.map(\.rows.count).reduce(0, +) else { throw Problem(text: "count is \(count)") }
  }

  /// Applies one line, and returns where it begins and ends.
  @discardableResult
  mutating func apply(_ line: String) throws -> (from: Int, to: Int) {
    let batch = try JSONValue(parsing: line)
    let old = sections
    let sectionChanges = try batch["sections"].array.map { ($0, try $0["type"].text) }
    let rowChanges = try batch["rows"].array.map { ($0, try $0["type"].text) }
    guard !sectionChanges.isEmpty || !rowChanges.isEmpty else { throw Problem(text: "an empty batch") }

    var origins: [Int: Int?] = [:]
    var fresh: [Int: Section] = [:]
    var gone: Set<Int> = []
    for (change, type) in sectionChanges {
      switch type {
      case "delete": gone.insert(try change["index"].number)
      case "insert":
        let index = try change["index"].number
        origins[index] = .some(nil)
        fresh[index] = Section(key: change["key"], title: try change["title"].text, rows: [])
      case "move":
        origins[try change["to"].number] = try change["from"].number
        gone.insert(try change["from"].number)
      case "update": break
      default: throw Problem(text: "section change \(type)")
      }
    }
    let moved = Set(origins.values.compactMap { $0 })
    let count = old.count - gone.subtracting(moved).count + fresh.count
    var staying = old.indices.filter { !gone.contains($0) }[...]
    var new: [(section: Section, origin: Int?)] = []
    for index in 0..<count {
      if let origin = origins[index] {
        // A section without an origin is new.
        new.append((origin.map { old[$0] } ?? fresh[index]!, origin))
      } else if let origin = staying.popFirst() {
        new.append((old[origin], origin))
      } else {
        throw Problem(text: "too few sections")
      }
    }
    guard staying.isEmpty else { throw Problem(text: "too many sections") }

    var taken: Set<[Int]> = []
    var placed: [[Int]: Row] = [:]
    for (change, type) in rowChanges {
      switch type {
      case "delete": taken.insert(try change["at"].path)
      case "insert":
        placed[try change["at"].path] = Row(id: try change["id"].text, fields: change["fields"])
      case "move":
        let from = try change["from"].path
        taken.insert(from)
        let shown = old[from[0]].rows[from[1]]
        let row = Row(id: try change["id"].text, fields: change["fields"])
        guard change["contentChanged"] == .bool(shown != row) else {
          throw Problem(text: "contentChanged of \(row.id)")
        }
        placed[try change["to"].path] = row
      case "update": break
      default: throw Problem(text: "row change \(type)")
      }
    }
    var result: [Section] = []
    for (index, entry) in new.enumerated() {
      var rest: ArraySlice<Row> = []
      if let origin = entry.origin {
        rest = old[origin].rows.enumerated().filter { !taken.contains([origin, $0.offset]) }.map(\.element)[...]
      }
      var section = entry.section
      let inserted = placed.keys.filter { $0[0] == index }.count
      section.rows = try (0..<rest.count + inserted).map { row in
        if let row = placed[[index, row]] { return row }
        guard let row = rest.popFirst() else { throw Problem(text: "too few rows in section \(index)") }
        return row
      }
      guard rest.isEmpty else { throw Problem(text: "too many rows in section \(index)") }
      result.append(section)
    }
    for (change, type) in rowChanges where type == "update" {
      let (at, to) = (try change["at"].path, try change["newAt"].path)
      let row = Row(id: try change["id"].text, fields: change["fields"])
      guard Array(old[at[0]].rows[at[1]].id.utf8) == Array(row.id.utf8), result[to[0]].rows[to[1]] != row,
        Array(result[to[0]].rows[to[1]].id.utf8) == Array(row.id.utf8)
      else { throw Problem(text: "update of \(row.id)") }
      result[to[0]].rows[to[1]] = row
    }
    for (change, type) in sectionChanges where type == "update" {
      result[try change["newIndex"].number].title = try change["title"].text
    }
    sections = result
    position = try batch["to"].number
    return (try batch["from"].number, position)
  }
}

extension JSONValue {
  fileprivate subscript(name: String) -> JSONValue {
    guard case .object(let members) = self else { return .null }
    return members.first { $0.name == name }?.value ?? .null
  }

  fileprivate var number: Int {
    get throws {
      guard case .number(let number) = self, let value = number.int else {
        throw JSONList.Problem(text: "a number: \(self)")
      }
      return value
    }
  }

  fileprivate var text: String {
    get throws {
      guard case .string(let text) = self else { throw JSONList.Problem(text: "a string: \(self)") }
      return text
    }
  }

  fileprivate var array: [JSONValue] {
    get throws {
      guard case .array(let values) = self else { throw JSONList.Problem(text: "an array: \(self)") }
      return values
    }
  }

  fileprivate var path: [Int] {
    get throws { try array.map { try $0.number } }
  }
}
