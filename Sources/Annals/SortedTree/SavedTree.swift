import Synchronization

/// A tree as it was saved: reads its nodes, and makes them again where they cannot be read.
///
/// `@unchecked Sendable`: it has no state of its own that changes.
class SavedTree: @unchecked Sendable {
  /// The cache that the pages are in.
  let pages: TreePages

  init(_ pages: TreePages) { self.pages = pages }

  /// The node of a page.
  func node(of page: TreePage) throws -> TreeNode { preconditionFailure("a saved tree knows its elements") }
}

/// A saved tree of elements that are ordered in one way.
///
/// `@unchecked Sendable`: as `SavedTree`; all that it has are Sendable constants.
final class OrderedSavedTree<Order: TreeOrder>: SavedTree, @unchecked Sendable {
  /// Reads the elements of a leaf, of which there is a number.
  typealias LeafReader = @Sendable (Int, inout PageReader) throws -> [Order.Element]

  private let readLeaf: LeafReader
  private let restored: @Sendable () throws -> SortedTree<Order>

  /// - Parameters:
  ///   - pages: Where the pages are.
  ///   - readLeaf: Reads the elements of a leaf.
  ///   - restored: The whole tree, made again from the events; asked for if a page cannot be read.
  init(
    _ pages: TreePages, readLeaf: @escaping LeafReader, restored: @escaping @Sendable () throws -> SortedTree<Order>
  ) {
    (self.readLeaf, self.restored) = (readLeaf, restored)
    super.init(pages)
  }

  /// Reads a page, or makes its elements again.
  override func node(of page: TreePage) throws -> TreeNode {
    do {
      return try read(page)
    } catch {
      pages.noteDamage(error)
      let whole = try restored()
      guard page.start + page.count <= whole.count else {
        throw PageError("the list that was made again has \(whole.count) elements, fewer than the one that was saved")
      }
      return SortedTree<Order>.packed(
        whole.slice(page.start..<page.start + page.count).map { $0 }[...], level: page.level)
    }
  }

  private func read(_ page: TreePage) throws -> TreeNode {
    var reader = PageReader(try pages.bytes(of: page.number))
    let (level, slots) = (try reader.int(), try reader.int())
    let most = level == 0 ? Order.leafCapacity : Order.innerCapacity
    guard level == page.level, slots > 0, slots <= most else {
      throw PageError("page \(page.number) is of level \(level) and has \(slots) slots; expected level \(page.level)")
    }
    let node = level == 0 ? try leaf(slots, &reader) : try inner(slots, of: page, &reader)
    guard reader.isAtEnd, node.info.pointee.count == page.count else {
      throw PageError("page \(page.number) has \(node.info.pointee.count) elements; expected \(page.count)")
    }
    node.info.pointee.saved = TreePageID(cache: pages.cache, page: page.number)
    return node
  }

  private func leaf(_ slots: Int, _ reader: inout PageReader) throws -> TreeNode {
    let elements = try readLeaf(slots, &reader)
    guard elements.count == slots else { throw PageError("a page has \(elements.count) elements of \(slots)") }
    return SortedTree<Order>.packed(elements[...], level: 0)
  }

  private func inner(_ slots: Int, of page: TreePage, _ reader: inout PageReader) throws -> TreeNode {
    let node = TreeNode.make(
      isLeaf: false, capacity: TreeNode.capacity(for: slots, most: Order.innerCapacity))
    var start = page.start
    for _ in 0..<slots {
      let root = try SavedRoot(&reader)
      guard root.level == page.level - 1, root.count > 0, root.count <= page.count else {
        throw PageError("a page has a child of a wrong level")
      }
      node.appendPage(
        TreePage(self, number: root.page, level: root.level, start: start, count: root.count), head: root.head,
        weight: root.weight)
      start += root.count
    }
    return node
  }
}

/// Where a tree, or a part of one, was saved.
struct SavedRoot: Hashable, Sendable {
  /// The page's number; 0 for an empty tree.
  var page = 0
  var level = 0
  var count = 0
  var weight = 0
  var head: UInt64 = 0

  func write(_ writer: inout PageWriter) {
    for value in [page, level, count, weight] { writer.int(value) }
    writer.word(head)
  }
}

extension SavedRoot {
  init(_ reader: inout PageReader) throws {
    (page, level, count, weight) = (try reader.int(), try reader.int(), try reader.int(), try reader.int())
    head = try reader.word()
  }
}

extension SortedTree {
  /// The tree that was saved; none of it is read before somebody goes there.
  init(_ root: SavedRoot, of tree: OrderedSavedTree<Order>) {
    guard root.count > 0 else { return }
    let node = TreeNode.make(isLeaf: false, capacity: TreeNode.capacity(for: 1, most: Order.innerCapacity))
    node.appendPage(
      TreePage(tree, number: root.page, level: root.level, start: 0, count: root.count), head: root.head,
      weight: root.weight)
    (self.root, height) = (node, root.level + 1)
  }

  /// A node of a level with elements that are in order, as few children as can be.
  static func packed(_ elements: ArraySlice<Element>, level: Int) -> TreeNode {
    if level == 0 {
      let leaf = TreeNode.make(
        isLeaf: true, capacity: TreeNode.capacity(for: elements.count, most: Order.leafCapacity))
      for (slot, element) in elements.enumerated() {
        leaf.heads[slot] = UInt(Order.head(element))
        leaf.refs[slot] = UInt(bitPattern: Unmanaged.passRetained(element).toOpaque())
      }
      leaf.info.pointee.slots = elements.count
      recount(leaf)
      return leaf
    }
    var below = Order.leafCapacity
    for _ in 1..<level { below *= Order.innerCapacity }
    let (count, parts) = (elements.count, (elements.count + below - 1) / below)
    let node = TreeNode.make(isLeaf: false, capacity: TreeNode.capacity(for: parts, most: Order.innerCapacity))
    for part in 0..<parts {
      let (low, high) = (count * part / parts, count * (part + 1) / parts)
      node.appendChild(packed(elements[elements.startIndex + low..<elements.startIndex + high], level: level - 1))
    }
    return node
  }

  /// True if the way to a key can be read, now and later.
  ///
  /// - Complexity: O(log n).
  func isReadable(head: UInt64, _ tie: (Element) -> Int) -> Bool {
    guard var node = root else { return true }
    let head = UInt(head)
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
    var (node, left) = (root, UInt(rank))
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
