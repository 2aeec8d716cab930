/// Writes the nodes of trees that are not in a cache yet.
final class TreeSaver {
  /// What tells the pages that are written from all others.
  let pages: UInt64
  /// The number of the next page.
  private(set) var nextPage: Int
  /// The pages that were there before and are used again, those below them not counted.
  private(set) var kept: Set<Int> = []
  private let emit: (Int, [UInt8]) throws -> Void

  /// - Parameters:
  ///   - pages: Those that are added to.
  ///   - nextPage: The number of the next page.
  ///   - emit: Takes a page's number and bytes.
  init(_ pages: TreePages, nextPage: Int, emit: @escaping (Int, [UInt8]) throws -> Void) {
    (self.pages, self.nextPage, self.emit) = (pages.number, nextPage, emit)
  }

  fileprivate func keep(_ page: Int) { kept.insert(page) }

  /// Writes a page that no tree has as one of its own.
  func write(_ bytes: [UInt8]) throws -> TreePageID {
    defer { nextPage += 1 }
    try emit(nextPage, bytes)
    return TreePageID(pages: pages, page: nextPage, digest: PageWriter.digest(bytes))
  }
}

extension SortedTree {
  /// Saves the nodes that the cache does not have; the tree must be held until what was written is known to be there.
  ///
  /// - Parameters:
  ///   - saver: Takes the pages.
  ///   - write: Writes an element.
  /// - Returns: Where the tree is.
  /// - Throws: What keeps an element or a page from being written.
  /// - Complexity: O(k log n) for k changes since the tree was saved last.
  func save(_ saver: TreeSaver, _ write: (Element, inout PageWriter) throws -> Void) throws -> SavedRoot {
    guard let root else { return SavedRoot() }
    // A tree that was read begins with a node that has nothing but the page.
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
      (saved.page, saved.digest) = (page.number, page.root.digest)
    } else {
      let page = try save(node.child(slot).takeUnretainedValue(), level: level, saver, write)
      (saved.page, saved.digest) = (page.page, page.digest)
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
        try write(TreeNode.unmanaged(node.refs[slot]).takeUnretainedValue(), &writer)
      } else {
        try save(node, slot: slot, level: level - 1, saver, write).write(&writer)
      }
    }
    let page = try saver.write(writer.bytes)
    node.info.pointee.saved = page
    return page
  }

  /// Tells the pages of the tree that a cache has and does not need any more.
  ///
  /// - Parameters:
  ///   - saver: What has saved a newer tree.
  ///   - body: Called with each page.
  ///   - element: Called with each element of a leaf that is not needed.
  func pages(
    notKeptBy saver: TreeSaver, _ body: (Int) -> Void, _ element: (Element) -> Void = { _ in }
  ) {
    if let root { Self.visit(root, level: height, saver, body, element) }
  }

  private static func visit(
    _ node: TreeNode, level: Int, _ saver: TreeSaver, _ body: (Int) -> Void, _ element: (Element) -> Void
  ) {
    let saved = node.info.pointee.saved
    if saved.pages == saver.pages {
      if saver.kept.contains(saved.page) { return }
      body(saved.page)
    }
    for slot in 0..<node.info.pointee.slots {
      if level == 0 {
        element(TreeNode.unmanaged(node.refs[slot]).takeUnretainedValue())
      } else {
        // A page that was not read is gone only with all that is below it.
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
