public import Foundation

extension Results {
  /// The sections, in order: the list itself, which is a collection of them.
  public var sections: Results { self }

  /// All rows, section after section.
  public var rows: ResultsRows<Row> { ResultsRows(shown) }

  /// The row at a path, or nil if there is none, or if it is a saved list's and cannot be read.
  ///
  /// - Parameter path: The path.
  /// - Returns: The row.
  /// - Complexity: O(log n) for n rows.
  public func row(at path: RowPath) -> Row? {
    entry(at: path).map { Rows<Row>.box($0).row }
  }

  /// The path of the row with an id, or nil if the list does not show it.
  ///
  /// - Parameter id: The row's id.
  /// - Returns: The path.
  /// - Complexity: O(log n) for n rows.
  public func path(forID id: Row.ID) -> RowPath? { path(OrderKey(id)) }

  /// The row at an index path.
  ///
  /// Of a saved list that is lost another row of it stands in for one that cannot be read: `Docs/SavedLists.md`.
  ///
  /// - Parameter indexPath: A path that the list has; another is a programmer's error. ``row(at:)-(IndexPath)`` answers
  ///   nil.
  /// - Returns: The row.
  /// - Complexity: O(log n) for n rows.
  public func object(at indexPath: IndexPath) -> Row {
    if let row = row(at: indexPath) { return row }
    guard let path = RowPath(indexPath), indices.contains(path.section), self[path.section].indices.contains(path.row)
    else {
      preconditionFailure(
        "no row at \(indexPath): the list at position \(position) has \(count) sections with \(map(\.count)) rows")
    }
    return self[path.section][path.row]
  }

  /// The row at an index path, or nil if there is none.
  ///
  /// - Parameter indexPath: The index path.
  /// - Returns: The row.
  /// - Complexity: O(log n) for n rows.
  public func row(at indexPath: IndexPath) -> Row? {
    RowPath(indexPath).flatMap { row(at: $0) }
  }

  /// The row with an id, or nil if the list does not show it.
  ///
  /// - Parameter id: The row's id.
  /// - Returns: The row.
  /// - Complexity: O(log n) for n rows.
  public func row(forID id: Row.ID) -> Row? {
    path(forID: id).flatMap { row(at: $0) }
  }

  /// The index path of the row with an id, or nil if the list does not show it.
  ///
  /// - Parameter id: The row's id.
  /// - Returns: The index path.
  /// - Complexity: O(log n) for n rows.
  public func indexPath(forID id: Row.ID) -> IndexPath? {
    path(forID: id).map { IndexPath($0) }
  }

  /// The section with a key, or nil if there is none.
  ///
  /// - Parameter key: The section's key.
  /// - Complexity: O(log s) for s sections.
  public subscript(key key: SectionKey) -> ResultsSection<Row>? {
    sectionIndex(forKey: key).map { self[$0] }
  }

  /// The index of the section with a key, or nil if there is none.
  ///
  /// - Parameter key: The section's key.
  /// - Returns: The section's index.
  /// - Complexity: O(log s) for s sections.
  public func sectionIndex(forKey key: SectionKey) -> Int? {
    let key = key.orderKey
    return section(key, hash: key.fingerprint)?.index
  }

  /// The path of the row with an id; nil if the list does not show it, or cannot read what leads to it.
  func path(_ id: OrderKey) -> RowPath? { try? readPath(id) }

  /// The row at a path; nil if there is none, or if it cannot be read.
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
    // A comparator that contradicts itself leads astray: then all rows are looked at.
    let index = row.element != nil ? row.rank : entry.hasRest ? rows.find(entry) : nil
    return index.map { RowPath(section: number, row: $0) }
  }

  private func readEntry(at path: RowPath) throws(UnreadablePage) -> RowEntry? {
    guard let rows = try shown.read(at: path.section)?.rows, let row = try rows.read(at: path.row) else { return nil }
    if storage.origin != nil { readBatch(around: path.row, of: rows) }
    return row
  }

  /// Reads the rows around one that was read, as many as the request asks for.
  private func readBatch(around row: Int, of rows: SortedTree<ByRow>) {
    let size = storage.prepared.batchSize
    guard size > 1 else { return }
    let batch = row / size * size..<Swift.min(row / size * size + size, rows.count)
    // Pages and batches do not end at the same rows: a batch is there if its last row is.
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
  /// The list as a person reads it: a line for each section, and under it one for each row.
  public var description: String {
    map { section in
      (["[\(section.title)]"] + section.map { "  \($0)" }).joined(separator: "\n")
    }.joined(separator: "\n")
  }
}
