extension Results {
  /// Returns whether a row has the same section and sort keys in another list.
  ///
  /// Such a row never moves between the two lists, as law 4 in `Docs/ChangeSemantics.md` requires.
  ///
  /// - Parameters:
  ///   - id: The row's id.
  ///   - other: The other list.
  /// - Returns: True if both lists have the row with the same keys.
  package func hasSameKeys(_ id: Row.ID, in other: Results) -> Bool {
    let key = OrderKey(id)
    guard let mine = list.ids.row(key).flatMap(storage.keyed),
      let theirs = other.list.ids.row(key).flatMap(other.storage.keyed)
    else { return false }
    return mine.section.isSame(theirs.section) && mine.hasKey(of: theirs)
  }

  /// Returns the ids of a section's rows, in order, as sort keys that compare strings scalar by scalar.
  ///
  /// - Parameter index: The section's index.
  /// - Returns: The ids.
  package func keys(ofSection index: Int) -> [OrderKey] { shown[index].rows.map(\.id) }
}
