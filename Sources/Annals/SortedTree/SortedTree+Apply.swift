/// What becomes of a key of a tree: it gets an element, or loses the one that it has.
package struct TreeEdit<Order: TreeOrder>: Sendable {
  /// The first eight bytes of the key, here so that most comparisons look at no element.
  package let head: UInt64
  /// The element that is set, or one with the key that is taken out.
  package let element: Order.Element
  /// True if the element is set, false if it is taken out.
  package let isSet: Bool

  private init(_ element: Order.Element, isSet: Bool) {
    (head, self.element, self.isSet) = (Order.head(element), element, isSet)
  }

  /// Sets an element, in the place of the one with its key.
  package static func set(_ element: Order.Element) -> TreeEdit { TreeEdit(element, isSet: true) }

  /// Takes the element with a key out, if there is one.
  package static func remove(_ element: Order.Element) -> TreeEdit { TreeEdit(element, isSet: false) }

  /// Compares the keys of two edits.
  @inline(__always)
  func compare(_ other: TreeEdit) -> Int {
    if head != other.head { return head < other.head ? -1 : 1 }
    return element === other.element ? 0 : Order.compareTails(element, other.element)
  }

  /// Edits in the order of their keys, the last one of each key.
  package static func ordered(_ edits: [TreeEdit]) -> [TreeEdit] {
    let isOrdered = zip(edits, edits.dropFirst()).allSatisfy { $0.compare($1) < 0 }
    if isOrdered { return edits }
    var order = Array(0..<edits.count)
    // By number where keys are the same: the last one counts.
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
  /// Makes many changes in one pass: a node is copied once however many of them it has, and one without stays shared.
  ///
  /// The tree is equal to the one that single insertions and removals lead to; its nodes may be cut elsewhere.
  ///
  /// - Parameters:
  ///   - edits: The changes, in the order of their keys, each key once.
  ///   - parallelFrom: So many changes are made by several cores at once: only where no part of the tree is on pages,
  ///     which may have to be read through one connection.
  /// - Complexity: O(k log n) for k changes of n elements, and O(n + k).
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

  /// Puts elements in the place of those with the same keys; where they are many, the tree is made again.
  ///
  /// - Parameter edits: Elements that are set, in the order of their keys, each key once; the tree has all keys.
  /// - Complexity: O(k log n) for k of n elements, and O(n).
  mutating func replace(_ edits: [TreeEdit<Order>]) { replace([edits], in: [0..<count]) }

  /// Puts elements in the place of those with the same keys, which are given by parts of the tree.
  ///
  /// - Parameters:
  ///   - edits: For each part, elements that are set in it, in the order of their keys, each key once.
  ///   - parts: The parts, which are all of the tree, as ranges of ranks.
  /// - Complexity: O(k log n) for k of n elements, and O(n).
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

  /// Leaves with the elements of a tree; some are replaced.
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
    assert(next == edits.count, "an element must replace an existing element")
    return leaves(sorted: elements)
  }

  private typealias Edits = Slice<UnsafeBufferPointer<TreeEdit<Order>>>

  /// The nodes that stand in the place of one whose elements change; none if no element is left.
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
      // Taken as they are, also where they are pages that were not read.
      case .kept(let slots): whole.append(slots, of: node)
      case .made(let child): whole.appendChild(child)
      }
    }
    return cut(whole, most: Order.innerCapacity)
  }

  /// The slots of a node that edits lead to, in order, and for each the edits that are below it.
  private static func changed(below node: TreeNode, by edits: Edits) -> [(slot: Int, own: Edits)] {
    var (found, rest): ([(slot: Int, own: Edits)], Edits) = ([], edits)
    while let edit = rest.first {
      let slot = node.childSlot(edit.head) { compare($0, edit) }
      var own = slot + 1 < node.info.pointee.slots ? rest.prefix(before: slot + 1, of: node) : rest
      // What stands in for pages that are lost is in no order; such a tree is given up, and this must come to its end.
      if own.isEmpty { own = rest.prefix(1) }
      found.append((slot, own))
      rest = rest[own.endIndex...]
    }
    return found
  }

  /// The nodes that stand in the place of each child that is changed, made by several cores.
  private static func nodesAtOnce(
    below node: TreeNode, _ changed: [(slot: Int, own: Edits)], level: Int, _ parallelFrom: Int
  ) -> [[TreeNode]] {
    // No one changes the node or the edits meanwhile, and each child is one thread's alone.
    nonisolated(unsafe) let (children, node) = (changed, node)
    return Parallel.map(children.count, threshold: parallelFrom, rows: { changed[$0].own.count }) { index in
      let (slot, own) = children[index]
      return nodes(of: node.child(slot).takeUnretainedValue(), level: level - 1, with: own, parallelFrom)
    }
  }

  /// The leaves that stand in the place of one.
  private static func leaves(of leaf: TreeNode, with edits: Edits) -> [TreeNode] {
    let slots = leaf.info.pointee.slots
    let whole = TreeNode.make(isLeaf: true, capacity: capacity(for: slots + edits.count, most: Order.leafCapacity))
    var next = 0
    for edit in edits {
      let slot = leaf.lowerBound(edit.head) { compare($0, edit) }
      if slot > next { whole.append(next..<slot, of: leaf) }
      let isThere =
        slot < slots && leaf.heads[slot] == edit.head
        && (TreeNode.unmanaged(leaf.refs[slot]) as Unmanaged<Element>)._withUnsafeGuaranteedRef {
          compare($0, edit) == 0
        }
      next = isThere ? slot + 1 : slot
      guard edit.isSet else { continue }
      let end = whole.info.pointee.slots
      whole.heads[end] = edit.head
      whole.refs[end] = TreeNode.word(Unmanaged.passRetained(edit.element))
      whole.info.pointee.slots = end + 1
    }
    if next < slots { whole.append(next..<slots, of: leaf) }
    return cut(whole, most: Order.leafCapacity)
  }

  /// Compares an element with an edit of the same head.
  @inline(__always)
  fileprivate static func compare(_ element: Element, _ edit: TreeEdit<Order>) -> Int {
    element === edit.element ? 0 : Order.compareTails(element, edit.element)
  }

  /// The capacity of a node, or of what is cut into nodes.
  private static func capacity(for slots: Int, most: Int) -> Int {
    slots <= most ? TreeNode.capacity(for: slots, most: most) : slots
  }

  /// Cuts what may be too long for a node into as few as can be, with some room for what comes.
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
  /// A part of an inner node that is made: slots of the node that it stands for, or a child that is new.
  private enum Part {
    case kept(Range<Int>)
    case made(TreeNode)

    var count: Int { if case .kept(let slots) = self { slots.count } else { 1 } }
  }

  /// Adds a child that was made, in one with the one before it if both are small.
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
  /// The edits whose keys stand before what a slot of a node begins with.
  fileprivate func prefix<Order: TreeOrder>(before slot: Int, of node: TreeNode) -> Slice
  where Base == UnsafeBufferPointer<TreeEdit<Order>> {
    let head = node.heads[slot]
    let end = (startIndex..<endIndex).firstIndexInOrder { index in
      if self[index].head != head { return self[index].head > head }
      let first: Unmanaged<Order.Element> = TreeNode.unmanaged(node.begin(slot))
      return first._withUnsafeGuaranteedRef { SortedTree<Order>.compare($0, self[index]) <= 0 }
    }
    return self[startIndex..<end]
  }
}
