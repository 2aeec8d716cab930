/// A sorted collection of objects as a B-tree, which shares nodes with the trees from which it was derived.
///
/// A tree is a value: copying it takes almost no time, and a copy never changes. A change copies the nodes on its path
/// that another tree shares, and changes all other nodes on the path in place. All elements are in leaves, and all
/// leaves are on the same level (Comer, "The Ubiquitous B-Tree", 1979). Nodes store the number of elements below them,
/// so you can find an element by its rank (its index in the order), and an element's rank by its key. Two trees are
/// compared without visiting shared nodes.
///
/// `@unchecked Sendable`: elements are Sendable, and a node is changed only while it belongs to a single tree. Every
/// change checks this condition first.
package struct SortedTree<Order: TreeOrder>: @unchecked Sendable {
  package typealias Element = Order.Element

  /// The root, or `nil` in an empty tree.
  var root: TreeNode?
  /// The level of the root, which is 0 for a leaf.
  var height = 0

  /// Creates an empty tree.
  package init() {}

  /// The number of elements.
  package var count: Int { root?.info.pointee.count ?? 0 }
  /// True if the tree has no elements.
  package var isEmpty: Bool { root == nil }
  /// The total weight of all elements.
  package var weight: Int { root?.info.pointee.weight ?? 0 }

  /// Returns whether two trees have the same root object, and therefore are equal.
  package func isIdentical(to other: SortedTree) -> Bool { root === other.root }
}

extension SortedTree {
  /// Creates a tree of elements that are already sorted.
  ///
  /// - Complexity: O(n) for n elements.
  package init(sorted elements: some RandomAccessCollection<Element>) {
    self.init(level: Self.leaves(sorted: elements), height: 0)
  }

  /// Returns leaves with elements that are already sorted.
  static func leaves(sorted elements: some RandomAccessCollection<Element>) -> [TreeNode] {
    var leaves: [TreeNode] = []
    var rest = elements[...]
    for size in sizes(elements.count, most: Order.leafCapacity) {
      let leaf = TreeNode.make(isLeaf: true, capacity: TreeNode.capacity(for: size, most: Order.leafCapacity))
      for element in rest.prefix(size) {
        leaf.appendElement(TreeNode.word(Unmanaged.passRetained(element)), head: Order.head(element))
        if Order.isWeighted { leaf.info.pointee.weight += Order.weight(element) }
      }
      leaf.info.pointee.count = size
      leaves.append(leaf)
      rest = rest.dropFirst(size)
    }
    return leaves
  }

  /// Creates a tree from nodes that are all on the same level, in order.
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
      level = next
      height += 1
    }
    root = level.first
    self.height = height
  }

  /// Divides a number of slots evenly among the fewest possible nodes, with some space for later insertions.
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
