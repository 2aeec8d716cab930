/// A tree whose elements are computed when a search or a loop reaches them.
///
/// For example, an index that knows only the order of a list's rows creates such a tree. A node is computed once, and
/// then stays in memory.
///
/// `@unchecked Sendable`: like `SavedTree`, this class contains only Sendable constants.
package final class ComputedTree<Order: TreeOrder>: SavedTree, @unchecked Sendable {
  /// A closure that returns the elements with some indices, in order.
  package typealias Elements = @Sendable ([Int]) throws -> [Order.Element]

  private let elements: Elements
  private let head: (@Sendable (Int) -> UInt64)?
  private let lost: Order.Element

  fileprivate init(
    _ pages: TreePages, lost: Order.Element, head: (@Sendable (Int) -> UInt64)?, _ elements: @escaping Elements
  ) {
    self.elements = elements
    self.head = head
    self.lost = lost
    super.init(pages)
  }

  /// The maximum number of a node's slots.
  ///
  /// A search reads the first element of each child, so fewer slots than in other trees mean fewer reads.
  fileprivate static var slots: Int { 4 }

  override func node(of page: TreePage) throws -> TreeNode {
    let root = page.root
    guard root.level > 0 else {
      let found = try elements(Array(page.start..<page.start + root.count))
      guard found.count == root.count, found.neighborsSatisfy(Order.mayFollow) else {
        throw PageError("the elements of a computed page are not in order")
      }
      return SortedTree<Order>.packed(found[...], level: 0)
    }
    var below = 1
    for _ in 0..<root.level { below *= Self.slots }
    let parts = (root.count - 1) / below + 1
    let starts = (0...parts).map { page.start + root.count * $0 / parts }
    let firsts = Array(starts.dropLast())
    let heads = try head.map { firsts.map($0) } ?? elements(firsts).map { Order.head($0) }
    guard heads.count == parts, heads == heads.sorted() else {
      throw PageError("the elements of computed pages are not in order")
    }
    let node = TreeNode.make(isLeaf: false, capacity: TreeNode.capacity(for: parts, most: Order.innerCapacity))
    for (slot, head) in heads.enumerated() {
      let part = SavedRoot(level: root.level - 1, count: starts[slot + 1] - starts[slot], head: head)
      node.appendPage(
        TreePage(self, part, start: starts[slot], end: slot + 1 < parts ? heads[slot + 1] : page.end))
    }
    return node
  }

  override func standIn(for root: SavedRoot) -> TreeNode { SortedTree<Order>.standIn(for: root, lost, last: lost) }
}

extension SortedTree {
  /// Creates a tree of computed elements, which have no weight.
  ///
  /// - Parameters:
  ///   - count: The number of elements.
  ///   - pages: The object that records a loss of elements.
  ///   - lost: A placeholder for an element that can't be computed.
  ///   - head: A closure that returns the head of the element with an index, or `nil` to read it from the element.
  ///   - elements: A closure that returns the elements with some indices, in order.
  package init(
    computing count: Int, in pages: TreePages, lost: Element, head: (@Sendable (Int) -> UInt64)? = nil,
    _ elements: @escaping ComputedTree<Order>.Elements
  ) {
    precondition(!Order.isWeighted, "elements with a weight can't be computed later. Please report this")
    guard count > 0 else { return }
    var (level, room) = (0, ComputedTree<Order>.slots)
    while room < count { (level, room) = (level + 1, room * ComputedTree<Order>.slots) }
    let root = SavedRoot(level: level, count: count)
    let node = TreeNode.make(isLeaf: false, capacity: TreeNode.capacity(for: 1, most: Order.innerCapacity))
    node.appendPage(TreePage(ComputedTree<Order>(pages, lost: lost, head: head, elements), root, start: 0, end: .max))
    self.root = node
    height = level + 1
  }
}
