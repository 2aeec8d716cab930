extension SortedTree: Sequence {
  /// An iterator over a tree's elements, in order.
  package struct Iterator: IteratorProtocol {
    /// The tree, which keeps the nodes alive.
    private let tree: SortedTree
    /// The nodes from the leaf up to the root, with their next slots.
    private var path: ContiguousArray<(node: Unmanaged<TreeNode>, slot: Int)> = []

    init(_ tree: SortedTree) {
      self.tree = tree
      guard let root = tree.root else { return }
      var node = Unmanaged.passUnretained(root)
      for _ in 0..<tree.height {
        path.append((node, 1))
        node = node._withUnsafeGuaranteedRef { $0.child(0) }
      }
      path.append((node, 0))
      path.reverse()
    }

    /// Returns the next element, or `nil` at the end.
    package mutating func next() -> Element? {
      guard !path.isEmpty else { return nil }
      while true {
        let (leaf, slot) = path[0]
        if let element = leaf._withUnsafeGuaranteedRef({ leaf in
          slot < leaf.info.pointee.slots
            ? (leaf.element(slot) as Unmanaged<Element>).takeUnretainedValue() : nil
        }) {
          path[0].slot = slot + 1
          return element
        }
        guard climb() else { return nil }
      }
    }

    /// Returns the next element for which a closure returns true, or `nil` at the end.
    ///
    /// Skipped elements are not retained, which saves half the cost of a short filter.
    mutating func next(where includes: (Element) -> Bool) -> Element? {
      guard !path.isEmpty else { return nil }
      while true {
        let (leaf, first) = path[0]
        let found: (slot: Int, element: Element)? = leaf._withUnsafeGuaranteedRef { leaf in
          let (refs, end) = (leaf.refs, leaf.info.pointee.slots)
          var slot = first
          while slot < end {
            let element: Unmanaged<Element> = TreeNode.element(refs[slot])
            if element._withUnsafeGuaranteedRef(includes) { return (slot, element.takeUnretainedValue()) }
            slot += 1
          }
          return nil
        }
        if let found {
          path[0].slot = found.slot + 1
          return found.element
        }
        guard climb() else { return nil }
      }
    }

    /// Moves to the next leaf, or returns false at the end.
    private mutating func climb() -> Bool {
      var level = 1
      while level < path.count {
        let (node, slot) = path[level]
        guard slot < node._withUnsafeGuaranteedRef({ $0.info.pointee.slots }) else {
          level += 1
          continue
        }
        path[level].slot = slot + 1
        var child = node._withUnsafeGuaranteedRef { $0.child(slot) }
        while level > 1 {
          level -= 1
          path[level] = (child, 1)
          child = child._withUnsafeGuaranteedRef { $0.child(0) }
        }
        path[0] = (child, 0)
        return true
      }
      path = []
      return false
    }
  }

  /// Returns an iterator over all elements, in order.
  package func makeIterator() -> Iterator { Iterator(self) }

  package var underestimatedCount: Int { count }
}

extension SortedTree {
  /// Calls a closure with all elements in order, for callers that retain all of them.
  ///
  /// The first words of all elements in a leaf are fetched from memory together. Otherwise, the elements' first words
  /// would be fetched one after the other, because retaining an element is an atomic operation that later reads cannot
  /// overtake. Measured: this saves a tenth of a change of 100,000 rows. Don't use this method for a filter that skips
  /// most elements. Such a filter doesn't need the elements' first words, so fetching them is slower.
  ///
  /// - Parameter body: A closure that is called with every element.
  func forEachAhead(_ body: (Element) -> Void) {
    withExtendedLifetime(self) {
      if let root { Self.forEachAhead(root, body) }
    }
  }

  private static func forEachAhead(_ node: TreeNode, _ body: (Element) -> Void) {
    let (refs, slots) = (node.refs, node.info.pointee.slots)
    guard node.info.pointee.isLeaf else {
      for slot in 0..<slots { node.child(slot)._withUnsafeGuaranteedRef { forEachAhead($0, body) } }
      return
    }
    node.fetch(0..<slots)
    for slot in 0..<slots { body((TreeNode.element(refs[slot]) as Unmanaged<Element>).takeUnretainedValue()) }
  }
}
