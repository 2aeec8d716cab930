/// A set of states at past positions, so that a seek doesn't need to fold all events from the first event.
///
/// Which states are kept depends only on the current position, and not on earlier positions. A state whose position is
/// divisible by 2^k is kept within 4·2^k positions of the current position. If 2^k is a multiple of the log's coarse
/// grain, the state is kept at any distance. So the density of states decreases with the distance, and a few states
/// cover the whole log and are never evicted.
///
/// A step back to a position without a state has to fold some events, but about as many earlier steps found a state. So
/// the average number of folded events per step grows only logarithmically with the log.
package struct KeptStates<State> {
  /// The states, sorted by position.
  private var kept: [(position: Int, state: State)] = []

  /// The number of states of every grain that are kept on each side of the current position.
  private static var reach: Int { 4 }
  /// The maximum number of states that are kept across the whole log.
  private static var coarse: Int { 64 }

  package init() {}

  /// The number of kept states.
  package var count: Int { kept.count }

  /// Returns the last state at or before a position.
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

  /// Releases the states that aren't needed around a position.
  ///
  /// - Parameters:
  ///   - position: The current position.
  ///   - end: The log's end.
  package mutating func settle(around position: Int, end: Int) {
    let grain = Self.grain(end)
    kept.removeAll { !Self.isKept($0.position, around: position, grain) }
  }

  /// Returns the positions at which states should be kept on the way between two positions, in order.
  ///
  /// The last of these positions is `position`.
  ///
  /// - Complexity: O(log n).
  package static func marks(from start: Int, to position: Int, end: Int) -> [Int] {
    guard start < position else { return [] }
    var marks: Set<Int> = [position]
    let coarsest = grain(end)
    var grain = 1
    while grain < position {
      // States at the coarse grain are kept on the whole way, and states at finer grains only on its last part.
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

  /// Returns the index of the first state after a position.
  private func index(after position: Int) -> Int {
    kept.firstIndexInOrder { $0.position > position }
  }

  private static func isKept(_ position: Int, around center: Int, _ coarsest: Int) -> Bool {
    if position == center || position & (coarsest - 1) == 0 { return true }
    // The largest power of two that divides the position. It is finer than the coarse grain, so this can't overflow.
    return abs(position - center) <= reach * (1 << position.trailingZeroBitCount)
  }

  /// Returns the distance between the states that are kept for the whole log.
  ///
  /// It is a power of two.
  private static func grain(_ end: Int) -> Int {
    var grain = 1
    while end / grain > coarse { grain *= 2 }
    return grain
  }
}
