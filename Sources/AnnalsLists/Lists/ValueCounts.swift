/// A value, and the number of rows that have it.
final class ValueCount: Sendable {
  let key: OrderKey
  let count: Int
  let value: any Sendable

  init(_ key: OrderKey, count: Int, value: any Sendable) {
    self.key = key
    self.count = count
    self.value = value
  }
}

/// The order of values, as in sort keys.
enum ByValue: TreeOrder {
  @inline(__always)
  static func head(_ element: ValueCount) -> UInt64 { element.key.head }

  @inline(__always)
  static func compareTails(_ left: ValueCount, _ right: ValueCount) -> Int {
    OrderKey.compareTails(left.key, right.key)
  }
}

extension SortedTree<ByValue> {
  /// Adds or removes one row with the value whose key was written.
  ///
  /// - Complexity: O(log d) for d distinct values.
  mutating func count(_ writer: KeyWriter, _ difference: Int, _ make: () -> any Sendable) {
    let key = OrderKey(writer)
    let found = lookup(head: key.head) { OrderKey.compareTails($0.key, key) }
    guard let known = found.element else {
      if difference > 0 { insert(ValueCount(key, count: difference, value: make())) }
      return
    }
    let count = known.count + difference
    if count > 0 {
      insert(ValueCount(known.key, count: count, value: known.value))
    } else {
      remove(at: found.rank)
    }
  }

  /// The smallest value, or `nil` without values.
  var smallest: ValueCount? { isEmpty ? nil : self[0] }
  /// The largest value, or `nil` without values.
  var largest: ValueCount? { isEmpty ? nil : self[count - 1] }
}
