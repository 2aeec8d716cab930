import Synchronization

/// A tree as it was saved: reads its nodes, and makes them again where they cannot be read.
///
/// `@unchecked Sendable`: it has no state of its own that changes.
class SavedTree: @unchecked Sendable {
  /// The cache that the pages are in.
  let pages: TreePages

  init(_ pages: TreePages) { self.pages = pages }

  /// The node of a page.
  func node(of page: TreePage) throws -> TreeNode { preconditionFailure("a saved tree must have its elements") }

  /// A node that stands in for one that is lost.
  func standIn(for root: SavedRoot) -> TreeNode { preconditionFailure("a saved tree must have its elements") }
}

/// A saved tree of elements that are ordered in one way.
///
/// `@unchecked Sendable`: as `SavedTree`; all that it has are Sendable constants.
final class OrderedSavedTree<Order: TreeOrder>: SavedTree, @unchecked Sendable {
  /// How the elements of a tree are read.
  struct Elements: Sendable {
    /// Reads a number of elements, those of a leaf.
    let readLeaf: @Sendable (Int, inout PageReader) throws -> [Order.Element]
    /// An element of a weight, which stands in for those that are lost.
    let standIn: @Sendable (_ weight: Int) -> Order.Element
    /// The whole tree, made again from the events; asked for if a page cannot be read.
    let restored: @Sendable () throws -> SortedTree<Order>
  }

  private let whole: SavedRoot
  private let elements: Elements

  /// - Parameters:
  ///   - pages: Where the pages are.
  ///   - whole: What is said of the tree.
  ///   - elements: How its elements are read.
  init(_ pages: TreePages, _ whole: SavedRoot, _ elements: Elements) {
    (self.whole, self.elements) = (whole, elements)
    super.init(pages)
  }

  /// Reads a page, or makes its elements again.
  override func node(of page: TreePage) throws -> TreeNode {
    do {
      return try read(page)
    } catch {
      pages.noteDamage(error)
      return try make(page)
    }
  }

  override func standIn(for root: SavedRoot) -> TreeNode {
    let last = elements.standIn(root.weight)
    return SortedTree<Order>.standIn(for: root, root.weight == 0 ? last : elements.standIn(0), last: last)
  }

  /// Makes what was on a page again; it must be what is said of it where it is named.
  private func make(_ page: TreePage) throws -> TreeNode {
    let again = try elements.restored()
    let root = page.root
    guard again.count == whole.count, again.weight == whole.weight else {
      throw PageError(
        "expected a rebuilt list of \(whole.count) elements with the saved weight \(whole.weight), found "
          + "\(again.count) elements with the weight \(again.weight)")
    }
    // What a page counts was added up to less than the whole when its parent was read.
    let part = again.slice(page.start..<page.start + root.count)
    let node = SortedTree<Order>.packed(part.map { $0 }[...], level: root.level)
    guard node.info.pointee.weight == root.weight, node.firstHead == root.head else {
      throw PageError("page \(root.page) differs from the elements that were rebuilt from the events")
    }
    return node
  }

  private func read(_ page: TreePage) throws -> TreeNode {
    let root = page.root
    var reader = PageReader(try pages.bytes(of: root.page, digest: root.digest))
    let (level, slots) = (try reader.int(), try reader.int())
    let most = level == 0 ? Order.leafCapacity : Order.innerCapacity
    guard level == root.level, slots > 0, slots <= most else {
      throw PageError(
        "page \(root.page): expected level \(root.level) and up to \(most) slots, found level \(level) and \(slots)")
    }
    let node = level == 0 ? try leaf(slots, &reader) : try inner(slots, of: page, &reader)
    let info = node.info.pointee
    guard reader.isAtEnd, info.count == root.count, info.weight == root.weight else {
      throw PageError(
        "page \(root.page): expected \(root.count) elements with weight \(root.weight), found \(info.count) with "
          + "weight \(info.weight)"
      )
    }
    guard node.firstHead == root.head, node.heads[slots - 1] <= page.end else {
      throw PageError("page \(root.page) has elements outside its range")
    }
    node.info.pointee.saved = TreePageID(pages: pages.number, page: root.page, digest: root.digest)
    return node
  }

  private func leaf(_ slots: Int, _ reader: inout PageReader) throws -> TreeNode {
    let found = try elements.readLeaf(slots, &reader)
    guard found.count == slots else { throw PageError("expected \(slots) elements in a page, found \(found.count)") }
    guard zip(found, found.dropFirst()).allSatisfy({ Order.mayFollow($0, $1) }) else {
      throw PageError("the elements of a page are not in order")
    }
    return SortedTree<Order>.packed(found[...], level: 0)
  }

