extension SortedTree {
  /// Inserts an element, or replaces the element with the same key.
  ///
  /// - Returns: The replaced element, or `nil`.
  /// - Complexity: O(log n).
  @discardableResult
  package mutating func insert(_ element: Element) -> Element? {
    guard root != nil else {
      self = SortedTree(sorted: CollectionOfOne(element))
      return nil
    }
    let old = ownRoot(room: 1)
    let (replaced, split) = Self.insert(element, into: old, level: height)
    guard let split else { return replaced }
    // The root was split, so the tree gets another level.
    let top = TreeNode.make(isLeaf: false, capacity: TreeNode.capacity(for: 2, most: Order.innerCapacity))
    old._withUnsafeGuaranteedRef { top.appendChild($0) }
    top.appendChild(split)
    root = top
    height += 1
    return replaced
  }

  /// Returns the root, after copying it if it is shared with another tree.
  @inline(__always)
  mutating func ownRoot(room: Int) -> Unmanaged<TreeNode> {
    // The root of a tree that was read from a cache contains only the page of the saved root.
    if height > 0, root.unsafelyUnwrapped.info.pointee.slots == 1 { dropThinRoot() }
    let most = height == 0 ? Order.leafCapacity : Order.innerCapacity
    // All callers have a tree with a root.
    let (slots, capacity) = (root.unsafelyUnwrapped.info.pointee.slots, root.unsafelyUnwrapped.info.pointee.capacity)
    if !isKnownUniquelyReferenced(&root) || (slots + room > capacity && capacity < most) {
      root = root.unsafelyUnwrapped.copy(capacity: TreeNode.capacity(for: Swift.min(slots + room, most), most: most))
    }
    // A changed node no longer matches the saved node.
    root.unsafelyUnwrapped.info.pointee.forgetSaved()
    return Unmanaged.passUnretained(root.unsafelyUnwrapped)
  }

  /// Replaces the root with its only child.
  private mutating func dropThinRoot() {
    while height > 0, let thin = root, thin.info.pointee.slots == 1 {
      root = thin.child(0).takeUnretainedValue()
      height -= 1
    }
  }

  /// Inserts below a node that belongs only to this tree.
  ///
  /// Returns the replaced element, and the node's right half if the node was split.
  private static func insert(
    _ element: Element, into node: Unmanaged<TreeNode>, level: Int
  ) -> (replaced: Element?, split: TreeNode?) {
    node._withUnsafeGuaranteedRef { node in
      let head = Order.head(element)
      let tie: (Element) -> Int = { $0 === element ? 0 : Order.compareTails($0, element) }
      if level == 0 {
        let slot = node.lowerBound(head, tie)
        let isThere =
          slot < node.info.pointee.slots && node.heads[slot] == head
          && (node.element(slot) as Unmanaged<Element>)._withUnsafeGuaranteedRef { tie($0) == 0 }
        if isThere { return (replace(slot, of: node, by: element), nil) }
        return (nil, insert(element, head, at: slot, of: node))
      }
      let slot = node.childSlot(head, tie)
      let child = node.ownChild(
        slot, room: 1, most: level == 1 ? Order.leafCapacity : Order.innerCapacity)
      let weight = child._withUnsafeGuaranteedRef { $0.info.pointee.weight }
      let (replaced, split) = insert(element, into: child, level: level - 1)
      node.summarize(slot)
      if replaced == nil { node.info.pointee.count += 1 }
      if Order.isWeighted {
        let after = child._withUnsafeGuaranteedRef { $0.info.pointee.weight } + (split?.info.pointee.weight ?? 0)
        node.info.pointee.weight += after - weight
      }
      guard let split else { return (replaced, nil) }
      return (replaced, insertChild(split, at: slot + 1, of: node))
    }
  }

  private static func replace(_ slot: Int, of leaf: TreeNode, by element: Element) -> Element {
    let replaced: Element = leaf.take(slot)
    leaf.refs[slot] = TreeNode.word(Unmanaged.passRetained(element))
    if Order.isWeighted { leaf.info.pointee.weight += Order.weight(element) - Order.weight(replaced) }
    return replaced
  }

