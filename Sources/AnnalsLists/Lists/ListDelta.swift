import Synchronization

/// The row changes that turned one list into the next, if the sections stayed the same.
///
/// A controller needs the difference between a list and the previous list. With a delta, the controller doesn't need to
/// compare the two lists. Such a comparison was measured as a quarter of the cost of a change.
struct ListDelta: Sendable {
  /// The previous list's unique number.
  let origin: UInt64
  /// The old and new entries by id, including rows that the list doesn't show, all with keys.
  let changes: [(old: RowEntry?, new: RowEntry?)]

  /// Returns a unique number for a new list.
  static func nextNumber() -> UInt64 { next.wrappingAdd(1, ordering: .relaxed).newValue }

  /// Returns a row's path in a list, or `nil` if the list's request excludes the row.
  ///
  /// The row must have the keys that the list's request assigns.
  static func path(of entry: RowEntry, in list: SectionedList) -> RowPath? {
    guard let header = list.header(entry.section.key, hash: entry.section.hash) else { return nil }
    let found = list.sections.lookup(head: header.order.head) { BySection.compare($0.header, header) }
    guard let section = found.element, let row = section.rows.find(entry) else { return nil }
    return RowPath(section: found.rank, row: row)
  }

  /// Returns a row's path in a list, or `nil` if the row isn't in the section with the given index.
  static func path(of entry: RowEntry, inSection section: Int, of list: SectionedList) -> RowPath? {
    list.sections[section].rows.find(entry).map { RowPath(section: section, row: $0) }
  }
}

private let next = Atomic<UInt64>(0)
