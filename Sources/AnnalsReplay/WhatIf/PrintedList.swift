import Annals
import AnnalsLog

/// A list as a tool prints it, changed by the batches that a tool prints.
///
/// It knows only a table view's rules and the JSON of `replay`, so that any version of a tool can have printed them.
struct PrintedList: Equatable {
  /// Why a line is no batch of this list.
  struct Problem: Error {
    let reason: String
  }

  struct Row: Equatable {
    let id: String
    let fields: JSONValue

    static func == (left: Row, right: Row) -> Bool {
      ExactString(left.id) == ExactString(right.id) && left.fields == right.fields
    }
  }

  struct Section: Equatable {
    let key: JSONValue
    var title: String
    var rows: [Row]
  }

  private(set) var sections: [Section] = []

  init() {}

  /// The list as this tool shows it.
  init(_ list: any ShownList) throws {
    sections = try (0..<list.sectionCount).map { index in
      let section = list.section(index)
      return Section(
        key: try JSONValue(parsing: section.key.json), title: section.title,
        rows: list.records(ofSection: index).map { Row(id: $0.id, fields: $0.fields) })
    }
  }

  /// Applies a batch.
  mutating func apply(_ batch: JSONValue) throws {
    let old = sections
    let (sectionChanges, rowChanges) = (try Self.changes(batch, "sections"), try Self.changes(batch, "rows"))
    var (gone, placed) = (Set<Int>(), [Int: (section: Section, origin: Int?)]())
    for change in sectionChanges {
      switch try change.text("type") {
      case "delete": gone.insert(try change.index("index", below: old.count))
      case "insert":
        placed[try change.index("index")] = (
          Section(key: change["key"] ?? .null, title: try change.text("title"), rows: []), nil
        )
      case "move":
        let from = try change.index("from", below: old.count)
        gone.insert(from)
        placed[try change.index("to")] = (old[from], from)
      default: break
      }
    }
    var merged = try Self.merged(old.indices.filter { !gone.contains($0) }.map { (old[$0], Optional($0)) }, placed)
    try Self.place(rowChanges, from: old, into: &merged)
    sections = merged.map(\.section)
    for change in sectionChanges where try change.text("type") == "update" {
      sections[try change.index("newIndex", below: sections.count)].title = try change.text("title")
    }
  }

  /// Takes rows away, and puts rows to their places.
  private static func place(
    _ changes: [JSONValue], from old: [Section], into sections: inout [(section: Section, origin: Int?)]
  ) throws {
    var (taken, placed, updated) = (Set<RowPath>(), [Int: [Int: Row]](), [(RowPath, Row)]())
    for change in changes {
      func row() throws -> Row { Row(id: try change.text("id"), fields: change["fields"] ?? .null) }
      func put(_ path: RowPath) throws { placed[path.section, default: [:]][path.row] = try row() }
      switch try change.text("type") {
      case "delete": taken.insert(try change.path("at"))
      case "insert": try put(try change.path("at"))
      case "move":
        taken.insert(try change.path("from"))
        try put(try change.path("to"))
      default: updated.append((try change.path("newAt"), try row()))
      }
    }
    let touched = Set(taken.map(\.section))
    for index in sections.indices {
      let origin = sections[index].origin
      let isLeft = origin.map(touched.contains) ?? false
      guard isLeft || placed[index] != nil else { continue }
      let rest = sections[index].section.rows.enumerated().filter { row in
        origin.map { !taken.contains(RowPath(section: $0, row: row.offset)) } ?? true
      }.map(\.element)
      sections[index].section.rows = try merged(rest, placed[index] ?? [:])
    }
    if let outside = placed.keys.first(where: { !sections.indices.contains($0) }) {
      throw Problem(reason: "a row in section \(outside), of \(sections.count)")
    }
    for (path, row) in updated {
      guard sections.indices.contains(path.section),
        sections[path.section].section.rows.indices.contains(path.row)
      else { throw Problem(reason: "an update of a row that is not there, \(path)") }
      sections[path.section].section.rows[path.row] = row
    }
  }

  /// What stays, in its order, with what was placed at its indices.
  private static func merged<T>(_ staying: [T], _ placed: [Int: T]) throws -> [T] {
    if placed.isEmpty { return staying }
    var (rest, all) = (staying[...], [T]())
    for index in 0..<staying.count + placed.count {
      guard let next = placed[index] ?? rest.popFirst() else {
        throw Problem(reason: "something is placed beyond the end")
      }
      all.append(next)
    }
    return all
  }

  private static func changes(_ batch: JSONValue, _ name: String) throws -> [JSONValue] {
    guard let found = batch[name]?.array else { throw Problem(reason: "the member \(name) is missing") }
    return found
  }
}

extension JSONValue {
  fileprivate func text(_ name: String) throws -> String {
    guard let text = self[name]?.string else { throw PrintedList.Problem(reason: "the member \(name) is missing") }
    return text
  }

  fileprivate func index(_ name: String, below count: Int = .max) throws -> Int {
    guard let index = self[name]?.int, (0..<count).contains(index) else {
      throw PrintedList.Problem(reason: "the member \(name) is no index of the list")
    }
    return index
  }

  fileprivate func path(_ name: String) throws -> RowPath {
    guard let parts = self[name]?.array, parts.count == 2, let section = parts[0].int, let row = parts[1].int else {
      throw PrintedList.Problem(reason: "the member \(name) is no path")
    }
    return RowPath(section: section, row: row)
  }
}
