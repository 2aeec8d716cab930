import Annals

extension MirrorTable {
  /// Where the sections go in a batch.
  struct SectionPlaces {
    /// The old indices of deleted sections.
    private(set) var deleted: Set<Int> = []
    /// The sections that are new, by their index.
    private(set) var inserted: [Int: Section] = [:]
    /// The new index of each moved section by its old one.
    private(set) var moved: [Int: Int] = [:]
    /// By new index: the old one, nil for an inserted section.
    private(set) var origins: [Int?] = []
    /// The new index of each section that stays or is moved, by its old one.
    private(set) var destinations: [Int: Int] = [:]

    init(_ changes: [SectionChange], old: [Section]) throws {
      var placed: [Int: Int?] = [:]
      for change in changes {
        switch change {
        case .delete(let index, let key):
          try require(
            old.indices.contains(index),
            "attempt to delete section \(index), but there are only \(old.count) sections before the update")
          try require(old[index].key == key, "delete of section \(index) as \(key), which is \(old[index].key)")
          try require(deleted.insert(index).inserted, "attempt to delete section \(index) twice")
        case .insert(let index, let key, let title):
          try require(
            placed.updateValue(nil, forKey: index) == nil, "attempt to insert or move two sections to \(index)")
          inserted[index] = Section(key: key, title: title, rows: [])
        case .move(let from, let to, let key):
          try require(
            old.indices.contains(from),
            "attempt to move section \(from), but there are only \(old.count) sections before the update")
          try require(old[from].key == key, "move of section \(from) as \(key), which is \(old[from].key)")
          try require(from != to, "move of section \(from) to where it was")
          try require(moved.updateValue(to, forKey: from) == nil, "attempt to move section \(from) twice")
          try require(
            placed.updateValue(from, forKey: to) == nil, "attempt to insert or move two sections to \(to)")
        case .update: break
        }
      }
      try require(
        deleted.isDisjoint(with: moved.keys), "attempt to perform a delete and a move from the same section")
      let staying = old.indices.filter { !deleted.contains($0) && moved[$0] == nil }.map { Optional($0) }
      origins = try MirrorTable.fill(old.count - deleted.count + inserted.count, placed, staying, "sections")
      for (new, old) in origins.enumerated() {
        if let old { destinations[old] = new }
      }
    }

    /// The new sections, with the rows that their old ones had.
    func makeSections(from old: [Section]) -> [Section] {
      origins.enumerated().map { index, origin in
        if let origin { return old[origin] }
        // An index without origin is that of an inserted section.
        return inserted[index]!
      }
    }

    private func require(_ holds: Bool, _ message: @autoclosure () -> String) throws {
      if !holds { throw Violation(description: message()) }
    }
  }

  /// An array of a size with some values at their places and the rest, in order, in what is left.
  static func fill<T>(_ count: Int, _ placed: [Int: T], _ rest: [T], _ what: String) throws -> [T] {
    for place in placed.keys where !(0..<count).contains(place) {
      throw Violation(
        description: "attempt to insert into \(place), but there are only \(count) \(what) after the update")
    }
    var rest = rest[...]
    let filled = (0..<count).compactMap { placed[$0] ?? rest.popFirst() }
    guard rest.isEmpty, filled.count == count else {
      throw Violation(
        description: "invalid number of \(what): there are \(count) places after the update for "
          + "\(placed.count) that were inserted or moved and the others that were there before")
    }
    return filled
  }
}
