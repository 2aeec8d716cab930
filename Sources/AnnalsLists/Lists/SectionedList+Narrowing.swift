extension SectionedList {
  /// Creates the list of the rows that pass a request's filter, from another list with the same order.
  ///
  /// If all rows of a section pass the filter, the new list contains the same section object.
  ///
  /// - Parameters:
  ///   - wider: The other list.
  ///   - prepared: The request.
  ///   - ids: All rows.
  ///   - source: The settings and rules of the list.
  ///   - origin: The saved pages that might contain some of the rows.
  /// - Complexity: O(n) for n rows of the other list.
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
    // If sections are sorted by their rows, a section with a different first row might have a different place.
    if source.rules.isByRows { nodes.sort { BySection.compare($0, $1) < 0 } }
    self.init(
      ids, sections: SortedTree(sorted: nodes),
      headersByKey: SortedTree(sorted: nodes.map(\.header).sorted { BySectionKey.compare($0, $1) < 0 }),
      settings: source.settings, origin: origin)
  }

  /// Returns true if the projection's section settings have changed.
  func differs(from source: Source) -> Bool { !settings.isIdentical(to: source.settings) }
}
