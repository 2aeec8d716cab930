import AnnalsLog

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

  /// Skips the row changes since a list was last checked, if none of these changes affects the list.
  ///
  /// For example, few events affect a list that shows five percent of the rows. After any other event, the list object
  /// is kept. Its `ids` then contain old versions of changed rows. These versions are invisible, because the list
  /// excludes both the old and the new versions.
  ///
  /// - Parameters:
  ///   - list: The list.
  ///   - known: The rows at the last check.
  ///   - isAlone: True if no other list uses these rows.
  /// - Returns: The current rows, or `nil` if the list must be rebuilt or if it's unknown whether a change affects the
  ///   list.
  package mutating func passOver(
    _ list: ListStorage, since known: SortedTree<ByID>, isAlone: Bool
  ) -> SortedTree<ByID>? {
    let rules = list.prepared.keyer.rules
    guard let includes = list.prepared.includes, !rules.isByAppearance, !isTable else { return nil }
    guard let changes = changes(since: known)?.each, changes.count <= RowEdits.maximumEdits,
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
