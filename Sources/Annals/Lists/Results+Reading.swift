public import Foundation

extension Results {
  /// The sections, in order: the list itself, which is a collection of them.
  public var sections: Results { self }

  /// All rows, section after section.
  public var rows: ResultsRows<Row> { ResultsRows(shown) }

  /// The row at a path, or nil if there is none, or if it is a saved list's and cannot be read.
  ///
  /// - Parameter path: The place.
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
  /// - Parameter indexPath: A path that the list has; another is a programmer's error. ``row(at:)-(IndexPath)`` answers nil.
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
  /// - Parameter indexPath: The place.
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

  func path(_ id: OrderKey) -> RowPath? {
    if storage.origin != nil, !canRead(id) { return nil }
    guard let entry = list.ids.row(id), let section = section(entry.section.key, hash: entry.section.hash),
      let row = section.node.rows.find(entry)
    else { return nil }
    return RowPath(section: section.index, row: row)
  }

  func entry(at path: RowPath) -> RowEntry? {
    guard path.section >= 0, path.section < shown.count else { return nil }
    if storage.origin != nil, !shown.isReadable(at: path.section) { return nil }
    let rows = shown[path.section].rows
    guard path.row >= 0, path.row < rows.count else { return nil }
    return storage.origin != nil ? read(path.row, of: rows) : rows[path.row]
  }

  /// A row that may not have been read yet, and with it those around it that the request asks for.
  private func read(_ row: Int, of rows: SortedTree<ByRow>) -> RowEntry? {
    guard rows.isReadable(at: row) else { return nil }
    let size = storage.prepared.batchSize
    guard size > 1 else { return rows[row] }
    let batch = row / size * size..<Swift.min(row / size * size + size, rows.count)
    // Pages and batches do not end at the same rows: a batch is there if its last row is.
    if !rows.isInMemory(at: batch.upperBound - 1) {
      for other in batch {
        guard rows.isReadable(at: other) else { break }
      }
    }
    return rows[row]
  }

  /// True if all can be read that leads from an id to its row's path.
  private func canRead(_ id: OrderKey) -> Bool {
    guard list.ids.isReadable(head: id.fingerprint, { ByID.compare($0, id) }) else { return false }
    guard let entry = list.ids.row(id) else { return true }
    let place = entry.section
    guard list.headersByKey.isReadable(head: place.hash, { BySectionKey.compare($0.id.key, place.key) }) else {
      return false
    }
    guard let header = list.header(place.key, hash: place.hash) else { return true }
    guard shown.isReadable(head: header.order.head, { BySection.compare($0.header, header) }) else { return false }
    return section(place.key, hash: place.hash)?.node.rows.isReadable(head: entry.key.head) {
      ByRow.compareTails($0, entry)
    } ?? true
  }

  private func section(_ key: OrderKey, hash: UInt64) -> (node: SectionNode, index: Int)? {
    guard let header = list.header(key, hash: hash) else { return nil }
    let place = shown.lookup(head: header.order.head) { BySection.compare($0.header, header) }
    return place.element.map { ($0, place.rank) }
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
