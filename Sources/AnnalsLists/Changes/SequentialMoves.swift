import AnnalsLog
/// A sequence of moves for a view that applies one edit at a time.
///
/// The moves are applied after the deletions and before the insertions. The algorithm uses only the paths that a batch
/// reports. It computes the number of unchanged elements from the gaps between these paths, so its cost doesn't depend
/// on the list's length.
struct SequentialMoves {
  /// A moved element with its path before and after the batch, in sections with the same index.
  struct Move {
    let from: RowPath
    let to: RowPath
  }

  /// A move whose paths are valid after the previous step.
  struct Step {
    /// The index of the move in the given array of moves.
    let number: Int
    let from: RowPath
    let to: RowPath
  }

  /// The steps, sorted by target.
  ///
  /// Elements that previous steps have already brought to their target have no step.
  private(set) var steps: [Step] = []
  /// The number of accessed paths.
  private(set) var cost = 0

  /// The vacated paths, in order.
  private var leaving: [RowPath] = []
  /// The occupied paths, in order.
  private var arriving: [RowPath] = []
  /// The old paths of moved elements and of the elements behind which they are placed, in order.
  private var marks: [RowPath] = []
  /// The number of elements for every mark: elements that aren't moved yet, and elements that were placed behind the
  /// mark.
  ///
  /// The numbers are stored as partial sums, as in Fenwick, 1994.
  private var sums: [Int] = []

  /// Computes the steps.
  ///
  /// - Parameters:
  ///   - moves: The elements to move.
  ///   - deleted: The old paths of deleted elements.
  ///   - inserted: The new paths of inserted elements.
  /// - Complexity: O(k log k) for k paths.
  init(_ moves: [Move], deleted: [RowPath], inserted: [RowPath]) {
    guard !moves.isEmpty else { return }
    leaving = sorted(deleted + moves.map(\.from))
    arriving = sorted(inserted + moves.map(\.to))
    let anchors = moves.map { anchor(of: $0.to) }
    marks = sorted(moves.map(\.from) + anchors)
    sums = Array(repeating: 0, count: marks.count + 1)
    for move in moves { add(1, at: move.from) }
    let order = moves.indices.sorted { moves[$0].to < moves[$1].to }
    for number in order {
      let (from, to, anchor) = (moves[number].from, moves[number].to, anchors[number])
      let source = staying(before: from, leaving) + sum(in: from.section, below: rank(of: from, marks))
      add(-1, at: from)
      // The target is the number of elements in front of the moved element: the unchanged elements, the elements that
      // aren't moved yet and are in front of the anchor, and the elements that were placed behind this anchor or an
      // earlier anchor.
      let behind = RowPath(section: anchor.section, row: anchor.row + 1)
      let target = staying(before: to, arriving) + sum(in: to.section, below: rank(of: behind, marks))
      add(1, at: anchor)
      let step = Step(
        number: number, from: RowPath(section: from.section, row: source),
        to: RowPath(section: to.section, row: target))
      if step.from != step.to { steps.append(step) }
    }
  }

  private mutating func sorted(_ paths: [RowPath]) -> [RowPath] {
    paths.sorted {
      cost += 1
      return $0 < $1
    }
  }

  /// Returns the old path of the nearest unchanged element before a target, or a path with row -1 if no such element
  /// exists.
  private mutating func anchor(of target: RowPath) -> RowPath {
    // The number of the last unchanged element before the target.
    let number = staying(before: target, arriving) - 1
    guard number >= 0 else { return RowPath(section: target.section, row: -1) }
    let start = rank(of: RowPath(section: target.section, row: 0), leaving)
    let end = (start..<leaving.count).firstIndexInOrder { index in
      cost += 1
      return leaving[index].section != target.section || leaving[index].row - (index - start) > number
    }
    return RowPath(section: target.section, row: number + end - start)
  }

  /// Returns the number of unchanged elements before a path in its section.
  private mutating func staying(before path: RowPath, _ others: [RowPath]) -> Int {
    path.row - (rank(of: path, others) - rank(of: RowPath(section: path.section, row: 0), others))
  }

  /// Returns the number of sorted paths that precede a path.
  private mutating func rank(of path: RowPath, _ paths: [RowPath]) -> Int {
    paths.firstIndexInOrder {
      cost += 1
      return $0 >= path
    }
  }

  private mutating func add(_ count: Int, at path: RowPath) {
    var slot = rank(of: path, marks) + 1
    while slot < sums.count {
      cost += 1
      sums[slot] += count
      slot += slot & -slot
    }
  }

  /// Returns the sum at a section's marks below a rank.
  private mutating func sum(in section: Int, below rank: Int) -> Int {
    sum(below: rank) - sum(below: self.rank(of: RowPath(section: section, row: -1), marks))
  }

  private mutating func sum(below rank: Int) -> Int {
    var (slot, sum) = (rank, 0)
    while slot > 0 {
      cost += 1
      sum += sums[slot]
      slot -= slot & -slot
    }
    return sum
  }
}