  private func inner(_ slots: Int, of page: TreePage, _ reader: inout PageReader) throws -> TreeNode {
    let parent = page.root
    var (roots, count, weight): ([SavedRoot], Int, Int) = ([], 0, 0)
    for _ in 0..<slots {
      let root = try SavedRoot(&reader)
      try root.check(Order.self, in: pages)
      guard root.count > 0, root.level == parent.level - 1, root.count <= parent.count - count,
        root.weight <= parent.weight - weight, root.head >= roots.last?.head ?? 0
      else { throw PageError("page \(parent.page) has a child outside its range") }
      (count, weight) = (count + root.count, weight + root.weight)
      roots.append(root)
    }
    let node = TreeNode.make(isLeaf: false, capacity: TreeNode.capacity(for: slots, most: Order.innerCapacity))
    var start = page.start
    for (slot, root) in roots.enumerated() {
      node.appendPage(TreePage(self, root, start: start, end: slot + 1 < slots ? roots[slot + 1].head : page.end))
      start += root.count
    }
    return node
  }
}

extension SortedTree {
  /// The tree that was saved; a page of it is read when a search or a loop comes to it.
  ///
  /// - Throws: `PageError` if no tree can be saved so.
  init(_ root: SavedRoot, in pages: TreePages, _ elements: OrderedSavedTree<Order>.Elements) throws {
    try root.check(Order.self, in: pages)
    guard root.count > 0 else { return }
    let node = TreeNode.make(isLeaf: false, capacity: TreeNode.capacity(for: 1, most: Order.innerCapacity))
    node.appendPage(TreePage(OrderedSavedTree(pages, root, elements), root, start: 0, end: .max))
    (self.root, height) = (node, root.level + 1)
  }

  /// A node of a level with elements that are in order, as few children as can be; there must be room for them on that
  /// level.
  static func packed(_ elements: ArraySlice<Element>, level: Int) -> TreeNode {
    precondition(!elements.isEmpty && elements.count <= room(onLevel: level), "a node must not exceed its capacity")
    if level == 0 {
      let leaf = TreeNode.make(
        isLeaf: true, capacity: TreeNode.capacity(for: elements.count, most: Order.leafCapacity))
      for (slot, element) in elements.enumerated() {
        leaf.heads[slot] = Order.head(element)
        leaf.refs[slot] = TreeNode.word(Unmanaged.passRetained(element))
      }
      leaf.info.pointee.slots = elements.count
      recount(leaf)
      return leaf
    }
    let (count, below) = (elements.count, room(onLevel: level - 1))
    let parts = (count - 1) / below + 1
    let node = TreeNode.make(isLeaf: false, capacity: TreeNode.capacity(for: parts, most: Order.innerCapacity))
    for part in 0..<parts {
      let (low, high) = (count * part / parts, count * (part + 1) / parts)
      node.appendChild(packed(elements[elements.startIndex + low..<elements.startIndex + high], level: level - 1))
    }
    return node
  }

  /// A node with as many elements as are said to be on a page, and as much weight: one element in all slots but the
  /// last one.
  ///
  /// Nodes are shared, so that it costs little memory however many elements there are.
  ///
  /// - Complexity: O(log n).
  static func standIn(for root: SavedRoot, _ element: Element, last: Element) -> TreeNode {
    /// A leaf of some elements; the last one is given.
    func leaf(_ count: Int, _ last: Element) -> TreeNode {
      let leaf = packed((0..<count).map { $0 < count - 1 ? element : last }[...], level: 0)
      // Those who look for what was here come here.
      for slot in 0..<count { leaf.heads[slot] = root.head }
      leaf.info.pointee.isStandIn = true
      return leaf
    }
    func node(_ children: [TreeNode]) -> TreeNode {
      let node = TreeNode.make(
        isLeaf: false, capacity: TreeNode.capacity(for: children.count, most: Order.innerCapacity))
      for child in children { node.appendChild(child) }
      node.info.pointee.isStandIn = true
      return node
    }
    // From the top down: what is left for the last node of each level, when those before it are full.
    var counts = [root.count]
    for level in stride(from: root.level, to: 0, by: -1) {
      counts.append((counts[counts.count - 1] - 1) % room(onLevel: level - 1) + 1)
    }
    var made = leaf(counts[root.level], last)
    var full = leaf(Order.leafCapacity, element)
    for level in 0..<root.level {
      let more = (counts[root.level - level - 1] - 1) / room(onLevel: level)
      if level > 0 { full = node(Array(repeating: full, count: Order.innerCapacity)) }
      made = node(Array(repeating: full, count: more) + [made])
    }
    return made
  }
}
