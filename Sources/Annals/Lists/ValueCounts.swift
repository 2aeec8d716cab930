/// A value that rows have, and how many of them have it.
final class ValueCount: Sendable {
  let key: OrderKey
  let count: Int
  let value: any Sendable

  init(_ key: OrderKey, count: Int, value: any Sendable) { (self.key, self.count, self.value) = (key, count, value) }
}

/// Values in their order, as sort keys have them.
enum ByValue: TreeOrder {
  @inline(__always)
  static func head(_ element: ValueCount) -> UInt64 { element.key.head }

  @inline(__always)
  static func compareTails(_ left: ValueCount, _ right: ValueCount) -> Int {
    OrderKey.compareTails(left.key, right.key)
  }
}

extension SortedTree<ByValue> {
  /// Counts one row more, or one less, that has the value whose key was written.
  ///
  /// - Complexity: O(log d) for d different values.
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

  /// The smallest value, nil if there is none.
  var smallest: ValueCount? { isEmpty ? nil : self[0] }
  /// The largest value, nil if there is none.
  var largest: ValueCount? { isEmpty ? nil : self[count - 1] }
}
