import Annals

extension MirrorTable {
  /// Where the rows go in a batch.
  struct RowPlaces {
    private enum Kind: Hashable {
      case delete, insert, move, update
    }

    private let old: [Section]
    private let sections: SectionPlaces
    /// By old section: the rows that leave their place.
    private var taken: [Int: Set<Int>] = [:]
    /// By new section and index: the rows that come there.
    private var placed: [Int: [Int: Row]] = [:]
    private var kinds: [OrderKey: [Kind]] = [:]

    init(old: [Section], sections: SectionPlaces) {
      self.old = old
      self.sections = sections
    }

    mutating func note(_ change: RowChange<Row>) throws {
      let id = OrderKey(change.row.id)
      switch change {
      case .delete(let row, let at, _):
        try take(row, at, "delete")
        kinds[id, default: []].append(.delete)
      case .insert(let row, let at, _):
        try place(row, at, "insert")
        kinds[id, default: []].append(.insert)
      case .move(let row, let from, let to, _):
        try take(row, from, "move")
        try checkMove(from, to)
        try place(row, to, "move")
        kinds[id, default: []].append(.move)
      case .update:
        kinds[id, default: []].append(.update)
      }
    }

    /// A row has one change; a pair of a deletion and an insertion is one.
    func checkOnce() throws {
      for (_, kinds) in kinds where kinds.count > 1 {
        try require(kinds.count == 2 && Set(kinds) == [.delete, .insert], "one row has the changes \(kinds)")
      }
    }

    /// All rows of deleted sections are listed, none of moved ones is.
    func checkSections() throws {
      for index in sections.deleted {
        try require(
          taken[index, default: []].count == old[index].rows.count,
          "section \(index) is deleted, and not all of its rows are listed")
      }
      for (from, to) in sections.moved {
        try require(taken[from] == nil && placed[to] == nil, "rows come, go or move inside the moved section \(from)")
      }
    }

    func rows(ofNewSection index: Int) throws -> [Row] {
      let rest = sections.origins[index].map { origin in
        old[origin].rows.enumerated().filter { !taken[origin, default: []].contains($0.offset) }.map(\.element)
      }
      let placed = placed[index] ?? [:]
      return try MirrorTable.fill((rest ?? []).count + placed.count, placed, rest ?? [], "rows in section \(index)")
    }

    private mutating func take(_ row: Row, _ path: RowPath, _ what: String) throws {
      guard let shown = MirrorTable.row(at: path, of: old) else {
        throw Violation(description: "attempt to \(what) row \(path), which is not there before the update")
      }
      try require(OrderKey(shown.id) == OrderKey(row.id), "\(what) of \(path), which is another row")
      try require(
        taken[path.section, default: []].insert(path.row).inserted, "attempt to delete or move the row at \(path) twice"
      )
    }

    private mutating func place(_ row: Row, _ path: RowPath, _ what: String) throws {
      try require(
        sections.origins.indices.contains(path.section),
        "attempt to \(what) a row to \(path), but there are only \(sections.origins.count) sections after the update")
      try require(
        placed[path.section, default: [:]].updateValue(row, forKey: path.row) == nil,
        "attempt to insert or move two rows to \(path)")
    }

    private func checkMove(_ from: RowPath, _ to: RowPath) throws {
      try require(from != to, "move of the row at \(from) to where it was")
      try require(
        !sections.deleted.contains(from.section), "cannot move an item from a deleted section (\(from.section))")
      try require(
        sections.inserted[to.section] == nil, "cannot move a row into a newly inserted section (\(to.section))")
      try require(
        sections.destinations[from.section] == from.section,
        "move of a row out of section \(from.section), whose number changes")
      try require(
        sections.destinations[to.section] == to.section,
        "move of a row into section \(to.section), whose number changed")
    }

    private func require(_ holds: Bool, _ message: @autoclosure () -> String) throws {
      if !holds { throw Violation(description: message()) }
    }
  }
}
