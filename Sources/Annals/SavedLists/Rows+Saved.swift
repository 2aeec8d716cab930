extension Rows {
  /// The same relations with the rows, settings and entities that were saved.
  func replaced(by saved: ListState) -> Rows {
    var rows = Rows(related.relations)
    rows.entries = RowSet(saved: saved.list.ids, saved.settings, on: saved.list.origin)
    rows.related.load(saved.entities)
    return rows
  }
}
