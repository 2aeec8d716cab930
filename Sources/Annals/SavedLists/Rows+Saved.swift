extension Rows {
  /// Returns a collection with the same relations, but with the saved rows, settings and entities.
  func replaced(by saved: ListState) -> Rows {
    var rows = Rows(related.relations)
    rows.entries = RowSet(saved: saved.list.ids, saved.settings, on: saved.list.origin)
    rows.related.load(saved.entities)
    return rows
  }
}

extension Timeline {
  /// Starts from saved rows instead of the empty state.
  ///
  /// Call ``follow()`` before you read the saved rows.
  func begin(_ saved: ListState) {
    begin(empty.rows.replaced(by: saved), at: saved.position, saved.appearances)
  }
}
