extension RowSet {
  /// Creates the list for a request, and stores its entries in these rows if no other list uses them.
  mutating func list(
    _ prepared: PreparedRequest, _ appearances: [SectionKey: Position], knowing known: ListStorage?,
    isAlone: Bool = true
  ) -> ListStorage {
    let made = ListStorage(
      prepared, ids, settings(of: prepared.keyer.rules.criterion), appearances, knowing: known,
      edits: known.flatMap { changes(since: $0.list.ids) }, origin: origin,
      isAlone: isAlone)
    take(made.list.ids, keepingStep: !isAlone)
    return made
  }

  /// Skips the changes since a list was last checked, if none of them affects the list.
  ///
  /// Few events affect a list of five percent of the rows. For the other events the list object is kept. The old
  /// versions of changed rows in its `ids` are invisible, because it excludes the new versions too.
  ///
  /// - Parameters:
  ///   - list: The list.
  ///   - known: The rows at the last check.
  ///   - isAlone: True if no other list uses these rows.
  /// - Returns: The current rows, or `nil` if the list must be rebuilt or this can't be determined.
  mutating func passOver(
    _ list: ListStorage, since known: SortedTree<ByID>, isAlone: Bool
  ) -> SortedTree<ByID>? {
    let rules = list.prepared.keyer.rules
    guard let includes = list.prepared.includes, !rules.isByAppearance, !isTable,
      let changes = changes(since: known)?.each, changes.count <= RowEdits.maximumEdits,
      settings(of: rules.criterion).isIdentical(to: list.list.settings)
    else { return nil }
    for (old, new) in changes {
      if let old, includes(old) { return nil }
      if let new, includes(new) { return nil }
    }
    let now = tree
    take(now, keepingStep: !isAlone)
    return now
  }
}
