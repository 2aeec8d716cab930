import Synchronization

/// Where a node was saved.
struct TreePageID: Hashable, Sendable {
  /// The number of the `TreePages` that have the page, 1 or more.
  let pages: UInt64
  /// The page's number in the cache, 1 or more.
  let page: Int
  /// What tells the page's bytes from others.
  let digest: UInt64

  /// The page of what was not saved.
  static let none = TreePageID(pages: 0, page: 0, digest: 0)
}

/// A node that is on disk: read when a search or a loop comes to it, and in memory from then on.
///
/// `@unchecked Sendable`: the node is set once, atomically, and is not changed by anyone, because the page holds it
/// too.
final class TreePage: @unchecked Sendable {
  /// The tree that the page is a part of, as it was saved.
  let tree: SavedTree
  /// What is said of the page where it is named.
  let root: SavedRoot
  /// How many elements of the saved tree stand before the page.
  let start: Int
  /// The head that no element of the page goes beyond.
  let end: UInt64
  private let loaded = AtomicLazyReference<TreeNode>()

  init(_ tree: SavedTree, _ root: SavedRoot, start: Int, end: UInt64) {
    (self.tree, self.root, self.start, self.end) = (tree, root, start, end)
  }

  /// The page's number.
  var number: Int { root.page }

  /// The node, which lives as long as the page does.
  ///
  /// Where neither the page nor the log can be read, there is no right answer: a node stands in that has as many
  /// elements and as much weight, and the list is lost from then on. A caller that may answer nil asks `isReadable`
  /// first.
  var node: Unmanaged<TreeNode> {
    if let node = loaded.load() { return .passUnretained(node) }
    do {
      return .passUnretained(loaded.storeIfNil(try tree.node(of: self)))
    } catch {
      let node = loaded.storeIfNil(tree.standIn(for: root))
      tree.pages.lose(error)
      return .passUnretained(node)
    }
  }

  /// The node if it was read.
  var nodeIfLoaded: TreeNode? { loaded.load() }

  /// Reads the node; false if neither the page nor the log can be read, and the list is lost then.
  var isReadable: Bool {
    if let node = loaded.load() { return !node.info.pointee.isStandIn }
    do {
      return !loaded.storeIfNil(try tree.node(of: self)).info.pointee.isStandIn
    } catch {
      tree.pages.lose(error)
      return false
    }
  }
}
