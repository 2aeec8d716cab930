extension SortedTree {
  /// True if the way to a key can be read, now and later.
  ///
  /// - Complexity: O(log n).
  func isReadable(head: UInt64, _ tie: (Element) -> Int) -> Bool {
    guard var node = root else { return true }
    for _ in 0..<height {
      // Where heads are equal, elements are looked at.
      for slot in 0..<node.info.pointee.slots where node.heads[slot] == head {
        guard node.isBeginReadable(slot) else { return false }
      }
      let slot = node.childSlot(head, tie)
      guard node.isChildReadable(slot) else { return false }
      node = node.child(slot).takeUnretainedValue()
    }
    return true
  }

  /// True if the element at a rank can be read, now and later.
  ///
  /// - Complexity: O(log n).
  func isReadable(at rank: Int) -> Bool { leads(to: rank) { $0.isChildReadable($1) } }

  /// True if the element at a rank is in memory.
  ///
  /// - Complexity: O(log n).
  func isInMemory(at rank: Int) -> Bool {
    leads(to: rank) { node, slot in
      TreeNode.pageIfAny(node.refs[slot])?._withUnsafeGuaranteedRef { $0.nodeIfLoaded != nil } ?? true
    }
  }

  /// Reads all that is not in memory yet; false if some of it cannot be read, or an element is not whole.
  ///
  /// - Complexity: O(n).
  func readAll(_ isWhole: (Element) -> Bool = { _ in true }) -> Bool {
    func read(_ node: TreeNode, _ level: Int) -> Bool {
      (0..<node.info.pointee.slots).allSatisfy { slot in
        guard level > 0 else {
          return isWhole((TreeNode.unmanaged(node.refs[slot]) as Unmanaged<Element>).takeUnretainedValue())
        }
        return node.isChildReadable(slot) && read(node.child(slot).takeUnretainedValue(), level - 1)
      }
    }
    return root.map { read($0, height) } ?? true
  }

  /// Goes down to a rank as long as there is a way.
  private func leads(to rank: Int, _ isOpen: (TreeNode, Int) -> Bool) -> Bool {
    guard let root, rank >= 0, rank < count else { return false }
    var (node, left) = (root, UInt64(rank))
    for _ in 0..<height {
      var slot = 0
      while left >= node.counts[slot] {
        left -= node.counts[slot]
        slot += 1
      }
      guard isOpen(node, slot) else { return false }
      node = node.child(slot).takeUnretainedValue()
    }
    return true
  }
}

extension TreeNode {
  /// True if the child in a slot is in memory, or could be read.
  fileprivate func isChildReadable(_ slot: Int) -> Bool {
    Self.pageIfAny(refs[slot])?._withUnsafeGuaranteedRef { $0.isReadable } ?? true
  }

  /// True if the element that a slot begins with is in memory, or could be read.
  fileprivate func isBeginReadable(_ slot: Int) -> Bool {
    if info.pointee.isLeaf || firsts[slot] != 0 { return true }
    return isChildReadable(slot) && child(slot)._withUnsafeGuaranteedRef { $0.isBeginReadable(0) }
  }
}
