import AnnalsLog
/// An edit for one key of a tree.
///
/// The edit sets an element or removes the existing element.
package struct TreeEdit<Order: TreeOrder>: Sendable {
  /// The first eight bytes of the key, stored here so that most comparisons don't access elements.
  package let head: UInt64
  /// The element to set, or an element with the key to remove.
  package let element: Order.Element
  /// True if the element is set, or false if it is removed.
  package let isSet: Bool

  private init(_ element: Order.Element, isSet: Bool) {
    head = Order.head(element)
    self.element = element
    self.isSet = isSet
  }

  /// Returns an edit that sets an element, and replaces an existing element with the same key.
  package static func set(_ element: Order.Element) -> TreeEdit { TreeEdit(element, isSet: true) }

  /// Returns an edit that removes the element with a key, if it exists.
  package static func remove(_ element: Order.Element) -> TreeEdit { TreeEdit(element, isSet: false) }

  /// Compares the keys of two edits.
  @inline(__always)
  func compare(_ other: TreeEdit) -> Int {
    if head != other.head { return head < other.head ? -1 : 1 }
    return element === other.element ? 0 : Order.compareTails(element, other.element)
  }

  /// Returns the edits in the order of their keys.
  ///
  /// If several edits have the same key, only the last of them is included.
  package static func ordered(_ edits: [TreeEdit]) -> [TreeEdit] {
    let isOrdered = edits.neighborsSatisfy { $0.compare($1) < 0 }
    if isOrdered { return edits }
    var order = Array(0..<edits.count)
    // Edits with the same key are sorted by their numbers, because only the last of these edits counts.
    edits.withUnsafeBufferPointer { edits in
      order.sort { left, right in
        let order = edits[left].compare(edits[right])
        return order != 0 ? order < 0 : left < right
      }
    }
    var result: [TreeEdit] = []
    result.reserveCapacity(edits.count)
    for index in order {
      if let last = result.last, last.compare(edits[index]) == 0 { result.removeLast() }
      result.append(edits[index])
    }
    return result
  }
}

extension SortedTree {
  /// Applies many edits in one pass.
  ///
  /// Every changed node is copied at most once, and all other nodes are shared.
  ///
  /// The result has the same elements as after single insertions and removals, but the elements might be divided into
  /// nodes differently.
  ///
  /// - Parameters:
  ///   - edits: The edits, sorted by key and with unique keys.
  ///   - parallelFrom: The minimum number of edits to apply on several cores in parallel. Pass it only if no part of
  ///     the tree is on saved pages, because pages might have to be read through a single connection.
  /// - Complexity: O(k log n) for k changes of n elements, but at most O(n + k).
  package mutating func apply(_ edits: [TreeEdit<Order>], parallelFrom: Int = .max) {
    if edits.isEmpty { return }
    guard let root else {
      self = SortedTree(sorted: edits.filter(\.isSet).map(\.element))
      return
    }
    let nodes = edits.withUnsafeBufferPointer { Self.nodes(of: root, level: height, with: $0[...], parallelFrom) }
    self = nodes.isEmpty ? SortedTree() : SortedTree(level: nodes, height: height)
    while height > 0, let top = self.root, top.info.pointee.slots == 1 {
      self.root = top.child(0).takeUnretainedValue()
      height -= 1
    }
  }

  /// Replaces elements by new elements with the same keys.
  ///
  /// If there are many new elements, the tree is rebuilt.
  ///
  /// - Parameter edits: Edits that set elements, sorted by key. The keys are unique, and the tree contains them all.
  /// - Complexity: O(k log n) for k of n elements, but at most O(n).
  mutating func replace(_ edits: [TreeEdit<Order>]) { replace([edits], in: [0..<count]) }

