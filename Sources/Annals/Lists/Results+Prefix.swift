extension Results {
  /// Where the rows of a section are whose first sort key begins with a text, as in a search while a user types.
  ///
  /// Texts are compared as the rows are sorted: scalar by scalar, or in the order of a language. That one counts
  /// letters alone, so that "em" finds "Émile" and "EMILE": `sort: [.ascending(\.name, in: .localizedStandard)]`. A run
  /// of digits that is compared as a number is found by the whole of it.
  ///
  /// - Parameters:
  ///   - prefix: The text; with "" all rows that have a text begin so.
  ///   - section: The section's index, 0 or more and less than the number of sections.
  /// - Returns: The rows' indices in the section, empty at the place where such rows would be; nil if the first sort
  ///   key is not a `String` or `String?` in its own order or in that of a ``Collation`` whose keys are bytes.
  /// - Complexity: O(log n) for n rows.
  public func rows(beginningWith prefix: String, inSection section: Int) -> Range<Int>? {
    storage.prepared.keyer.prefix.map { shown[section].rows.range(of: $0(prefix)) }
  }

  /// The path of the first row in the list whose first sort key begins with a text.
  ///
  /// - Parameter prefix: The text, compared as in ``rows(beginningWith:inSection:)``.
  /// - Returns: The path; nil if there is no such row, or where that answers nil.
  /// - Complexity: O(s log n) for s sections that have no such row.
  public func firstPath(beginningWith prefix: String) -> RowPath? {
    guard let bytes = storage.prepared.keyer.prefix?(prefix) else { return nil }
    for (index, section) in shown.enumerated() {
      let range = section.rows.range(of: bytes)
      if !range.isEmpty { return RowPath(section: index, row: range.lowerBound) }
    }
    return nil
  }
}

extension SortedTree<ByRow> {
  /// The ranks of the rows whose keys begin with some bytes, which end at most where a value ends.
  fileprivate func range(of prefix: [UInt8]) -> Range<Int> {
    var end = prefix
    while end.last == 0xFF { end.removeLast() }
    guard let last = end.popLast() else { return rank(of: prefix)..<count }
    end.append(last + 1)
    return rank(of: prefix)..<rank(of: end)
  }

  /// The number of rows whose keys stand before some bytes.
  private func rank(of bytes: [UInt8]) -> Int {
    let key = OrderKey { $0.write(bytes: bytes) }
    // A row whose key is these bytes, or begins with them, stands after them.
    return lookup(head: key.head) { OrderKey.compareTails($0.key, key) < 0 ? -1 : 1 }.rank
  }
}
