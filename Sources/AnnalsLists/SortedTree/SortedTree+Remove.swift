extension SortedTree {
  /// Removes the element that has the same key as another element.
  ///
  /// - Returns: The removed element, or `nil`.
  /// - Complexity: O(log n).
  @discardableResult
  package mutating func remove(_ element: Element) -> Element? {
    // The element is searched first, so that a tree without the element keeps all its nodes.
    rank(of: element).map { remove(at: $0) }
  }

  /// Removes the element at a rank from 0 to count - 1.
  ///
  /// - Returns: The removed element.
  /// - Complexity: O(log n).
  @discardableResult
  package mutating func remove(at rank: Int) -> Element {
    precondition(
      rank >= 0 && rank < count, "`rank` must be at least 0 and less than the count \(count) (was \(rank))")
    let removed = Self.remove(at: rank, from: ownRoot(room: 0), level: height)
    while let node = root, node.info.pointee.slots <= (height == 0 ? 0 : 1) {
      root = height == 0 ? nil : node.child(0).takeUnretainedValue()
      height = Swift.max(height - 1, 0)
    }
    return removed
  }

  /// Removes an element below a node that belongs only to this tree.
  private static func remove(at rank: Int, from node: Unmanaged<TreeNode>, level: Int) -> Element {
    node._withUnsafeGuaranteedRef { node in
      if level == 0 {
        let removed: Element = node.take(rank)
        node.close(rank)
        node.info.pointee.count -= 1
        if Order.isWeighted { node.info.pointee.weight -= Order.weight(removed) }
        return removed
      }
      var (slot, rank) = (0, rank)
      while rank >= Int(node.counts[slot]) {
        rank -= Int(node.counts[slot])
        slot += 1
      }
      let most = level == 1 ? Order.leafCapacity : Order.innerCapacity
      let child = node.ownChild(slot, room: 0, most: most)
      let removed = remove(at: rank, from: child, level: level - 1)
      node.info.pointee.count -= 1
      if Order.isWeighted { node.info.pointee.weight -= Order.weight(removed) }
      let left = child._withUnsafeGuaranteedRef { $0.info.pointee.slots }
      if left == 0 {
        TreeNode.release(node.refs[slot], isLeaf: false)
        node.close(slot)
      } else {
        node.summarize(slot)
        if left <= most / 3, node.info.pointee.slots > 1 { join(Swift.max(slot - 1, 0), of: node, most: most) }
      }
      return removed
    }
  }

  /// Merges two neighbouring nodes if one node can contain both, and otherwise balances their sizes.
  private static func join(_ slot: Int, of node: TreeNode, most: Int) {
    let (left, right) = (node.child(slot).takeUnretainedValue(), node.child(slot + 1).takeUnretainedValue())
    let (slots, more) = (left.info.pointee.slots, right.info.pointee.slots)
    let isLeaf = left.info.pointee.isLeaf
    let sum = slots + more
    // Nodes are merged only if some space remains, so that the next insertion does not split the merged node. But small
    // nodes are filled completely.
    let isOne = sum <= (most < 8 ? most : most * 3 / 4)
    let size = isOne ? sum : sum / 2
    let first = TreeNode.make(isLeaf: isLeaf, capacity: TreeNode.capacity(for: size, most: most))
    first.append(0..<Swift.min(size, slots), of: left)
    if size > slots { first.append(0..<size - slots, of: right) }
    recount(first)
    put(first, at: slot, of: node)
    if isOne {
      TreeNode.release(node.refs[slot + 1], isLeaf: false)
      node.close(slot + 1)
    } else {
      let second = TreeNode.make(isLeaf: isLeaf, capacity: TreeNode.capacity(for: sum - size, most: most))
      if size < slots { second.append(size..<slots, of: left) }
      second.append(Swift.max(size - slots, 0)..<more, of: right)
      recount(second)
      put(second, at: slot + 1, of: node)
    }
  }

  private static func put(_ child: TreeNode, at slot: Int, of node: TreeNode) {
    TreeNode.release(node.refs[slot], isLeaf: false)
    node.refs[slot] = TreeNode.word(Unmanaged.passRetained(child))
    node.summarize(slot)
  }
}
