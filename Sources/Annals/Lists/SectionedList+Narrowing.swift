extension SectionedList {
  /// Makes the list of those rows of another one that a request lets through, which has the same order.
  ///
  /// A section whose rows are all let through is the same object.
  ///
  /// - Parameters:
  ///   - wider: The other list.
  ///   - prepared: The request.
  ///   - ids: All rows.
  ///   - source: What the list is made of.
  ///   - origin: The pages that some of the rows may be on.
  /// - Complexity: O(n) for n rows that the other list shows.
  init(
    _ wider: SectionedList, only prepared: PreparedRequest, of ids: SortedTree<ByID>, from source: Source,
    origin: TreePages? = nil
  ) {
    var nodes: [SectionNode] = []
    for node in wider.sections {
      let rows = prepared.includes.map { includes in node.rows.filter(includes) } ?? Array(node.rows)
      if rows.count == node.rows.count, node.summary == nil {
        nodes.append(node)
      } else if !rows.isEmpty || node.header.isPinned {
        let tree = rows.count == node.rows.count ? node.rows : SortedTree<ByRow>(sorted: rows)
        nodes.append(SectionNode(source.header(node.header, for: tree), tree))
      }
    }
    // Where sections stand by their rows, another first row may be another place.
    if source.rules.isByRows { nodes.sort { BySection.compare($0, $1) < 0 } }
    self.init(
      ids, sections: SortedTree(sorted: nodes),
      headersByKey: SortedTree(sorted: nodes.map(\.header).sorted { BySectionKey.compare($0, $1) < 0 }),
      settings: source.settings, origin: origin)
  }

  /// Tells whether the projection says something else of sections by now.
  func differs(from source: Source) -> Bool { !settings.isIdentical(to: source.settings) }
}
