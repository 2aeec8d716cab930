extension RowSet {
  /// Makes the list of a request, whose entries these rows then have.
  mutating func list(
    _ prepared: PreparedRequest, _ appearances: [SectionKey: Position], knowing known: ListStorage?
  ) -> ListStorage {
    let made = ListStorage(
      prepared, ids, settings(of: prepared.keyer.rules.criterion), appearances, knowing: known,
      edits: known.flatMap { changes(since: $0.list.ids) }, origin: origin)
    take(made.list.ids)
    return made
  }
}
