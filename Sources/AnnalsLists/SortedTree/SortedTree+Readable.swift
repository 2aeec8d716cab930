extension SortedTree {
  /// Returns the same result as ``lookup(head:_:)``, but in a tree with parts that might be on disk.
  ///
  /// - Throws: `UnreadablePage` if a page on the path can be neither read nor rebuilt.
  /// - Complexity: O(log n).
  func read(head: UInt64, _ tie: (Element) -> Int) throws(UnreadablePage) -> Lookup {
    guard let root else { return Lookup(rank: 0, element: nil) }
    var rank = 0
    var node = Unmanaged.passUnretained(root)
    for _ in 0..<height {
      let child = node._withUnsafeGuaranteedRef { node -> Unmanaged<TreeNode>? in
        guard node.areBeginsReadable(head) else { return nil }
        let slot = node.childSlot(head, tie)
        for before in 0..<slot { rank += Int(node.counts[before]) }
        return node.readableChild(slot)
      }
      guard let child else { throw UnreadablePage() }
      node = child
    }
    let found = node._withUnsafeGuaranteedRef { leaf -> Lookup? in
      guard leaf.areBeginsReadable(head) else { return nil }
      let slot = leaf.lowerBound(head, tie)
      guard slot < leaf.info.pointee.slots, leaf.heads[slot] == head else {
        return Lookup(rank: rank + slot, element: nil)
      }
      let found: Element = leaf.element(slot).takeUnretainedValue()
      return Lookup(rank: rank + slot, element: tie(found) == 0 ? found : nil)
    }
    guard let found else { throw UnreadablePage() }
    return found
  }

  /// Returns the element at a rank in a tree with parts that might be on disk, or `nil` for an invalid rank.
  ///
  /// - Throws: `UnreadablePage` if a page on the path can be neither read nor rebuilt.
  /// - Complexity: O(log n).
  func read(at rank: Int) throws(UnreadablePage) -> Element? {
    guard let root, rank >= 0, rank < count else { return nil }
    var left = UInt64(rank)
    var node = Unmanaged.passUnretained(root)
    for _ in 0..<height {
      let child = node._withUnsafeGuaranteedRef { node in
        var slot = 0
        while left >= node.counts[slot] {
          left -= node.counts[slot]
          slot += 1
        }
        return node.readableChild(slot)
      }
      guard let child else { throw UnreadablePage() }
      node = child
    }
    let found = node._withUnsafeGuaranteedRef { leaf -> Element? in
      leaf.isBeginReadable(Int(left)) ? leaf.element(Int(left)).takeUnretainedValue() : nil
    }
    guard let found else { throw UnreadablePage() }
    return found
  }

  /// Returns true if the element at a rank is in memory.
  ///
  /// - Complexity: O(log n).
  func isInMemory(at rank: Int) -> Bool {
    guard let root, rank >= 0, rank < count else { return false }
    var (node, left) = (root, UInt64(rank))
    for _ in 0..<height {
      var slot = 0
      while left >= node.counts[slot] {
        left -= node.counts[slot]
        slot += 1
      }
      guard TreeNode.pageIfAny(node.refs[slot])?._withUnsafeGuaranteedRef({ $0.nodeIfLoaded != nil }) ?? true else {
        return false
      }
      node = node.child(slot).takeUnretainedValue()
    }
    return true
  }

  /// Reads all parts that are not in memory yet, and returns false if a part is unreadable or an element is
  /// incomplete.
  ///
  /// - Complexity: O(n).
  package func readAll(_ isWhole: (Element) -> Bool = { _ in true }) -> Bool {
    func read(_ node: TreeNode, _ level: Int) -> Bool {
      (0..<node.info.pointee.slots).allSatisfy { slot in
        guard level > 0 else {
          return node.isBeginReadable(slot)
            && isWhole((node.element(slot) as Unmanaged<Element>).takeUnretainedValue())
        }
        return node.isChildReadable(slot) && read(node.child(slot).takeUnretainedValue(), level - 1)
      }
    }
    return root.map { read($0, height) } ?? true
  }
}

/// An error for a page that can be neither read nor rebuilt, so that its list is lost.
struct UnreadablePage: Error {}

extension TreeNode {
  /// Returns the child in a slot, or `nil` if the child is on disk and can be neither read nor rebuilt.
  fileprivate func readableChild(_ slot: Int) -> Unmanaged<TreeNode>? { isChildReadable(slot) ? child(slot) : nil }

  /// Returns true if the child in a slot is in memory or could be read.
  fileprivate func isChildReadable(_ slot: Int) -> Bool {
    Self.pageIfAny(refs[slot])?._withUnsafeGuaranteedRef { $0.isReadable } ?? true
  }

  /// Returns true if the first elements of all slots with a head are in memory or could be read.
  ///
  /// A search compares these elements.
  fileprivate func areBeginsReadable(_ head: UInt64) -> Bool {
    var slot = Self.lowerBound(heads, 0, info.pointee.slots, head)
    while slot < info.pointee.slots, heads[slot] == head {
      guard isBeginReadable(slot) else { return false }
      slot += 1
    }
    return true
  }

  /// Returns true if the first element of a slot is in memory or could be read.
  fileprivate func isBeginReadable(_ slot: Int) -> Bool {
    let word = info.pointee.isLeaf ? refs[slot] : firsts[slot]
    if word != 0 { return Self.savedIfAny(word)?._withUnsafeGuaranteedRef { $0.isReadable } ?? true }
    return isChildReadable(slot) && child(slot)._withUnsafeGuaranteedRef { $0.isBeginReadable(0) }
  }
}
