extension SortedTree {
  /// Inserts an element, or replaces the one with its key.
  ///
  /// - Returns: The element that was replaced, nil if there was none.
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
    // The root was cut in two: the tree gets a level more.
    let top = TreeNode.make(isLeaf: false, capacity: TreeNode.capacity(for: 2, most: Order.innerCapacity))
    old._withUnsafeGuaranteedRef { top.appendChild($0) }
    top.appendChild(split)
    (root, height) = (top, height + 1)
    return replaced
  }

  /// The root, made this tree's own if others hold it too.
  @inline(__always)
  mutating func ownRoot(room: Int) -> Unmanaged<TreeNode> {
    // A tree that was read begins with a node that has nothing but the page.
    if height > 0, root.unsafelyUnwrapped.info.pointee.slots == 1 { dropThinRoot() }
    let most = height == 0 ? Order.leafCapacity : Order.innerCapacity
    // Every caller has a tree with a root.
    let (slots, capacity) = (root.unsafelyUnwrapped.info.pointee.slots, root.unsafelyUnwrapped.info.pointee.capacity)
    if !isKnownUniquelyReferenced(&root) || (slots + room > capacity && capacity < most) {
      root = root.unsafelyUnwrapped.copy(capacity: TreeNode.capacity(for: Swift.min(slots + room, most), most: most))
    }
    // What is changed is no longer what was saved.
    root.unsafelyUnwrapped.info.pointee.forgetSaved()
    return Unmanaged.passUnretained(root.unsafelyUnwrapped)
  }

  /// Takes the only child in the place of the root.
  private mutating func dropThinRoot() {
    while height > 0, let thin = root, thin.info.pointee.slots == 1 {
      root = thin.child(0).takeUnretainedValue()
      height -= 1
    }
  }

  /// Inserts below a node that this tree alone holds; answers what was replaced, and the node's right half if it was
  /// cut.
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
          && (TreeNode.unmanaged(node.refs[slot]) as Unmanaged<Element>)._withUnsafeGuaranteedRef { tie($0) == 0 }
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
    let old: Unmanaged<Element> = TreeNode.unmanaged(leaf.refs[slot])
    leaf.refs[slot] = TreeNode.word(Unmanaged.passRetained(element))
    let replaced = old.takeRetainedValue()
    if Order.isWeighted { leaf.info.pointee.weight += Order.weight(element) - Order.weight(replaced) }
    return replaced
  }

  /// Inserts into a leaf; answers its right half if there was no room.
  private static func insert(_ element: Element, _ head: UInt64, at slot: Int, of leaf: TreeNode) -> TreeNode? {
    if leaf.info.pointee.slots == leaf.info.pointee.capacity {
      let right = cut(leaf, at: splitSlot(leaf, insertingAt: slot))
      let slots = leaf.info.pointee.slots
      // What goes in at the cut goes to the left, unless the cut is at the very end, where rows come in order.
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

  /// Inserts a child whose elements an inner node counts already; answers the node's right half if there was no room.
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

  /// Where a full node is cut: in the middle, or at its end where the new slot comes last, as it does when rows arrive
  /// in order.
  private static func splitSlot(_ node: TreeNode, insertingAt slot: Int) -> Int {
    slot == node.info.pointee.slots ? node.info.pointee.slots : node.info.pointee.slots / 2
  }

  /// Takes the slots from one on out of a node and answers a node of them.
  private static func cut(_ node: TreeNode, at slot: Int) -> TreeNode {
    let (slots, isLeaf) = (node.info.pointee.slots, node.info.pointee.isLeaf)
    let most = isLeaf ? Order.leafCapacity : Order.innerCapacity
    let right = TreeNode.make(
      isLeaf: isLeaf, capacity: TreeNode.capacity(for: Swift.min(slots - slot + 1, most), most: most))
    right.append(slot..<slots, of: node)
    // Both halves own them now; the left one lets go.
    for index in slot..<slots { TreeNode.release(node.refs[index], isLeaf: isLeaf) }
    node.info.pointee.slots = slot
    for half in [node, right] { recount(half) }
    return right
  }

  /// Counts again what a node holds.
  static func recount(_ node: TreeNode) {
    (node.info.pointee.count, node.info.pointee.weight) = tally(node)
  }

  /// The number and the weight of the elements below a node, by what its slots say.
  static func tally(_ node: TreeNode) -> (count: Int, weight: Int) {
    let slots = node.info.pointee.slots
    var (count, weight) = (node.info.pointee.isLeaf ? slots : 0, 0)
    if !node.info.pointee.isLeaf {
      for slot in 0..<slots {
        count += Int(node.counts[slot])
        weight += Int(truncatingIfNeeded: node.weights[slot])
      }
    } else if Order.isWeighted {
      for slot in 0..<slots { weight += Order.weight(TreeNode.unmanaged(node.refs[slot]).takeUnretainedValue()) }
    }
    return (count, weight)
  }
}
