/// A writer for tree nodes that a cache doesn't contain yet.
package final class TreeSaver {
  /// The number of the ``TreePages`` to which the written pages belong.
  let pages: UInt64
  /// The number of the next page.
  package private(set) var nextPage: Int
  /// The existing pages that are reused.
  ///
  /// Pages below them in a tree are reused, too, but aren't in this set.
  private(set) var kept: Set<Int> = []
  private let emit: (Int, [UInt8]) throws -> Void

  /// Creates a saver.
  ///
  /// - Parameters:
  ///   - pages: The pages to extend.
  ///   - nextPage: The number of the next page.
  ///   - emit: A closure that stores a page by its number and bytes.
  package init(_ pages: TreePages, nextPage: Int, emit: @escaping (Int, [UInt8]) throws -> Void) {
    self.pages = pages.number
    self.nextPage = nextPage
    self.emit = emit
  }

  fileprivate func keep(_ page: Int) { kept.insert(page) }

  /// Writes a page that does not belong to a tree.
  func write(_ bytes: [UInt8]) throws -> TreePageID {
    defer { nextPage += 1 }
    try emit(nextPage, bytes)
    return TreePageID(pages: pages, page: nextPage, digest: PageWriter.digest(bytes))
  }
}

extension SortedTree {
  /// Saves the tree's nodes that the cache doesn't contain yet.
  ///
  /// The tree must stay alive until the written pages are known to be stored.
  ///
  /// - Parameters:
  ///   - saver: The saver for the pages.
  ///   - write: A closure that writes an element.
  /// - Returns: The saved place of the tree.
  /// - Throws: The error that prevents an element or a page from being written.
  /// - Complexity: O(k log n) for k changes since the tree was last saved.
  package func save(_ saver: TreeSaver, _ write: (Element, inout PageWriter) throws -> Void) throws -> SavedRoot {
    guard let root else { return SavedRoot() }
    // The root of a tree that was read from a cache contains only the page of the saved root.
    if height > 0, root.info.pointee.slots == 1, TreeNode.pageIfAny(root.refs[0]) != nil {
      return try Self.save(root, slot: 0, level: height - 1, saver, write)
    }
    let page = try Self.save(root, level: height, saver, write)
    return SavedRoot(
      page: page.page, level: height, count: count, weight: weight, head: UInt64(root.firstHead), digest: page.digest)
  }

  private static func save(
    _ node: TreeNode, slot: Int, level: Int, _ saver: TreeSaver, _ write: (Element, inout PageWriter) throws -> Void
  ) throws -> SavedRoot {
    var saved = SavedRoot(
      level: level, count: Int(node.counts[slot]), weight: Int(truncatingIfNeeded: node.weights[slot]),
      head: node.heads[slot])
    if let page = TreeNode.pageIfAny(node.refs[slot])?.takeUnretainedValue(), page.tree.pages.number == saver.pages {
      saver.keep(page.number)
      saved.page = page.number
      saved.digest = page.root.digest
    } else {
      let page = try save(node.child(slot).takeUnretainedValue(), level: level, saver, write)
      saved.page = page.page
      saved.digest = page.digest
    }
    return saved
  }

  private static func save(
    _ node: TreeNode, level: Int, _ saver: TreeSaver, _ write: (Element, inout PageWriter) throws -> Void
  ) throws -> TreePageID {
    if node.info.pointee.saved.pages == saver.pages {
      saver.keep(node.info.pointee.saved.page)
      return node.info.pointee.saved
    }
    let slots = node.info.pointee.slots
    var writer = PageWriter()
    writer.int(level)
    writer.int(slots)
    for slot in 0..<slots {
      if level == 0 {
        // An element that is on one of the cache's pages is copied as bytes.
        let saved = TreeNode.savedIfAny(node.refs[slot])?.takeUnretainedValue().bytes(on: saver.pages)
        if let saved {
          writer.blob(saved)
        } else {
          var element = PageWriter()
          element.word(node.heads[slot])
          try write(node.element(slot).takeUnretainedValue(), &element)
          writer.blob(element.bytes)
        }
      } else {
        try save(node, slot: slot, level: level - 1, saver, write).write(&writer)
      }
    }
    let page = try saver.write(writer.bytes)
    node.info.pointee.saved = page
    return page
  }

  /// Calls a closure with the pages of the tree that a cache contains but no longer needs.
  ///
  /// - Parameters:
  ///   - saver: The saver of a newer tree.
  ///   - body: A closure that is called with every unneeded page.
  ///   - element: A closure that is called with every element of an unneeded leaf, if the elements contain trees.
  package func pages(
    notKeptBy saver: TreeSaver, _ body: (Int) -> Void, _ element: ((Element) -> Void)? = nil
  ) {
    if let root { Self.visit(root, level: height, saver, body, element) }
  }

  private static func visit(
    _ node: TreeNode, level: Int, _ saver: TreeSaver, _ body: (Int) -> Void, _ element: ((Element) -> Void)?
  ) {
    let saved = node.info.pointee.saved
    if saved.pages == saver.pages {
      if saver.kept.contains(saved.page) { return }
      body(saved.page)
    }
    for slot in 0..<node.info.pointee.slots {
      if level == 0 {
        element?(node.element(slot).takeUnretainedValue())
      } else {
        // If a page that was not read is reused, all pages below it are reused, too, so they aren't visited.
        if let page = TreeNode.pageIfAny(node.refs[slot])?.takeUnretainedValue(),
          page.tree.pages.number == saver.pages, saver.kept.contains(page.number)
        {
          continue
        }
        visit(node.child(slot).takeUnretainedValue(), level: level - 1, saver, body, element)
      }
    }
  }
}
