/// The way of what leaves its order to where it belongs, for a view that takes one edit at a time.
///
/// What was deleted is gone by then, and what was inserted is not there yet. It knows the paths that a batch reports
/// and nothing of what stays, which is counted by what is missing around it: a list's length has no say in what this
/// costs.
struct SequentialMoves {
  /// Something that leaves its order: its path before the batch, and after it, in a section of the same index.
  struct Move {
    let from: RowPath
    let to: RowPath
  }

  /// A move by the paths that the one before left.
  struct Step {
    /// Which of the moves it is.
    let number: Int
    let from: RowPath
    let to: RowPath
  }

  /// By target; what stands where it belongs when its turn comes is left out.
  private(set) var steps: [Step] = []
  /// How many paths were looked at.
  private(set) var cost = 0

  /// The paths that are left, in order.
  private var leaving: [RowPath] = []
  /// The paths that are taken, in order.
  private var arriving: [RowPath] = []
  /// The paths before the batch of what moves, and of what each comes to stand behind; in order.
  private var marks: [RowPath] = []
  /// By mark: what waits there, or came to stand behind it (sums as Fenwick's, 1994).
  private var sums: [Int] = []

  /// Finds the way.
  ///
  /// - Parameters:
  ///   - moves: What leaves its order.
  ///   - deleted: The paths before the batch of what goes.
  ///   - inserted: The paths after the batch of what comes.
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
      // What stands in front of it: what stays, what waits in front of the anchor, and what came behind it or one
      // before.
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

  /// The path before the batch of what stays and stands nearest before a target; row -1 if nothing does.
  private mutating func anchor(of target: RowPath) -> RowPath {
    // Of so many that stay it is the last.
    let number = staying(before: target, arriving) - 1
    guard number >= 0 else { return RowPath(section: target.section, row: -1) }
    let start = rank(of: RowPath(section: target.section, row: 0), leaving)
    let end = (start..<leaving.count).firstIndexInOrder { index in
      cost += 1
      return leaving[index].section != target.section || leaving[index].row - (index - start) > number
    }
    return RowPath(section: target.section, row: number + end - start)
  }

  /// How many that stay stand before a path in its section.
  private mutating func staying(before path: RowPath, _ others: [RowPath]) -> Int {
    path.row - (rank(of: path, others) - rank(of: RowPath(section: path.section, row: 0), others))
  }

  /// How many of some paths in order stand before one.
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

  /// What is noted at a section's marks below a rank.
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
