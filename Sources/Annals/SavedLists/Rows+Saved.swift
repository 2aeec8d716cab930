extension Rows {
  /// The same relations with the rows, settings and entities that were saved.
  func replaced(by saved: ListState) -> Rows {
    var rows = Rows(related.relations)
    rows.entries = RowSet(saved: saved.list.ids, saved.settings, on: saved.list.origin)
    rows.related.load(saved.entities)
    return rows
  }
}

extension Timeline {
  /// Begins at rows that were saved, instead of at none; ``follow()`` was called before they were read.
  func begin(_ saved: ListState) {
    begin(empty.rows.replaced(by: saved), at: saved.position, saved.appearances)
  }
}
