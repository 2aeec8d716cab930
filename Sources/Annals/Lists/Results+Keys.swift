extension Results {
  /// Tells whether a row stands under the same section and sort keys in another list.
  ///
  /// Such a row never moves from one list to the other: law 4 of `Docs/ChangeSemantics.md`.
  ///
  /// - Parameters:
  ///   - id: The row's id.
  ///   - other: The other list.
  /// - Returns: False also if one of the lists does not have the row.
  package func hasSameKeys(_ id: Row.ID, in other: Results) -> Bool {
    let key = OrderKey(id)
    guard let mine = list.ids.row(key).flatMap(storage.keyed),
      let theirs = other.list.ids.row(key).flatMap(other.storage.keyed)
    else { return false }
    return mine.section.isSame(theirs.section) && mine.hasKey(of: theirs)
  }

  /// The ids of a section's rows, in order, as they are compared: scalar by scalar.
  ///
  /// - Parameter index: The section's index.
  /// - Returns: The ids.
  package func keys(ofSection index: Int) -> [OrderKey] { shown[index].rows.map(\.id) }
}
