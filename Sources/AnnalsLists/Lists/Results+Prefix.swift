import AnnalsLog
import Foundation

extension Results {
  /// Returns the range of a section's rows whose first sort key begins with a string, for type-ahead search.
  ///
  /// Strings are compared by the rules of the sort key: either scalar by scalar, or by a language's rules
  /// (``Collation``). A search by a language's rules ignores accents and case. For example, in a list sorted by
  /// `.ascending(\.name, in: .localizedStandard)`, "em" finds "Émile" and "EMILE". If the collation compares digits as
  /// numbers, a number in the prefix must be complete: "Chapter 1" doesn't find "Chapter 10".
  ///
  /// The first sort key must be a `String`, `String?` or `Personal<String>` without a custom comparison. Otherwise, the
  /// method traps, because no string can be the beginning of a number or a date.
  ///
  /// - Parameters:
  ///   - prefix: The string. "" matches all rows whose sort key isn't `nil`.
  ///   - section: The section's index, 0 or more and less than the number of sections.
  /// - Returns: The rows' indices in the section. If no row matches, the result is an empty range at the place where a
  ///   matching row would be inserted.
  /// - Complexity: O(log n) for n rows.
  public func rows(beginningWith prefix: String, inSection section: Int) -> Range<Int> {
    shown[section].rows.range(of: search(for: prefix))
  }

  /// Returns the path of the list's first row whose first sort key begins with a string.
  ///
  /// Like ``rows(beginningWith:inSection:)``, the method traps if the list's first sort key isn't a string.
  ///
  /// - Parameter prefix: The string, compared as in ``rows(beginningWith:inSection:)``.
  /// - Returns: The row's path, or `nil` if no row matches.
  /// - Complexity: O(s log n) for n rows, and s sections before the first matching row.
  public func firstPath(beginningWith prefix: String) -> RowPath? {
    let search = search(for: prefix)
    for (index, section) in shown.enumerated() {
      let range = section.rows.range(of: search)
      if !range.isEmpty { return RowPath(section: index, row: range.lowerBound) }
    }
    return nil
  }

  private func search(for prefix: String) -> PrefixSearch<RowEntry> {
    let keyer = storage.prepared.keyer
    guard let search = keyer.search?(prefix) else {
      preconditionFailure(
        "a search by prefix requires a list that is sorted by a String, String? or Personal<String> first, without a "
          + "custom comparison (the list is sorted by \(keyer.firstSortKey)); sort by a string first, or filter with "
          + "a TextSearch")
    }
    return search
  }
}

extension SortedTree<ByRow> {
  /// Returns the ranks of the rows that a search finds.
  fileprivate func range(of search: PrefixSearch<RowEntry>) -> Range<Int> {
    let range = range(of: search.bytes)
    guard let place = search.place else { return range }
    let start = range.firstIndexInOrder { place(self[$0]) != .orderedAscending }
    return start..<(start..<range.upperBound).firstIndexInOrder { place(self[$0]) == .orderedDescending }
  }

  /// Returns the ranks of the rows whose keys begin with some bytes.
  ///
  /// The bytes must not extend beyond the end of a value.
  private func range(of prefix: [UInt8]) -> Range<Int> {
    var end = prefix
    while end.last == 0xFF { end.removeLast() }
    guard let last = end.popLast() else { return rank(of: prefix)..<count }
    end.append(last + 1)
    return rank(of: prefix)..<rank(of: end)
  }

  /// Returns the number of rows whose keys precede some bytes.
  private func rank(of bytes: [UInt8]) -> Int {
    let key = OrderKey { $0.write(bytes: bytes) }
    // A row whose key equals or begins with these bytes doesn't precede them.
    return lookup(head: key.head) { OrderKey.compareTails($0.key, key) < 0 ? -1 : 1 }.rank
  }
}
