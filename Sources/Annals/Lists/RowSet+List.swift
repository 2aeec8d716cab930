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
}
