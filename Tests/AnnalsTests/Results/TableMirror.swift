import Annals

/// A table view that knows a list only by the changes that it was told, and refuses what UITableView would refuse.
struct TableMirror<Row: Annals.Row> {
  struct Refusal: Error, CustomStringConvertible {
    let description: String
  }

  struct Section: Equatable {
    var key: SectionKey
    var title: String
    var rows: [Row]
  }

  private(set) var sections: [Section]

  init(_ results: Results<Row>) {
    sections = results.sections.map { Section(key: $0.key, title: $0.title, rows: Array($0)) }
  }

  mutating func apply(_ changes: Changes<Row>) throws {
    let old = sections
    var gone: Set<Int> = []
    var moved: [Int: Int] = [:]
    var placed: [Int: Int?] = [:]
    var fresh: [Int: Section] = [:]
    for change in changes.sections {
      switch change {
      case .delete(let index, let key):
        try require(old.indices.contains(index) && old[index].key == key, "deletes section \(index), which is another")
        try require(gone.insert(index).inserted, "deletes section \(index) twice")
      case .insert(let index, let key, let title):
        try require(placed.updateValue(nil, forKey: index) == nil, "puts two sections at \(index)")
        fresh[index] = Section(key: key, title: title, rows: [])
      case .move(let from, let to, let key):
        try require(old.indices.contains(from) && old[from].key == key, "moves section \(from), which is another")
        try require(from != to && moved.updateValue(to, forKey: from) == nil, "moves section \(from) to where it was")
        try require(placed.updateValue(from, forKey: to) == nil, "puts two sections at \(to)")
      case .update: break
      }
    }
    try require(gone.isDisjoint(with: moved.keys), "deletes and moves one section")
    let count = old.count - gone.count + fresh.count
    let origins: [Int?] = try fill(
      count, placed, old.indices.filter { !gone.contains($0) && moved[$0] == nil }.map { Optional($0) }, "sections")
    var new = origins.enumerated().map { index, origin in origin.map { old[$0] } ?? fresh[index]! }
    let destination = Dictionary(
      uniqueKeysWithValues: origins.enumerated().compactMap { new, old in old.map { ($0, new) } })

    var taken: [Int: Set<Int>] = [:]
    var targets: [Int: [Int: Row]] = [:]
    var reported: [[UInt8]: [String]] = [:]
    for change in changes.rows {
      let id = OrderKey(change.row.id).bytes
      switch change {
      case .delete(let row, let path, let moved):
        try take(path, row, from: old, &taken)
        reported[id, default: []].append(moved ? "pair" : "delete")
      case .insert(let row, let path, let moved):
        try require(
          targets[path.section, default: [:]].updateValue(row, forKey: path.row) == nil, "two rows at \(path)")
        reported[id, default: []].append(moved ? "pair" : "insert")
      case .move(let row, let from, let to, _):
        try take(from, row, from: old, &taken)
        try require(from != to, "moves a row from \(from) to where it was")
        try require(!gone.contains(from.section), "moves a row out of a deleted section")
        try require(fresh[to.section] == nil, "moves a row into an inserted section")
        try require(destination[from.section] == from.section, "moves a row out of a section whose number changed")
        try require(destination[to.section] == to.section, "moves a row into a section whose number changed")
        try require(targets[to.section, default: [:]].updateValue(row, forKey: to.row) == nil, "two rows at \(to)")
        reported[id, default: []].append("move")
      case .update: reported[id, default: []].append("update")
      }
    }
    for (_, kinds) in reported where kinds.count > 1 {
      try require(kinds == ["pair", "pair"], "lists one row as \(kinds)")
    }
    for index in gone {
      try require(taken[index, default: []].count == old[index].rows.count, "leaves rows of a deleted section unlisted")
    }
    for (from, to) in moved {
      try require(taken[from] == nil && targets[to] == nil, "changes rows inside a moved section")
    }
    for index in new.indices {
      let origin = origins[index]
      let rest = origin.map { origin in
        old[origin].rows.enumerated().filter { !taken[origin, default: []].contains($0.offset) }.map(\.element)
      }
      let target = targets[index] ?? [:]
      new[index].rows = try fill((rest ?? []).count + target.count, target, rest ?? [], "rows of section \(index)")
    }
    for change in changes.rows {
      guard case .update(let row, let path, let newPath) = change else { continue }
      try require(
        old.indices.contains(path.section) && old[path.section].rows.indices.contains(path.row)
          && OrderKey(old[path.section].rows[path.row].id) == OrderKey(row.id), "updates \(path), which is another row")
      try require(new[newPath.section].rows[newPath.row] != row, "updates a row to what it was")
      try require(OrderKey(new[newPath.section].rows[newPath.row].id) == OrderKey(row.id), "updates the wrong row")
      new[newPath.section].rows[newPath.row] = row
    }
    for change in changes.sections {
      guard case .update(let index, let newIndex, let key, let title) = change else { continue }
      try require(destination[index] == newIndex && new[newIndex].key == key, "updates the wrong section")
      try require(new[newIndex].title != title, "updates a section to the title that it has")
      new[newIndex].title = title
    }
    sections = new
  }

  private func take(_ path: RowPath, _ row: Row, from old: [Section], _ taken: inout [Int: Set<Int>]) throws {
    try require(
      old.indices.contains(path.section) && old[path.section].rows.indices.contains(path.row)
        && OrderKey(old[path.section].rows[path.row].id) == OrderKey(row.id), "takes \(path), which is another row")
    try require(taken[path.section, default: []].insert(path.row).inserted, "takes \(path) twice")
  }

  private func fill<T>(_ count: Int, _ placed: [Int: T], _ rest: [T], _ what: String) throws -> [T] {
    var rest = rest[...]
    let filled = try (0..<count).map { index in
      if let value = placed[index] { return value }
      guard let value = rest.popFirst() else { throw Refusal(description: "too few \(what)") }
      return value
    }
    try require(rest.isEmpty && placed.keys.allSatisfy { (0..<count).contains($0) }, "too many \(what)")
    return filled
  }

  private func require(_ holds: Bool, _ message: String) throws {
    if !holds { throw Refusal(description: message) }
  }
}
