public import Foundation

extension Results {
  /// The list's sections.
  ///
  /// This property returns the list itself, because a list is a collection of its sections.
  public var sections: Results { self }

  /// The rows of all sections, from the first section to the last.
  public var rows: ResultsRows<Row> { ResultsRows(shown) }

  /// Returns the row at a path.
  ///
  /// - Parameter path: The row's path.
  /// - Returns: The row, or `nil` if the path is invalid, or if the row belongs to a saved list and can't be read.
  /// - Complexity: O(log n) for n rows.
  public func row(at path: RowPath) -> Row? {
    entry(at: path).map { Rows<Row>.box($0).row }
  }

  /// Returns the path of the row with the given id.
  ///
  /// - Parameter id: The row's id.
  /// - Returns: The path, or `nil` if the list doesn't show the row.
  /// - Complexity: O(log n) for n rows.
  public func path(forID id: Row.ID) -> RowPath? { path(OrderKey(id)) }

  /// Returns the row at an index path.
  ///
  /// If the row can't be read because a part of its saved list was lost, the result is another row of the list, as
  /// explained in `Docs/SavedLists.md`.
  ///
  /// - Parameter indexPath: The row's index path. An invalid index path causes a trap. If the index path might be
  ///   invalid, call ``row(at:)-(IndexPath)`` instead, which returns `nil` for an invalid index path.
  /// - Returns: The row.
  /// - Complexity: O(log n) for n rows.
  public func object(at indexPath: IndexPath) -> Row {
    if let row = row(at: indexPath) { return row }
    guard let path = RowPath(indexPath), indices.contains(path.section), self[path.section].indices.contains(path.row)
    else {
      preconditionFailure(
        "`indexPath` must be a row's index path (was \(indexPath)): the list at position \(position) has \(count) "
          + "sections with \(map(\.count)) rows")
    }
    return self[path.section][path.row]
  }

  /// Returns the row at an index path.
  ///
  /// - Parameter indexPath: The row's index path.
  /// - Returns: The row, or `nil` if the index path is invalid.
  /// - Complexity: O(log n) for n rows.
  public func row(at indexPath: IndexPath) -> Row? {
    RowPath(indexPath).flatMap { row(at: $0) }
  }

  /// Returns the row with the given id.
  ///
  /// - Parameter id: The row's id.
  /// - Returns: The row, or `nil` if the list doesn't show the row.
  /// - Complexity: O(log n) for n rows.
  public func row(forID id: Row.ID) -> Row? {
    path(forID: id).flatMap { row(at: $0) }
  }

  /// Returns the index path of the row with the given id.
  ///
  /// - Parameter id: The row's id.
  /// - Returns: The index path, or `nil` if the list doesn't show the row.
  /// - Complexity: O(log n) for n rows.
  public func indexPath(forID id: Row.ID) -> IndexPath? {
    path(forID: id).map { IndexPath($0) }
  }

  /// Returns the section with the given key, or `nil` if the list has no such section.
  ///
  /// - Parameter key: The section's key.
  /// - Complexity: O(log s) for s sections.
  public subscript(key key: SectionKey) -> ResultsSection<Row>? {
    sectionIndex(forKey: key).map { self[$0] }
  }

  /// Returns the index of the section with the given key.
  ///
  /// - Parameter key: The section's key.
  /// - Returns: The section's index, or `nil` if the list has no such section.
  /// - Complexity: O(log s) for s sections.
  public func sectionIndex(forKey key: SectionKey) -> Int? {
    let key = key.orderKey
    return section(key, hash: key.fingerprint)?.index
  }

  /// Returns the path of the row with an id, or `nil` if the list doesn't show the row or can't read a page on the way
  /// to the row.
  func path(_ id: OrderKey) -> RowPath? { try? readPath(id) }

  /// Returns the row at a path, or `nil` if the path is invalid or the row can't be read.
  func entry(at path: RowPath) -> RowEntry? { try? readEntry(at: path) }

  private func readPath(_ id: OrderKey) throws(UnreadablePage) -> RowPath? {
    let anyRow = try list.ids.read(head: id.fingerprint) { ByID.compare($0, id) }.element
    guard let entry = anyRow.flatMap(storage.keyed) else { return nil }
    let key = entry.section
    let header = try list.headersByKey.read(head: key.hash) { BySectionKey.compare($0.id.key, key.key) }.element
    guard let header else { return nil }
    let found = try shown.read(head: header.order.head) { BySection.compare($0.header, header) }
    let place = found.element.map { (node: $0, rank: found.rank) } ?? (header.first == nil ? nil : shown.find(header))
    guard let (section, number) = place else { return nil }
    let rows = section.rows
    let row = try rows.read(head: entry.key.head) { $0 === entry ? 0 : ByRow.compareTails($0, entry) }
    // An inconsistent comparator can mislead the search, so all rows are checked if the search fails.
    let index = row.element != nil ? row.rank : entry.hasRest ? rows.find(entry) : nil
    return index.map { RowPath(section: number, row: $0) }
  }

  private func readEntry(at path: RowPath) throws(UnreadablePage) -> RowEntry? {
    guard let rows = try shown.read(at: path.section)?.rows, let row = try rows.read(at: path.row) else { return nil }
    if storage.origin != nil { readBatch(around: path.row, of: rows) }
    return row
  }

  /// Reads the batch of saved rows that contains a row.
  ///
  /// The request defines the batch size.
  private func readBatch(around row: Int, of rows: SortedTree<ByRow>) {
    let size = storage.prepared.batchSize
    guard size > 1 else { return }
    let batch = row / size * size..<Swift.min(row / size * size + size, rows.count)
    // Pages and batches have different boundaries, so the batch counts as read if its last row is in memory.
    if rows.isInMemory(at: batch.upperBound - 1) { return }
    for other in batch {
      guard (try? rows.read(at: other)) != nil else { return }
    }
  }

  private func section(_ key: OrderKey, hash: UInt64) -> (node: SectionNode, index: Int)? {
    guard let header = list.header(key, hash: hash), let found = shown.find(header) else { return nil }
    return (found.node, found.rank)
  }
}

extension Results: CustomStringConvertible {
  /// The list as text: for every section, one line with the section's title, and then one line per row.
  public var description: String {
    map { section in
      (["[\(section.title)]"] + section.map { "  \($0)" }).joined(separator: "\n")
    }.joined(separator: "\n")
  }
}
