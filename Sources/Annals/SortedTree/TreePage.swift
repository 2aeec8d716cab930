import Synchronization

/// Where a node was saved.
package struct TreePageID: Hashable, Sendable {
  /// The number of the cache that has the page, 1 or more.
  package let cache: Int
  /// The page's number in the cache, 1 or more.
  package let page: Int
}

/// A node that is on disk: read when somebody goes there, and in memory from then on.
///
/// `@unchecked Sendable`: the node is set once, atomically, and is not changed by anyone, because the page holds it too.
final class TreePage: @unchecked Sendable {
  /// The tree that the page is a part of, as it was saved.
  let tree: SavedTree
  /// The page's number.
  let number: Int
  /// The node's level in the tree, 0 for a leaf.
  let level: Int
  /// How many elements of the saved tree stand before the page.
  let start: Int
  /// The number of elements on the page and below.
  let count: Int
  private let loaded = AtomicLazyReference<TreeNode>()

  init(_ tree: SavedTree, number: Int, level: Int, start: Int, count: Int) {
    (self.tree, self.number, self.level, self.start, self.count) = (tree, number, level, start, count)
  }

  /// The node, which lives as long as the page does.
  ///
  /// Where neither the page nor the log can be read, there is no right answer, and the program ends with a sentence. Whoever
  /// may answer nil asks `isReadable` first.
  var node: Unmanaged<TreeNode> {
    if let node = loaded.load() { return .passUnretained(node) }
    do {
      return .passUnretained(loaded.storeIfNil(try tree.node(of: self)))
    } catch {
      fatalError("a row of the list is on disk and cannot be read there, nor made again from its events: \(error)")
    }
  }

  /// The node if it was read.
  var nodeIfLoaded: TreeNode? { loaded.load() }

  /// Reads the node; false if neither the page nor the log can be read.
  var isReadable: Bool {
    if loaded.load() != nil { return true }
    guard let node = try? tree.node(of: self) else { return false }
    _ = loaded.storeIfNil(node)
    return true
  }
}