  /// Replaces elements by new elements with the same keys.
  ///
  /// The edits are given separately for every part of the tree.
  ///
  /// - Parameters:
  ///   - edits: For every part, the edits that set its elements, sorted by key and with unique keys.
  ///   - parts: The parts as ranges of ranks, which cover the whole tree.
  /// - Complexity: O(k log n) for k of n elements, but at most O(n).
  mutating func replace(_ edits: [[TreeEdit<Order>]], in parts: [Range<Int>]) {
    guard edits.reduce(0, { $0 + $1.count }) >= Swift.max(count / 4, 1) else {
      return apply(Array(edits.joined()))
    }
    let whole = self
    let leaves = Parallel.map(parts.count, rows: { parts[$0].count }) { part in
      Self.leaves(of: whole.slice(parts[part]), replacing: edits[part])
    }
    self = SortedTree(level: Array(leaves.joined()), height: 0)
  }

  /// Returns leaves with the elements of a tree, after replacing some elements.
  private static func leaves(of tree: SortedTree, replacing edits: [TreeEdit<Order>]) -> [TreeNode] {
    var next = 0
    var elements: [Element] = []
    elements.reserveCapacity(tree.count)
    for element in tree {
      if next < edits.count, edits[next].head == Order.head(element),
        Order.compareTails(edits[next].element, element) == 0
      {
        elements.append(edits[next].element)
        next += 1
      } else {
        elements.append(element)
      }
    }
    assert(
      next == edits.count,
      "every edit must replace an existing element, but \(edits.count - next) edits have keys that don't exist in the "
        + "tree")
    return leaves(sorted: elements)
  }

  private typealias Edits = Slice<UnsafeBufferPointer<TreeEdit<Order>>>

  /// Returns the nodes that replace a node after edits, or an empty array if no element remains.
  private static func nodes(of node: TreeNode, level: Int, with edits: Edits, _ parallelFrom: Int) -> [TreeNode] {
    if level == 0 { return leaves(of: node, with: edits) }
    let changed = changed(below: node, by: edits)
    let all = edits.count >= parallelFrom ? nodesAtOnce(below: node, changed, level: level, parallelFrom) : nil
    var parts: [Part] = []
    var next = 0
    for (number, (slot, own)) in changed.enumerated() {
      if slot > next { parts.append(.kept(next..<slot)) }
      let child = node.child(slot)
      let made = all?[number] ?? nodes(of: child.takeUnretainedValue(), level: level - 1, with: own, parallelFrom)
      for made in made { join(made, to: &parts, most: level == 1 ? Order.leafCapacity : Order.innerCapacity) }
      next = slot + 1
    }
    if next < node.info.pointee.slots { parts.append(.kept(next..<node.info.pointee.slots)) }
    let count = parts.reduce(0) { $0 + $1.count }
    if count == 0 { return [] }
    let whole = TreeNode.make(isLeaf: false, capacity: capacity(for: count, most: Order.innerCapacity))
    for part in parts {
      switch part {
      // Kept children are shared, even if they are pages that were not read.
      case .kept(let slots): whole.append(slots, of: node)
      case .made(let child): whole.appendChild(child)
      }
    }
    return cut(whole, most: Order.innerCapacity)
  }

  /// Returns the slots of a node that edits affect, in order, with the edits below every slot.
  private static func changed(below node: TreeNode, by edits: Edits) -> [(slot: Int, own: Edits)] {
    var (found, rest): ([(slot: Int, own: Edits)], Edits) = ([], edits)
    while let edit = rest.first {
      let slot = node.childSlot(edit.head) { compare($0, edit) }
      var own = slot + 1 < node.info.pointee.slots ? rest.prefix(before: slot + 1, of: node) : rest
      // The slots of a placeholder for a lost page are not sorted. A tree with a placeholder is discarded, but this
      // loop must still end.
      if own.isEmpty { own = rest.prefix(1) }
      found.append((slot, own))
      rest = rest[own.endIndex...]
    }
    return found
  }

  /// Returns, for every changed child, the nodes that replace it.
  ///
  /// Several cores build the nodes in parallel.
  private static func nodesAtOnce(
    below node: TreeNode, _ changed: [(slot: Int, own: Edits)], level: Int, _ parallelFrom: Int
  ) -> [[TreeNode]] {
    // The node and the edits do not change during this call, and only one thread accesses a child.
    nonisolated(unsafe) let (children, node) = (changed, node)
    return Parallel.map(children.count, threshold: parallelFrom, rows: { changed[$0].own.count }) { index in
      let (slot, own) = children[index]
      return nodes(of: node.child(slot).takeUnretainedValue(), level: level - 1, with: own, parallelFrom)
    }
  }

