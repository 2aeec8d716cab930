extension RandomAccessCollection where Index == Int {
  /// The first index from which on a condition holds, in a collection where it holds for all elements after one too.
  ///
  /// - Parameter holds: The condition.
  /// - Returns: The index; the end index if the condition holds nowhere.
  /// - Complexity: O(log n).
  @inline(__always)
  func firstIndexInOrder(where holds: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
