/// Functions that choose the elements that keep their place while other elements move.
enum MinimalMoves {
  /// A section that two lists have, as a candidate in the order of the new list.
  struct Candidate {
    /// The section's index in the old list.
    let old: Int
    /// The number of row changes that must be reported if the section doesn't keep its place, plus 1 for the section.
    let weight: Int
    /// The number of the section's rows.
    ///
    /// If an observer can't show moves of sections, all these rows are reported.
    let size: Int
  }

  private struct Score: Comparable {
    var weight = 0
    var count = 0
    var size = 0

    static func < (left: Score, right: Score) -> Bool {
      (left.weight, left.count, left.size) < (right.weight, right.count, right.size)
    }
  }

  /// Chooses the increasing run with the greatest weight.
  ///
  /// Among runs with equal weights, it chooses the run with the most sections, and then the run with the most rows.
  ///
  /// - Complexity: O(s log s) for s candidates.
  static func keep(_ candidates: [Candidate]) -> [Bool] {
    run(candidates.map(\.old), zero: Score()) { index, before in
      let one = candidates[index]
      return Score(weight: before.weight + one.weight, count: before.count + 1, size: before.size + one.size)
    }
  }

  /// Chooses a longest increasing run.
  ///
  /// Among several longest runs, it chooses a run with the most rows that are at their old place in the new list.
  ///
  /// - Complexity: O(k log k) for k rows.
  static func longestRun(_ rows: [(old: Int, bonus: Bool)]) -> [Bool] {
    run(rows.map(\.old), zero: 0) { index, before in before + rows.count + 1 + (rows[index].bonus ? 1 : 0) }
  }

  /// Chooses the increasing run with the best score, using a tree of prefix maxima.
  ///
  /// `score` returns the score of a run that ends with an element, given the score of the run before this element.
  /// `score` must be monotonic. Among runs with equal scores, the first run is chosen. For the tree, see Fenwick, "A
  /// New Data Structure for Cumulative Frequency Tables", 1994.
  private static func run<Score: Comparable>(_ olds: [Int], zero: Score, _ score: (Int, Score) -> Score) -> [Bool] {
    var kept = Array(repeating: false, count: olds.count)
    if zip(olds, olds.dropFirst()).allSatisfy({ $0 < $1 }) { return kept.map { _ in true } }
    var ranks = Array(repeating: 0, count: olds.count)
    for (rank, index) in olds.indices.sorted(by: { olds[$0] < olds[$1] }).enumerated() { ranks[index] = rank + 1 }
    var tree: [(score: Score, index: Int)] = Array(repeating: (zero, -1), count: olds.count + 1)
    var previous: [Int] = []
    var best = (score: zero, index: -1)
    for index in olds.indices {
      var found = (score: zero, index: -1)
      var slot = ranks[index] - 1
      while slot > 0 {
        if tree[slot].score > found.score { found = tree[slot] }
        slot -= slot & -slot
      }
      previous.append(found.index)
      let own = score(index, found.score)
      if own > best.score { best = (own, index) }
      slot = ranks[index]
      while slot < tree.count {
        if own > tree[slot].score { tree[slot] = (own, index) }
        slot += slot & -slot
      }
    }
    var index = best.index
    while index >= 0 {
      kept[index] = true
      index = previous[index]
    }
    return kept
  }
}
