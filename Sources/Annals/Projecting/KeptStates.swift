/// States at positions of the past, so that a step from one position to the next does not begin at the first event.
///
/// Which states are kept follows only from the position that you are at, and not from where you were before. At every
/// distance as many are kept. A position that 2^k divides is kept within 4·2^k of your position, and everywhere if 2^k
/// is a coarse grain of the whole log. So there are states close by, fewer further away, and some everywhere, which
/// nothing near pushes out. A step back that finds no state has to fold some events. As many steps before it found a
/// state, but for a factor that grows as the logarithm of the log.
package struct KeptStates<State> {
  /// The states in the order of their positions.
  private var kept: [(position: Int, state: State)] = []

  /// How many steps of a grain are kept on both sides.
  private static var reach: Int { 4 }
  /// How many states are kept at most over the whole log.
  private static var coarse: Int { 64 }

  package init() {}

  /// How many states are kept.
  package var count: Int { kept.count }

  /// The last state at or before a position.
  package func last(through position: Int) -> (position: Int, state: State)? {
    let index = index(after: position)
    return index > 0 ? kept[index - 1] : nil
  }

  /// Keeps a state.
  package mutating func keep(_ state: State, at position: Int) {
    let index = index(after: position)
    if index > 0, kept[index - 1].position == position {
      kept[index - 1].state = state
    } else {
      kept.insert((position, state), at: index)
    }
  }

  /// Lets go of the states that are not kept around a position.
  ///
  /// - Parameters:
  ///   - position: The position that is looked at.
  ///   - end: The log's end.
  package mutating func settle(around position: Int, end: Int) {
    let grain = Self.grain(end)
    kept.removeAll { !Self.isKept($0.position, around: position, grain) }
  }

  /// The positions at which states are to be kept on the way from one position to another, in order.
  ///
  /// The last is the end of the way.
  ///
  /// - Complexity: O(log n).
  package static func marks(from start: Int, to position: Int, end: Int) -> [Int] {
    guard start < position else { return [] }
    var marks: Set<Int> = [position]
    let coarsest = grain(end)
    var grain = 1
    while grain < position {
      // The coarse grain is kept on the whole way, the finer ones on its last part.
      let first = grain == coarsest ? start : max(start, position - min(position, reach * grain) - 1)
      var mark = first / grain * grain
      while position - mark > grain {
        mark += grain
        marks.insert(mark)
      }
      if grain >= coarsest { break }
      grain *= 2
    }
    return marks.sorted()
  }

  /// The index of the first state after a position.
  private func index(after position: Int) -> Int {
    kept.firstIndexInOrder { $0.position > position }
  }

  private static func isKept(_ position: Int, around center: Int, _ coarsest: Int) -> Bool {
    if position == center || position & (coarsest - 1) == 0 { return true }
    // The largest power of two that divides the position. It is finer than the coarse grain, so that nothing here is
    // too large.
    return abs(position - center) <= reach * (1 << position.trailingZeroBitCount)
  }

  /// The grain that is kept over the whole log, a power of two.
  private static func grain(_ end: Int) -> Int {
    var grain = 1
    while end / grain > coarse { grain *= 2 }
    return grain
  }
}
