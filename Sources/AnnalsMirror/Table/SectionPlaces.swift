import Annals

/// The old and new indices of a batch's sections.
struct SectionPlaces<Row: Annals.Row> {
  /// The old indices of deleted sections.
  private(set) var deleted: Set<Int> = []
  /// The keys and titles of new sections, by new index.
  private(set) var inserted: [Int: (key: SectionKey, title: String)] = [:]
  /// The new indices of moved sections, by old index.
  private(set) var moved: [Int: Int] = [:]
  /// The changed titles by old index, for which a table view might reload the section's header.
  private(set) var updated: [Int: (newIndex: Int, key: SectionKey, title: String)] = [:]
  /// The old index for every new index, or `nil` for an inserted section.
  private(set) var origins: [Int?] = []
  /// The new indices of remaining and moved sections, by old index.
  private(set) var destinations: [Int: Int] = [:]

  init(_ changes: [SectionChange], _ batch: MirrorBatch<Row>) throws {
    var placed: [Int: Int?] = [:]
    var moves: [(from: Int, to: Int, key: SectionKey)] = []
    for change in changes {
      switch change {
      case .delete(let index, let key):
        try Self.check(index, key, "delete", batch)
        try batch.require(
          deleted.insert(index).inserted, .repeated, "attempt to delete section \(index) twice")
      case .insert(let index, let key, let title):
        try batch.require(
          inserted.updateValue((key, title), forKey: index) == nil, .repeated,
          "attempt to insert section \(index) twice")
      case .move(let from, let to, let key): moves.append((from, to, key))
      case .update(let index, let newIndex, let key, let title):
        try Self.check(index, key, "reload", batch)
        try batch.require(
          updated.updateValue((newIndex, key, title), forKey: index) == nil, .repeated,
          "attempt to reload section \(index) twice")
      }
    }
    for index in inserted.keys { placed[index] = .some(nil) }
    for (from, to, key) in moves {
      try Self.check(from, key, "move", batch)
      try batch.require(
        moved.updateValue(to, forKey: from) == nil, .sameTarget, "attempt to move section \(from) to two places")
      try batch.require(
        placed.updateValue(from, forKey: to) == nil, .sameTarget,
        "attempt to perform an insert and a move, or two moves, to the same section (\(to))")
      if batch.isStrict {
        try batch.require(
          from != to, .samePlace, "attempt to move section \(from) to the index that the section already has")
      }
    }
    for (name, other) in [("delete", Set(updated.keys)), ("move", Set(updated.keys)), ("delete", Set(moved.keys))] {
      let mine = name == "delete" ? deleted : Set(moved.keys)
      let what = other == Set(moved.keys) && name == "delete" ? "move" : "reload"
      let both = mine.intersection(other).sorted()
      try batch.require(
        both.isEmpty, .sameSource,
        "attempt to perform a \(name) and a \(what) from the same section (\(both.first ?? 0))")
    }
    let count = batch.old.count - deleted.count + inserted.count
    if let source = batch.source {
      try batch.require(
        source.count == count, .sectionCount,
        "Invalid update: invalid number of sections. The number of sections contained in the table view after the "
          + "update (\(source.count)) must be equal to the number of sections contained in the table view before the "
          + "update (\(batch.old.count)), plus or minus the number of sections inserted or deleted "
          + "(\(inserted.count) inserted, \(deleted.count) deleted).")
    }
    for (index, origin) in placed.sorted(by: { $0.key < $1.key }) {
      try batch.require(
        (0..<count).contains(index), .bounds,
        "attempt to \(origin == nil ? "insert section" : "move a section to") \(index), but there are only \(count) "
          + "sections after the update")
    }
    // There are as many remaining indices as remaining sections, because the counts match.
    let leaving = deleted.union(moved.keys)
    var staying = batch.old.indices.filter { !leaving.contains($0) }[...]
    origins = (0..<count).map { placed[$0] ?? staying.popFirst() }
    for (new, old) in origins.enumerated() {
      if let old { destinations[old] = new }
    }
  }

  private static func check(_ index: Int, _ key: SectionKey, _ what: String, _ batch: MirrorBatch<Row>) throws {
    try batch.require(
      batch.old.indices.contains(index), .bounds,
      "attempt to \(what) section \(index), but there are only \(batch.old.count) sections before the update")
    guard batch.isStrict else { return }
    let there = batch.old[index].key
    try batch.require(
      there == key, .identity,
      "attempt to \(what) the section with key \(key) at index \(index), but the section there has key \(there)")
  }

  /// Returns the key and title of a new section, before titles change.
  func header(of index: Int, in batch: MirrorBatch<Row>) -> (SectionKey, String) {
    if let origin = origins[index] { return (batch.old[origin].key, batch.old[origin].title) }
    if let source = batch.source { return (source[index].key, source[index].title) }
    // A section without an origin was inserted.
    return inserted[index]!
  }

  /// The changed titles, with new indices.
  var titles: [(Int, String)] {
    updated.compactMap { index, change in destinations[index].map { ($0, change.title) } }
  }

  /// Checks that a new title differs from the old title, and belongs to the section at that index.
  func checkUpdates(_ batch: MirrorBatch<Row>) throws {
    for (index, change) in updated.sorted(by: { $0.key < $1.key }) {
      try batch.require(
        destinations[index] == change.newIndex, .identity,
        "attempt to update section \(index) with the new index \(change.newIndex), but the section "
          + "\(destinations[index].map { "has the new index \($0)" } ?? "isn't in the new list")")
      try batch.require(
        !batch.old[index].title.unicodeScalars.elementsEqual(change.title.unicodeScalars), .needlessUpdate,
        "needless update of section \(index): its title is unchanged")
      guard let source = batch.source else { continue }
      try batch.require(
        source[change.newIndex].title.unicodeScalars.elementsEqual(change.title.unicodeScalars), .identity,
        "attempt to update the title of section \(index) to \(swiftSource(of: change.title)), but the list has the "
          + "title \(swiftSource(of: source[change.newIndex].title))")
    }
  }
}
