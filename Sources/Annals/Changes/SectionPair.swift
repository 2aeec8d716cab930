/// A section that two lists have, and what happened to its rows.
struct SectionPair {
  let old: SectionNode
  let oldIndex: Int
  let new: SectionNode
  let newIndex: Int

  /// A table view moves rows only between sections whose number stays.
  var keepsIndex: Bool { oldIndex == newIndex }
}

/// What happened to the rows of a section, seen from the section alone.
struct PairRows {
  /// A row that the section had before and has after.
  struct Both {
    let old: RowEntry
    let from: Int
    let new: RowEntry
    let to: Int
  }

  /// A row that left the section or came into it.
  typealias End = (row: RowEntry, index: Int)

  /// Rows that the section no longer has, in order.
  private(set) var gone: [End] = []
  /// Rows that the section did not have, in order.
  private(set) var come: [End] = []
  /// Rows that are objects of their own in both lists and keep their place among those that stay.
  private(set) var staying: [Both] = []
  /// Rows that leave their place among those that stay.
  private(set) var moving: [Both] = []

  /// True if the section has the rows that it had, in the same order.
  var isClean: Bool { gone.isEmpty && come.isEmpty && moving.isEmpty }

  /// - Parameters:
  ///   - pair: The section.
  ///   - isOneOrder: True if the rows of both have their keys from one keying.
  /// - Complexity: O(k log n) for k rows that differ, if both have one order; O(n) else.
  init(_ pair: SectionPair, isOneOrder: Bool) {
    if isOneOrder {
      pair.new.rows.difference(from: pair.old.rows) { change in
        switch change {
        case .removed(let row, let index): gone.append((row, index))
        case .added(let row, let index): come.append((row, index))
        case .replaced(let old, let from, let new, let to):
          staying.append(Both(old: old, from: from, new: new, to: to))
        }
      }
    } else {
      align(pair)
    }
    if !gone.isEmpty, !come.isEmpty { choose(isSamePlace: pair.keepsIndex) }
  }

  /// Makes it of rows that are known to differ, in a section that stays where it is.
  ///
  /// - Parameters:
  ///   - gone: Rows that have no row of the same key and id in the section after, in order.
  ///   - come: Rows that have none before, in order.
  ///   - staying: Rows that are others with the same key and id.
  init(gone: [End], come: [End], staying: [Both]) {
    (self.gone, self.come, self.staying) = (gone, come, staying)
    if !gone.isEmpty, !come.isEmpty { choose(isSamePlace: true) }
  }

  /// Sets rows of two orders side by side: those whose keys are the same hold, all others are gone or come.
  private mutating func align(_ pair: SectionPair) {
    var olds: [OrderKey: (row: RowEntry, index: Int)] = [:]
    for (index, row) in pair.old.rows.enumerated() { olds[row.id] = (row, index) }
    var isAligned = Array(repeating: false, count: pair.old.rows.count)
    var floor = -1
    for (index, row) in pair.new.rows.enumerated() {
      // Keys that are the same stand in the same order, unless a comparator contradicts itself.
      if let old = olds[row.id], old.index > floor, old.row.hasKey(of: row) {
        staying.append(Both(old: old.row, from: old.index, new: row, to: index))
        isAligned[old.index] = true
        floor = old.index
      } else {
        come.append((row, index))
      }
    }
    for (index, row) in pair.old.rows.enumerated() where !isAligned[index] { gone.append((row, index)) }
  }

  /// Takes the rows that are gone and come again together, and chooses which of them stay.
  ///
  /// Every other row holds: a row can stay only between the same two of them, and of those between the same two an increasing
  /// run can.
  private mutating func choose(isSamePlace: Bool) {
    if gone.count == 1, come.count == 1 {
      // What happens most: one row was given another key.
      guard gone[0].row.isSame(come[0].row) else { return }
      let both = Both(old: gone[0].row, from: gone[0].index, new: come[0].row, to: come[0].index)
      if both.from == both.to { staying.append(both) } else { moving.append(both) }
      gone.removeLast()
      come.removeLast()
      return
    }
    let places = RowMatches(gone.count) { gone[$0].row }
    var isTaken = Array(repeating: false, count: gone.count)
    var (groups, pending): ([[Both]], [Both]) = ([], [])
    var gap = 0
    var others: [(row: RowEntry, index: Int)] = []
    for (number, (row, index)) in come.enumerated() {
      guard let place = places.index(of: row, { gone[$0].row }) else {
        others.append((row, index))
        continue
      }
      isTaken[place] = true
      let both = Both(old: gone[place].row, from: gone[place].index, new: row, to: index)
      // The number of rows that hold before it: all that are before it but those that do not hold.
      let (before, after) = (gone[place].index - place, index - number)
      guard before == after else {
        moving.append(both)
        continue
      }
      if after != gap, !pending.isEmpty {
        groups.append(pending)
        pending = []
      }
      gap = after
      pending.append(both)
    }
    if !pending.isEmpty { groups.append(pending) }
    for group in groups {
      let kept = Stay.longestRun(group.map { (old: $0.from, bonus: isSamePlace && $0.from == $0.to) })
      for (both, isKept) in zip(group, kept) {
        if isKept { staying.append(both) } else { moving.append(both) }
      }
    }
    come = others
    gone = gone.indices.filter { !isTaken[$0] }.map { gone[$0] }
  }
}

/// Finds rows by their ids among a few or many.
struct RowMatches {
  private let count: Int
  private var indices: [OrderKey: Int] = [:]

  /// - Parameters:
  ///   - count: The number of rows.
  ///   - row: Answers the row at an index.
  init(_ count: Int, _ row: (Int) -> RowEntry) {
    self.count = count
    // A handful is found quicker by looking than by hashing.
    guard count > 8 else { return }
    indices.reserveCapacity(count)
    for index in 0..<count { indices[row(index).id] = index }
  }

  func index(of wanted: RowEntry, _ row: (Int) -> RowEntry) -> Int? {
    if count > 8 { return indices[wanted.id] }
    return (0..<count).first { row($0).isSame(wanted) }
  }
}
