extension Rows {
  /// Returns the same relations with the saved rows, settings and entities.
  func replaced(by saved: ListState) -> Rows {
    var rows = Rows(related.relations)
    rows.entries = RowSet(saved: saved.list.ids, saved.settings, on: saved.list.origin)
    rows.related.load(saved.entities)
    return rows
  }
}

extension Timeline {
  /// Starts from saved rows instead of the empty state, after ``follow()`` was called before reading them.
  func begin(_ saved: ListState) {
    begin(empty.rows.replaced(by: saved), at: saved.position, saved.appearances)
  }
}
