extension ResultsSection {
  /// The indices of the rows whose first sort key begins with a text, such as those of a search while you type.
  ///
  ///     let request = FetchRequest(sort: [.ascending(\.title)])
  ///     results[0].indices(withPrefix: "Ha")   // 3..<5
  ///
  /// The rows lie side by side, because the list is sorted so. Texts are compared by their Unicode scalars: for a
  /// search that ignores case, sort by a folded title and search for a folded text.
  ///
  /// - Parameter prefix: The text; an empty one finds all rows.
  /// - Returns: The indices of rows that are shown; empty, where such rows would stand, if there are none.
  ///   The request's first sort key must be a `String`, in its own order, up or down; another is a programmer's error.
  /// - Complexity: O(log n) for n rows.
  public func indices(withPrefix prefix: String) -> Range<Int> {
    guard let isDescending = storage.prepared.keyer.isTextDescending else {
      preconditionFailure(
        "a search for the prefix \"\(prefix)\" needs a list whose first sort key is a String in its own order, such as "
          + "sort: [.ascending(\\.title)]; this request has another first sort key, or none")
    }
    var writer = KeyWriter()
    writer.write(prefix, descending: isDescending)
    // Without the two bytes that end a text.
    let bytes = writer.bytes.dropLast(2)
    func order(_ row: RowEntry) -> Int {
      let key = row.key.bytes.prefix(bytes.count)
      return key.elementsEqual(bytes) ? 0 : key.lexicographicallyPrecedes(bytes) ? -1 : 1
    }
    let first = node.rows.rank { order($0) < 0 }
    return first..<node.rows.rank { order($0) <= 0 }
  }
}
