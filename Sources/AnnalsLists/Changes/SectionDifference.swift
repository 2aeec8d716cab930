import AnnalsLog

/// The changes of a list's sections, as laws 5 and 6 in `Docs/ChangeSemantics.md` define them.
struct SectionDifference {
  /// The changes: deletions, insertions, moves, and updates, in this order and sorted by index.
  private(set) var changes: [SectionChange] = []
  /// The deleted sections of the old list, by index.
  ///
  /// All rows of these sections are deleted.
  private(set) var deleted: [(node: SectionNode, index: Int)] = []
  /// The inserted sections of the new list, by index.
  ///
  /// All rows of these sections are inserted.
  private(set) var inserted: [(node: SectionNode, index: Int)] = []
  /// The sections that both lists have and that might have different rows, with the differences of these rows.
  private(set) var pairs: [(pair: SectionPair, rows: RowDifference)] = []

  private let isOneOrder: Bool
  /// The minimum number of rows to compare on several cores in parallel.
  private let parallelFrom: Int

  /// - Parameters:
  ///   - old: The old sections.
  ///   - new: The new sections.
  ///   - isOneOrder: True if the rows of both lists have keys from the same keyer.
  ///   - parallelFrom: The minimum number of rows to compare on several cores in parallel.
  init(old: SortedTree<BySection>, new: SortedTree<BySection>, isOneOrder: Bool, parallelFrom: Int) {
    self.isOneOrder = isOneOrder
    self.parallelFrom = parallelFrom
    var common: [SectionPair] = []
    new.difference(from: old) { change in
      switch change {
      case .removed(let node, let index): deleted.append((node, index))
      case .added(let node, let index): inserted.append((node, index))
      case .replaced(let before, let index, let after, let newIndex):
        if before.header.id.isSame(after.header.id) {
          common.append(SectionPair(old: before, oldIndex: index, new: after, newIndex: newIndex))
        } else {
          deleted.append((before, index))
          inserted.append((after, newIndex))
        }
      }
    }
    let displaced = takeDisplaced()
    if keepTheirPlaces(displaced) {
      if !displaced.isEmpty {
        common += displaced
        common.sort { $0.newIndex < $1.newIndex }
      }
      pairs = differences(of: common)
      finish(moves: [])
    } else {
      arrange(old, new, Set((displaced + common).map(\.newIndex)))
    }
  }

  /// Returns the changes of the sections' rows.
  private func differences(of pairs: [SectionPair]) -> [(pair: SectionPair, rows: RowDifference)] {
    let isOneOrder = isOneOrder
    return Parallel.map(
      pairs.count, threshold: parallelFrom, rows: { pairs[$0].old.rows.count + pairs[$0].new.rows.count }
    ) { (pairs[$0], RowDifference(pairs[$0], isOneOrder: isOneOrder)) }
  }

  /// Removes sections with a changed order key from the deleted and inserted sections, and returns them.
  private mutating func takeDisplaced() -> [SectionPair] {
    guard !deleted.isEmpty, !inserted.isEmpty else { return [] }
    let indices = Dictionary(deleted.indices.map { (deleted[$0].node.header.id.key, $0) }) { first, _ in first }
    var taken: Set<Int> = []
    var displaced: [SectionPair] = []
    inserted.removeAll { node, index in
      guard let other = indices[node.header.id.key] else { return false }
      taken.insert(other)
      displaced.append(
        SectionPair(old: deleted[other].node, oldIndex: deleted[other].index, new: node, newIndex: index))
      return true
    }
    deleted = deleted.indices.filter { !taken.contains($0) }.map { deleted[$0] }
    return displaced
  }

  /// Returns whether sections with a changed order key are still between the same neighbors.
  ///
  /// This is usually the case for a section whose first row changed.
  ///
  /// - Parameter displaced: The sections with a changed order key, by new index.
  /// - Returns: False if one of these sections moved past another section.
  /// - Complexity: O(k log k) for k deleted, inserted or displaced sections.
  private func keepTheirPlaces(_ displaced: [SectionPair]) -> Bool {
    if displaced.isEmpty { return true }
    let gone = (deleted.map(\.index) + displaced.map(\.oldIndex)).sorted()
    let come = (inserted.map(\.index) + displaced.map(\.newIndex)).sorted()
    var last = -1
    return displaced.allSatisfy { pair in
      defer { last = pair.oldIndex }
      // The number of preceding sections that are in both lists and aren't displaced.
      let before = pair.oldIndex - gone.firstIndexInOrder { $0 >= pair.oldIndex }
      return pair.oldIndex > last && before == pair.newIndex - come.firstIndexInOrder { $0 >= pair.newIndex }
    }
  }

  /// Chooses which sections keep their place, which are moved, and which are deleted and reinserted, after the order of
  /// sections changed.
  ///
  /// A section with a new place among the other sections is moved if its rows are unchanged. Otherwise it is deleted
  /// and reinserted.
  private mutating func arrange(_ old: SortedTree<BySection>, _ new: SortedTree<BySection>, _ changed: Set<Int>) {
    // Only a lost list can have two sections with the same key.
    let oldIndices = Dictionary(
      old.enumerated().map { ($1.header.id.key, (node: $1, index: $0)) }
    ) { first, _ in first }
    let common = new.enumerated().compactMap { index, node in
      oldIndices[node.header.id.key].map {
        SectionPair(old: $0.node, oldIndex: $0.index, new: node, newIndex: index)
      }
    }
    let isOrdered = zip(common, common.dropFirst()).allSatisfy { $0.oldIndex < $1.oldIndex }
    var rows: [Int: RowDifference] = [:]
    for (pair, difference) in differences(of: common.filter { changed.contains($0.newIndex) }) {
      rows[pair.newIndex] = difference
    }
    func canMove(_ pair: SectionPair) -> Bool { !pair.keepsIndex && rows[pair.newIndex]?.isClean ?? true }
    let kept =
      isOrdered
      ? common.map { _ in true }
      : MinimalMoves.keep(
        common.map { pair in
          let size = pair.old.rows.count
          return .init(
            old: pair.oldIndex, weight: canMove(pair) ? 1 : 1 + size - (rows[pair.newIndex]?.removed.count ?? 0),
            size: size
          )
        })
    var moves: [SectionPair] = []
    for (pair, isKept) in zip(common, kept) {
      if !isKept, !canMove(pair) {
        deleted.append((pair.old, pair.oldIndex))
        inserted.append((pair.new, pair.newIndex))
        continue
      }
      if !isKept { moves.append(pair) }
      if let rows = rows[pair.newIndex] { pairs.append((pair, rows)) }
    }
    deleted.sort { $0.index < $1.index }
    inserted.sort { $0.index < $1.index }
    finish(moves: moves)
  }

  private mutating func finish(moves: [SectionPair]) {
    for (node, index) in deleted { changes.append(.delete(index: index, key: node.header.id.name)) }
    for (node, index) in inserted {
      changes.append(.insert(index: index, key: node.header.id.name, title: node.header.title))
    }
    for pair in moves {
      changes.append(.move(from: pair.oldIndex, to: pair.newIndex, key: pair.new.header.id.name))
    }
    for (pair, _) in pairs where pair.old.header !== pair.new.header {
      let title = pair.new.header.title
      if ExactString(pair.old.header.title) != ExactString(title) {
        changes.append(
          .update(index: pair.oldIndex, newIndex: pair.newIndex, key: pair.new.header.id.name, title: title))
      }
    }
  }
}
