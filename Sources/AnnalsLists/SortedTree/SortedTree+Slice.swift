extension SortedTree {
  /// Returns the elements in a range of ranks as a new tree, which shares this tree's nodes that are completely inside
  /// the range.
  ///
  /// The new tree's first and last nodes might have only a few slots.
  ///
  /// - Complexity: O(log n).
  package func slice(_ range: Range<Int>) -> SortedTree {
    precondition(
      range.lowerBound >= 0 && range.upperBound <= count,
      "`range` must be within the tree's \(count) elements (was \(range))")
    if range.count == count { return self }
    var slice = SortedTree()
    guard let root, !range.isEmpty else { return slice }
    slice.root = Self.slice(root, range)
    slice.height = height
    while slice.height > 0, let top = slice.root, top.info.pointee.slots == 1 {
      slice.root = top.child(0).takeUnretainedValue()
      slice.height -= 1
    }
    return slice
  }

  private static func slice(_ node: TreeNode, _ range: Range<Int>) -> TreeNode {
    if range.count == node.info.pointee.count { return node }
    let slots = node.info.pointee.slots
    guard !node.info.pointee.isLeaf else {
      let leaf = TreeNode.make(
        isLeaf: true, capacity: TreeNode.capacity(for: range.count, most: Order.leafCapacity))
      leaf.append(range, of: node)
      recount(leaf)
      return leaf
    }
    let slice = TreeNode.make(
      isLeaf: false, capacity: TreeNode.capacity(for: slots, most: Order.innerCapacity))
    var start = 0
    for slot in 0..<slots {
      let size = Int(node.counts[slot])
      let part = range.clamped(to: start..<start + size)
      if part.count == size {
        // A kept child is shared, even if it is a page that was not read.
        slice.append(slot..<slot + 1, of: node)
        slice.info.pointee.count += size
        slice.info.pointee.weight += Int(truncatingIfNeeded: node.weights[slot])
      } else if !part.isEmpty {
        let child = node.child(slot).takeUnretainedValue()
        slice.appendChild(Self.slice(child, part.lowerBound - start..<part.upperBound - start))
      }
      start += size
    }
    return slice
  }
}