  /// Returns the leaves that replace a leaf after edits.
  private static func leaves(of leaf: TreeNode, with edits: Edits) -> [TreeNode] {
    let slots = leaf.info.pointee.slots
    let whole = TreeNode.make(isLeaf: true, capacity: capacity(for: slots + edits.count, most: Order.leafCapacity))
    var next = 0
    for edit in edits {
      let slot = leaf.lowerBound(edit.head) { compare($0, edit) }
      if slot > next { whole.append(next..<slot, of: leaf) }
      let isThere =
        slot < slots && leaf.heads[slot] == edit.head
        && (leaf.element(slot) as Unmanaged<Element>)._withUnsafeGuaranteedRef {
          compare($0, edit) == 0
        }
      next = isThere ? slot + 1 : slot
      guard edit.isSet else { continue }
      whole.appendElement(TreeNode.word(Unmanaged.passRetained(edit.element)), head: edit.head)
    }
    if next < slots { whole.append(next..<slots, of: leaf) }
    return cut(whole, most: Order.leafCapacity)
  }

  /// Compares an element with an edit of the same head.
  @inline(__always)
  fileprivate static func compare(_ element: Element, _ edit: TreeEdit<Order>) -> Int {
    element === edit.element ? 0 : Order.compareTails(element, edit.element)
  }

  /// Returns the capacity of a node, or of a temporary node that is divided later.
  private static func capacity(for slots: Int, most: Int) -> Int {
    slots <= most ? TreeNode.capacity(for: slots, most: most) : slots
  }

  /// Divides an oversized node into as few nodes as possible, with some space for later insertions.
  private static func cut(_ whole: TreeNode, most: Int) -> [TreeNode] {
    let (slots, isLeaf) = (whole.info.pointee.slots, whole.info.pointee.isLeaf)
    if slots == 0 { return [] }
    if slots <= most, whole.info.pointee.capacity <= most || whole.info.pointee.capacity <= 4 {
      recount(whole)
      return [whole]
    }
    var start = 0
    return sizes(slots, most: most).map { size in
      let node = TreeNode.make(isLeaf: isLeaf, capacity: TreeNode.capacity(for: size, most: most))
      node.append(start..<start + size, of: whole)
      recount(node)
      start += size
      return node
    }
  }
}

extension SortedTree {
  /// A part of a new inner node: slots of the node that it replaces, or a new child.
  private enum Part {
    case kept(Range<Int>)
    case made(TreeNode)

    var count: Int { if case .kept(let slots) = self { slots.count } else { 1 } }
  }

  /// Adds a new child, and merges it with the previous child if both are small.
  private static func join(_ child: TreeNode, to parts: inout [Part], most: Int) {
    guard case .made(let last)? = parts.last,
      last.info.pointee.slots + child.info.pointee.slots <= most * 3 / 4
    else { return parts.append(.made(child)) }
    let slots = last.info.pointee.slots + child.info.pointee.slots
    let both = last.copy(capacity: TreeNode.capacity(for: slots, most: most))
    both.append(0..<child.info.pointee.slots, of: child)
    recount(both)
    parts[parts.count - 1] = .made(both)
  }
}

extension Slice {
  /// Returns the edits whose keys precede the first key of a node's slot.
  fileprivate func prefix<Order: TreeOrder>(before slot: Int, of node: TreeNode) -> Slice
  where Base == UnsafeBufferPointer<TreeEdit<Order>> {
    let head = node.heads[slot]
    let end = (startIndex..<endIndex).firstIndexInOrder { index in
      if self[index].head != head { return self[index].head > head }
      let first: Unmanaged<Order.Element> = TreeNode.element(node.begin(slot))
      return first._withUnsafeGuaranteedRef { SortedTree<Order>.compare($0, self[index]) <= 0 }
    }
    return self[startIndex..<end]
  }
}