  /// Inserts into a leaf, and returns the leaf's right half if the leaf was split.
  private static func insert(_ element: Element, _ head: UInt64, at slot: Int, of leaf: TreeNode) -> TreeNode? {
    if leaf.info.pointee.slots == leaf.info.pointee.capacity {
      let right = cut(leaf, at: splitSlot(leaf, insertingAt: slot))
      let slots = leaf.info.pointee.slots
      // A new element at the split belongs to the left half. But if the split is at the very end, because rows arrive
      // in order, the element belongs to the right half.
      if slot < slots || (slot == slots && right.info.pointee.slots > 0) {
        _ = insert(element, head, at: slot, of: leaf)
      } else {
        _ = insert(element, head, at: slot - slots, of: right)
      }
      return right
    }
    leaf.open(slot)
    leaf.heads[slot] = head
    leaf.refs[slot] = TreeNode.word(Unmanaged.passRetained(element))
    leaf.info.pointee.count += 1
    if Order.isWeighted { leaf.info.pointee.weight += Order.weight(element) }
    return nil
  }

  /// Inserts a child whose elements are already included in the node's counts.
  ///
  /// Returns the node's right half if the node was split.
  private static func insertChild(_ child: TreeNode, at slot: Int, of node: TreeNode) -> TreeNode? {
    if node.info.pointee.slots == node.info.pointee.capacity {
      let right = cut(node, at: splitSlot(node, insertingAt: slot))
      let slots = node.info.pointee.slots
      let target = slot < slots || (slot == slots && right.info.pointee.slots > 0) ? node : right
      _ = insertChild(child, at: target === node ? slot : slot - slots, of: target)
      for half in [node, right] { recount(half) }
      return right
    }
    node.open(slot)
    node.refs[slot] = TreeNode.word(Unmanaged.passRetained(child))
    node.summarize(slot)
    return nil
  }

  /// Returns the slot at which to split a full node.
  ///
  /// This slot is the middle, or the end if the new slot is the last slot, as for rows that are inserted in order.
  private static func splitSlot(_ node: TreeNode, insertingAt slot: Int) -> Int {
    slot == node.info.pointee.slots ? node.info.pointee.slots : node.info.pointee.slots / 2
  }

  /// Moves the slots at and after an index to a new node, and returns the new node.
  private static func cut(_ node: TreeNode, at slot: Int) -> TreeNode {
    let (slots, isLeaf) = (node.info.pointee.slots, node.info.pointee.isLeaf)
    let most = isLeaf ? Order.leafCapacity : Order.innerCapacity
    let right = TreeNode.make(
      isLeaf: isLeaf, capacity: TreeNode.capacity(for: Swift.min(slots - slot + 1, most), most: most))
    right.append(slot..<slots, of: node)
    // Both halves own the contents of these slots now, so the left half releases them.
    for index in slot..<slots { TreeNode.release(node.refs[index], isLeaf: isLeaf) }
    node.info.pointee.slots = slot
    for half in [node, right] { recount(half) }
    return right
  }

  /// Recomputes the counts of a node.
  static func recount(_ node: TreeNode) {
    (node.info.pointee.count, node.info.pointee.weight) = tally(node)
  }

  /// Returns the number and the weight of the elements below a node, according to its slots.
  static func tally(_ node: TreeNode) -> (count: Int, weight: Int) {
    let slots = node.info.pointee.slots
    var (count, weight) = (node.info.pointee.isLeaf ? slots : 0, 0)
    if !node.info.pointee.isLeaf {
      for slot in 0..<slots {
        count += Int(node.counts[slot])
        weight += Int(truncatingIfNeeded: node.weights[slot])
      }
    } else if Order.isWeighted {
      for slot in 0..<slots { weight += Order.weight(node.element(slot).takeUnretainedValue()) }
    }
    return (count, weight)
  }
}
