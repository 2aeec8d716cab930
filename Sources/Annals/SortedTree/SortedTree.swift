/// A sorted collection of objects that counts, and that shares what it can with the trees it came from.
///
/// A value: a copy costs nothing and never changes. A change of a tree copies the nodes on its way that another tree
/// holds too, and changes the others where they lie. All elements are in leaves, all leaves are on one level (Comer,
/// "The Ubiquitous B-Tree", 1979); each node counts what is below it, so that an element is found by its rank and its
/// rank by its key. Two trees are compared without looking at what they share.
///
/// `@unchecked Sendable`: elements are Sendable, and a node is changed only while one tree alone holds it, which every
/// change asks first.
package struct SortedTree<Order: TreeOrder>: @unchecked Sendable {
  package typealias Element = Order.Element

  /// Nil in an empty tree.
  var root: TreeNode?
  /// The level of the root, 0 for a leaf.
  var height = 0

  /// Creates a tree without elements.
  package init() {}

  /// The number of elements.
  package var count: Int { root?.info.pointee.count ?? 0 }
  /// True if there is no element.
  package var isEmpty: Bool { root == nil }
  /// The weight of all elements.
  package var weight: Int { root?.info.pointee.weight ?? 0 }

  /// Tells whether two trees are one object, and so equal.
  package func isIdentical(to other: SortedTree) -> Bool { root === other.root }
}

extension SortedTree {
  /// Makes the tree of elements that are in order already.
  ///
  /// - Complexity: O(n) for n elements.
  package init(sorted elements: some RandomAccessCollection<Element>) {
    self.init(level: Self.leaves(sorted: elements), height: 0)
  }

  /// Leaves with elements that are in order already.
  static func leaves(sorted elements: some RandomAccessCollection<Element>) -> [TreeNode] {
    var leaves: [TreeNode] = []
    var rest = elements[...]
    for size in sizes(elements.count, most: Order.leafCapacity) {
      let leaf = TreeNode.make(isLeaf: true, capacity: TreeNode.capacity(for: size, most: Order.leafCapacity))
      for (slot, element) in rest.prefix(size).enumerated() {
        leaf.heads[slot] = Order.head(element)
        leaf.refs[slot] = TreeNode.word(Unmanaged.passRetained(element))
        if Order.isWeighted { leaf.info.pointee.weight += Order.weight(element) }
      }
      (leaf.info.pointee.slots, leaf.info.pointee.count) = (size, size)
      leaves.append(leaf)
      rest = rest.dropFirst(size)
    }
    return leaves
  }

  /// Makes the tree of nodes of one level, in order.
  init(level nodes: [TreeNode], height: Int) {
    var (level, height) = (nodes, height)
    while level.count > 1 {
      var next: [TreeNode] = []
      var start = 0
      for size in Self.sizes(level.count, most: Order.innerCapacity) {
        let node = TreeNode.make(isLeaf: false, capacity: TreeNode.capacity(for: size, most: Order.innerCapacity))
        for child in level[start..<start + size] { node.appendChild(child) }
        next.append(node)
        start += size
      }
      (level, height) = (next, height + 1)
    }
    (root, self.height) = (level.first, height)
  }

  /// Cuts a number of slots into the fewest nodes, as even as can be, with some room for what comes.
  static func sizes(_ count: Int, most: Int) -> [Int] {
    let comfortable = Swift.max(most * 3 / 4, 2)
    if count <= most { return count == 0 ? [] : [count] }
    let nodes = (count + comfortable - 1) / comfortable
    return (0..<nodes).map { (count * ($0 + 1)) / nodes - (count * $0) / nodes }
  }
}

extension SortedTree: CustomStringConvertible {
  /// The number of elements and levels.
  package var description: String { "\(count) elements on \(height + 1) levels" }
}
