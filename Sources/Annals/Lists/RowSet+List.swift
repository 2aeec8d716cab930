extension RowSet {
  /// Makes the list of a request, whose entries these rows then have if no other list is made of them.
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

  /// Passes over what was set since a list was looked at, if nothing of it concerns the list.
  ///
  /// A list of a twentieth of the rows is another one at few events. At the others it stays the object that it is, with
  /// rows in `ids` that it leaves out and that are others by now: no one can tell, as it leaves out those too.
  ///
  /// - Parameters:
  ///   - list: The list.
  ///   - known: The rows as they were when it was looked at.
  ///   - isAlone: True if no other list is made of these rows.
  /// - Returns: The rows as they are now; nil if the list must be made again, which also is so where that is not known.
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
