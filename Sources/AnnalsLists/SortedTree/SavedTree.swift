import Synchronization

/// A saved tree.
///
/// A saved tree reads its nodes from pages, and rebuilds nodes that cannot be read.
///
/// `@unchecked Sendable`: a saved tree does not have mutable state.
package class SavedTree: @unchecked Sendable {
  /// The pages of the cache that contains the tree.
  let pages: TreePages

  init(_ pages: TreePages) { self.pages = pages }

  /// Returns the node of a page.
  func node(of page: TreePage) throws -> TreeNode { preconditionFailure("a subclass must override this method") }

  /// Returns the element in a slot of a leaf, which the reader's bytes contain.
  func element(_ slot: Int, of leaf: SavedLeaf, _ reader: consuming PageReader) throws -> AnyObject {
    preconditionFailure("a subclass must override this method")
  }

  /// A placeholder for a lost element.
  var standInElement: AnyObject { preconditionFailure("a subclass must override this property") }

  /// Returns a placeholder for a lost node.
  func standIn(for root: SavedRoot) -> TreeNode { preconditionFailure("a subclass must override this method") }
}

/// A saved tree of elements with a particular order.
///
/// `@unchecked Sendable`: like `SavedTree`, this class contains only Sendable constants.
package final class OrderedSavedTree<Order: TreeOrder>: SavedTree, @unchecked Sendable {
  /// The functions that read a tree's elements.
  package struct Elements: Sendable {
    /// True if an element contains trees, whose pages a save must know.
    ///
    /// Such elements are read with their page. Other elements are read when a search or a loop reaches them.
    let haveTrees: Bool
    /// A closure that reads an element.
    let read: @Sendable (inout PageReader) throws -> Order.Element
    /// A closure that returns a placeholder with the given weight for lost elements.
    let standIn: @Sendable (_ weight: Int) -> Order.Element
    /// A closure that rebuilds the whole tree from the events.
    ///
    /// The closure is called if a page cannot be read.
    let restored: @Sendable () throws -> SortedTree<Order>

    package init(
      haveTrees: Bool = false, read: @escaping @Sendable (inout PageReader) throws -> Order.Element,
      standIn: @escaping @Sendable (_ weight: Int) -> Order.Element,
      restored: @escaping @Sendable () throws -> SortedTree<Order>
    ) {
      self.haveTrees = haveTrees
      self.read = read
      self.standIn = standIn
      self.restored = restored
    }
  }

  private let whole: SavedRoot
  private let elements: Elements

  /// Creates a saved tree.
  ///
  /// - Parameters:
  ///   - pages: The pages of the tree's cache.
  ///   - whole: The summary of the whole tree.
  ///   - elements: The functions that read the tree's elements.
  package init(_ pages: TreePages, _ whole: SavedRoot, _ elements: Elements) {
    self.whole = whole
    self.elements = elements
    super.init(pages)
  }

  /// Reads a page's node, or rebuilds the node if the page cannot be read.
  override func node(of page: TreePage) throws -> TreeNode {
    do {
      return try read(page)
    } catch {
      pages.noteDamage(error)
      return try make(page.root, start: page.start)
    }
  }

  /// Reads an element, or rebuilds it if it cannot be read.
  override func element(_ slot: Int, of leaf: SavedLeaf, _ reader: consuming PageReader) throws -> AnyObject {
    do {
      return try element(&reader)
    } catch {
      pages.noteDamage(error)
      let node = try make(leaf.root, start: leaf.start)
      let element: Order.Element = node.element(slot).takeUnretainedValue()
      return element
    }
  }

  private func element(_ reader: inout PageReader) throws -> Order.Element {
    let head = try reader.word()
    let element = try elements.read(&reader)
    guard reader.isAtEnd, Order.head(element) == head else {
      throw PageError("an element of a page has more bytes than expected, or another key than its page stores")
    }
    return element
  }

  override var standInElement: AnyObject { elements.standIn(0) }

  override func standIn(for root: SavedRoot) -> TreeNode {
    let last = elements.standIn(root.weight)
    return SortedTree<Order>.standIn(for: root, root.weight == 0 ? last : elements.standIn(0), last: last)
  }

  /// Rebuilds the contents of a page, which must match the summary in its parent.
  private func make(_ root: SavedRoot, start: Int) throws -> TreeNode {
    let again = try elements.restored()
    guard again.count == whole.count, again.weight == whole.weight else {
      throw PageError(
        "expected \(whole.count) elements with the weight \(whole.weight) in the rebuilt list, found \(again.count) "
          + "elements with the weight \(again.weight). The weight is the number of rows in sections")
    }
    // Reading the parent has checked that the counts of its pages don't exceed the whole.
    let part = again.slice(start..<start + root.count)
    let node = SortedTree<Order>.packed(part.map { $0 }[...], level: root.level)
    guard node.info.pointee.weight == root.weight, node.firstHead == root.head else {
      throw PageError("page \(root.page) differs from the elements that were rebuilt from the events")
    }
    return node
  }

  private func read(_ page: TreePage) throws -> TreeNode {
    let root = page.root
    let bytes = try pages.bytes(of: root.page, digest: root.digest)
    var reader = PageReader(bytes)
    let (level, slots) = (try reader.int(), try reader.int())
    let most = level == 0 ? Order.leafCapacity : Order.innerCapacity
    guard level == root.level, slots > 0, slots <= most else {
      throw PageError(
        "page \(root.page): expected level \(root.level) with 1 to \(most) elements or child pages, found level "
          + "\(level) with \(slots)")
    }
    let node = level == 0 ? try leaf(slots, of: page, bytes, &reader) : try inner(slots, of: page, &reader)
    let info = node.info.pointee
    guard reader.isAtEnd, info.count == root.count, info.weight == root.weight else {
      throw PageError(
        "page \(root.page): expected \(root.count) elements with the weight \(root.weight), found \(info.count) "
          + "elements with the weight \(info.weight). The weight is the number of rows in sections"
      )
    }
    guard node.firstHead == root.head, node.heads[slots - 1] <= page.end else {
      throw PageError("page \(root.page) has elements outside the range that its parent page stores")
    }
    node.info.pointee.saved = TreePageID(pages: pages.number, page: root.page, digest: root.digest)
    return node
  }

  private func leaf(
    _ slots: Int, of page: TreePage, _ bytes: [UInt8], _ reader: inout PageReader
  ) throws -> TreeNode {
    let ranges = try (0..<slots).map { _ in try reader.blob().indices }
    if elements.haveTrees {
      let found = try ranges.map { range in
        var reader = PageReader(bytes, range)
        return try element(&reader)
      }
      guard found.neighborsSatisfy(Order.mayFollow) else {
        throw PageError("the elements of a page are not in order")
      }
      return SortedTree<Order>.packed(found[...], level: 0)
    }
    let saved = SavedLeaf(self, page.root, start: page.start, bytes)
    let leaf = TreeNode.make(isLeaf: true, capacity: TreeNode.capacity(for: slots, most: Order.leafCapacity))
    for (slot, range) in ranges.enumerated() {
      var reader = PageReader(bytes, range)
      let head = try reader.word()
      guard slot == 0 || head >= leaf.heads[slot - 1] else {
        throw PageError("the elements of a page are not in order")
      }
      leaf.appendElement(
        TreeNode.word(Unmanaged.passRetained(SavedElement(saved, slot: slot, range))) | 1, head: head)
    }
    leaf.info.pointee.count = slots
    return leaf
  }

  private func inner(_ slots: Int, of page: TreePage, _ reader: inout PageReader) throws -> TreeNode {
    let parent = page.root
    var (roots, count, weight): ([SavedRoot], Int, Int) = ([], 0, 0)
    for _ in 0..<slots {
      let root = try SavedRoot(&reader)
      try root.check(Order.self, in: pages)
      guard root.count > 0, root.level == parent.level - 1, root.count <= parent.count - count,
        root.weight <= parent.weight - weight, root.head >= roots.last?.head ?? 0
      else {
        throw PageError(
          "the level, count, weight or first key of a child page contradicts its parent, page \(parent.page)")
      }
      count += root.count
      weight += root.weight
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
  /// Creates the tree that was saved, whose pages are read when a search or a loop reaches them.
  ///
  /// - Throws: `PageError` if no saved tree can have the values of `root`.
  package init(_ root: SavedRoot, in pages: TreePages, _ elements: OrderedSavedTree<Order>.Elements) throws {
    try root.check(Order.self, in: pages)
    guard root.count > 0 else { return }
    let node = TreeNode.make(isLeaf: false, capacity: TreeNode.capacity(for: 1, most: Order.innerCapacity))
    node.appendPage(TreePage(OrderedSavedTree(pages, root, elements), root, start: 0, end: .max))
    self.root = node
    height = root.level + 1
  }

  /// Returns a node of a level for sorted elements, with as few children as possible.
  ///
  /// The elements must fit below one node of that level.
  static func packed(_ elements: ArraySlice<Element>, level: Int) -> TreeNode {
    precondition(
      !elements.isEmpty && elements.count <= room(onLevel: level),
      "a node on level \(level) must have 1 to \(room(onLevel: level)) elements (was \(elements.count))")
    if level == 0 {
      let leaf = TreeNode.make(
        isLeaf: true, capacity: TreeNode.capacity(for: elements.count, most: Order.leafCapacity))
      for element in elements {
        leaf.appendElement(TreeNode.word(Unmanaged.passRetained(element)), head: Order.head(element))
      }
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

  /// Returns a placeholder node with the count and weight of a page.
  ///
  /// All slots of the placeholder contain the same element, except the last slot.
  ///
  /// The placeholder's slots share nodes, so it takes little memory for any number of elements.
  ///
  /// - Complexity: O(log n).
  static func standIn(for root: SavedRoot, _ element: Element, last: Element) -> TreeNode {
    /// Returns a leaf in which one element is repeated and the last element is different.
    func leaf(_ count: Int, _ last: Element) -> TreeNode {
      let leaf = packed((0..<count).map { $0 < count - 1 ? element : last }[...], level: 0)
      // Every slot has the head of the lost page, so that searches for the lost elements end in this leaf.
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
    // The number of elements below the last node of every level, from the top level down, if the nodes before this node
    // are full.
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

extension SortedTree {
  /// Creates a tree in which a single element is repeated.
  package init(repeating element: Element, count: Int) {
    var root = SavedRoot(count: count, head: Order.head(element))
    while Self.room(onLevel: root.level) < count { root.level += 1 }
    self.root = Self.standIn(for: root, element, last: element)
    height = root.level
  }
}

extension Array {
  /// Returns true if a condition holds for each element and the next element.
  ///
  /// `zip` does the same, but the types that it makes for every kind of element took a fortieth of a program's start
  /// with a saved list.
  func neighborsSatisfy(_ condition: (_ element: Element, _ next: Element) -> Bool) -> Bool {
    var index = 1
    while index < count {
      if !condition(self[index - 1], self[index]) { return false }
      index += 1
    }
    return true
  }
}
