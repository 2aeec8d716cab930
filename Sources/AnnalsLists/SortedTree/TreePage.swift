import Synchronization

/// The place where a node was saved.
package struct TreePageID: Hashable, Sendable {
  /// The number of the `TreePages` that contain the page, at least 1.
  package let pages: UInt64
  /// The page's number in the cache, at least 1.
  package let page: Int
  /// A digest that distinguishes the page's bytes from other pages' bytes.
  package let digest: UInt64

  package init(pages: UInt64, page: Int, digest: UInt64) {
    self.pages = pages
    self.page = page
    self.digest = digest
  }

  /// The value for a node that was not saved.
  package static let none = TreePageID(pages: 0, page: 0, digest: 0)
}

/// A node that was saved on disk.
///
/// The node is read when a search or a loop reaches it, and then stays in memory.
///
/// `@unchecked Sendable`: the node is stored once, atomically. The node is never changed, because the page retains it,
/// so no tree is the node's only owner.
final class TreePage: @unchecked Sendable {
  /// The saved tree that contains the page.
  let tree: SavedTree
  /// The summary of the page in its parent.
  let root: SavedRoot
  /// The number of elements before the page in the saved tree.
  let start: Int
  /// The maximum head of the page's elements.
  let end: UInt64
  private let loaded = AtomicLazyReference<TreeNode>()

  init(_ tree: SavedTree, _ root: SavedRoot, start: Int, end: UInt64) {
    self.tree = tree
    self.root = root
    self.start = start
    self.end = end
  }

  /// The page's number.
  var number: Int { root.page }

  /// The page's node, which exists as long as the page.
  ///
  /// If neither the page nor the log can be read, the property returns a placeholder with the same count and weight,
  /// and marks the list as lost. A caller that can return `nil` checks `isReadable` first.
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

  /// The node, or `nil` if it was not read.
  var nodeIfLoaded: TreeNode? { loaded.load() }

  /// True if the node is in memory or could be read now.
  ///
  /// This property reads the node if necessary. It is false if neither the page nor the log can be read, so that the
  /// list is lost.
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
