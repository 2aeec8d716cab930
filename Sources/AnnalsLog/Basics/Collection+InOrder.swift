extension RandomAccessCollection where Index == Int {
  /// Returns the first index at which a condition holds.
  ///
  /// If the condition holds for an element, it must hold for all later elements.
  ///
  /// - Parameter holds: The condition.
  /// - Returns: The index, or the end index if the condition holds for no element.
  /// - Complexity: O(log n) for n elements.
  @inlinable @inline(__always)
  package func firstIndexInOrder(where holds: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
