extension TreeNode {
  /// Returns the number of slots whose key is smaller than a given key.
  ///
  /// The key is given by its head and a comparison.
  ///
  /// `tie` compares the first element of a slot with the key if their heads are equal.
  @inline(__always)
  func lowerBound<Element: AnyObject>(_ head: UInt64, _ tie: (Element) -> Int) -> Int {
    var low = Self.lowerBound(heads, 0, info.pointee.slots, head)
    guard low < info.pointee.slots, heads[low] == head else { return low }
    // Among slots with equal heads, the elements are compared.
    var high = head == .max ? info.pointee.slots : Self.lowerBound(heads, low, info.pointee.slots, head + 1)
    while low < high {
      let middle = (low + high) / 2
      if Self.compare(begin(middle), tie) < 0 { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns the slot of the child to which a key belongs.
  @inline(__always)
  func childSlot<Element: AnyObject>(_ head: UInt64, _ tie: (Element) -> Int) -> Int {
    let bound = lowerBound(head, tie)
    // A key that equals the first key of a child belongs to this child, and a smaller key belongs to the preceding
    // child.
    let isFirst = bound < info.pointee.slots && heads[bound] == head && Self.compare(begin(bound), tie) == 0
    return isFirst ? bound : max(bound - 1, 0)
  }

  @inline(__always)
  private static func compare<Element: AnyObject>(_ word: UInt64, _ tie: (Element) -> Int) -> Int {
    (element(word) as Unmanaged<Element>)._withUnsafeGuaranteedRef { tie($0) }
  }

  /// Returns the first slot at or after an index whose head is not smaller than the given head.
  @inline(__always)
  static func lowerBound(_ heads: UnsafeMutablePointer<UInt64>, _ start: Int, _ end: Int, _ head: UInt64) -> Int {
    var (low, length) = (start, end - start)
    while length > 0 {
      let half = length / 2
      let isLess = heads[low + half] < head
      low = isLess ? low + half + 1 : low
      length = isLess ? length - half - 1 : half
    }
    return low
  }
}

extension SortedTree {
  /// The result of a search for a key: the number of elements before the key, and the element with the key, if it
  /// exists.
  package struct Lookup {
    package let rank: Int
    package let element: Element?
  }

  /// Searches for a key, which is given by its head and a comparison for equal heads.
  ///
  /// - Complexity: O(log n).
  @inline(__always)
  package func lookup(head: UInt64, _ tie: (Element) -> Int) -> Lookup {
    guard let root else { return Lookup(rank: 0, element: nil) }
    var rank = 0
    var node = Unmanaged.passUnretained(root)
    for _ in 0..<height {
      node = node._withUnsafeGuaranteedRef { node in
        let slot = node.childSlot(head, tie)
        for before in 0..<slot { rank += Int(node.counts[before]) }
        return node.child(slot)
      }
    }
    return node._withUnsafeGuaranteedRef { leaf in
      let slot = leaf.lowerBound(head, tie)
      guard slot < leaf.info.pointee.slots, leaf.heads[slot] == head else {
        return Lookup(rank: rank + slot, element: nil)
      }
      let found: Element = leaf.element(slot).takeUnretainedValue()
      return Lookup(rank: rank + slot, element: tie(found) == 0 ? found : nil)
    }
  }

  /// Returns the element with a key, or `nil`.
  ///
  /// - Complexity: O(log n).
  @inline(__always)
  package func element(head: UInt64, _ tie: (Element) -> Int) -> Element? {
    guard let root else { return nil }
    var node = Unmanaged.passUnretained(root)
    for _ in 0..<height {
      node = node._withUnsafeGuaranteedRef { $0.child($0.childSlot(head, tie)) }
    }
    return node._withUnsafeGuaranteedRef { leaf in
      let slot = leaf.lowerBound(head, tie)
      guard slot < leaf.info.pointee.slots, leaf.heads[slot] == head else { return nil }
      let found: Element = leaf.element(slot).takeUnretainedValue()
      return tie(found) == 0 ? found : nil
    }
  }

  /// Searches for an element's key.
  ///
  /// - Complexity: O(log n).
  package func lookup(of element: Element) -> Lookup {
    lookup(head: Order.head(element)) { $0 === element ? 0 : Order.compareTails($0, element) }
  }

  /// Returns the rank of the element with the same key, or `nil`.
  ///
  /// - Complexity: O(log n).
  package func rank(of element: Element) -> Int? {
    let found = lookup(of: element)
    return found.element == nil ? nil : found.rank
  }

  /// Accesses the element at a rank from 0 to count - 1.
  ///
  /// - Complexity: O(log n).
  package subscript(rank: Int) -> Element {
    guard let root, rank >= 0, rank < count else {
      preconditionFailure("`rank` must be at least 0 and less than the count \(count) (was \(rank))")
    }
    var left = UInt64(rank)
    var node = Unmanaged.passUnretained(root)
    for _ in 0..<height {
      node = node._withUnsafeGuaranteedRef { node in
        var slot = 0
        while left >= node.counts[slot] {
          left -= node.counts[slot]
          slot += 1
        }
        return node.child(slot)
      }
    }
    return node._withUnsafeGuaranteedRef { $0.element(Int(left)).takeUnretainedValue() }
  }

  /// Returns the weight of the elements before a rank from 0 to count.
  ///
  /// - Complexity: O(log n).
  package func weight(before rank: Int) -> Int {
    guard let root, rank < count else { return weight }
    var (left, sum) = (UInt64(rank), 0)
    var node = Unmanaged.passUnretained(root)
    for _ in 0..<height {
      node = node._withUnsafeGuaranteedRef { node in
        var slot = 0
        while left >= node.counts[slot] {
          left -= node.counts[slot]
          sum += Int(truncatingIfNeeded: node.weights[slot])
          slot += 1
        }
        return node.child(slot)
      }
    }
    return node._withUnsafeGuaranteedRef { leaf in
      for slot in 0..<Int(left) { sum += Order.weight(leaf.element(slot).takeUnretainedValue()) }
      return sum
    }
  }

  /// Returns the rank of the element at which the sum of the elements' weights, added in order, first exceeds a given
  /// weight.
  ///
  /// - Parameter weight: A weight from 0 to the tree's weight - 1.
  /// - Returns: The element's rank, and the given weight minus the weight of all elements before this element.
  /// - Complexity: O(log n).
  package func locate(weight: Int) -> (rank: Int, rest: Int) {
    guard let root, weight >= 0, weight < self.weight else {
      preconditionFailure("`weight` must be at least 0 and less than the tree's weight \(self.weight) (was \(weight))")
    }
    var (left, rank) = (weight, 0)
    var node = Unmanaged.passUnretained(root)
    for _ in 0..<height {
      node = node._withUnsafeGuaranteedRef { node in
        var slot = 0
        while left >= Int(truncatingIfNeeded: node.weights[slot]) {
          left -= Int(truncatingIfNeeded: node.weights[slot])
          rank += Int(node.counts[slot])
          slot += 1
        }
        return node.child(slot)
      }
    }
    return node._withUnsafeGuaranteedRef { leaf in
      var slot = 0
      while true {
        let own = Order.weight(leaf.element(slot).takeUnretainedValue())
        if left < own { return (rank + slot, left) }
        left -= own
        slot += 1
      }
    }
  }
}
