import Synchronization

/// How a list was made from another: by which rows, where the sections stayed what they were.
///
/// A controller asks for the difference of a list and the one before. What is in here need not be found again:
/// measured, a quarter of a change.
struct ListDelta: Sendable {
  /// The number of the list before.
  let origin: UInt64
  /// By id, what a row was and what it is, whether the list shows it or not; all have their keys.
  let changes: [(old: RowEntry?, new: RowEntry?)]

  /// A number for a new list.
  static func nextNumber() -> UInt64 { next.wrappingAdd(1, ordering: .relaxed).newValue }

  /// Where a row is in a list that has the sections of its request; nil if the request leaves it out.
  static func path(of entry: RowEntry, in list: SectionedList) -> RowPath? {
    guard let header = list.header(entry.section.key, hash: entry.section.hash) else { return nil }
    let found = list.sections.lookup(head: header.order.head) { BySection.compare($0.header, header) }
    guard let section = found.element, let row = section.rows.find(entry) else { return nil }
    return RowPath(section: found.rank, row: row)
  }

  /// Where a row is in a list, if it is in a section of a number.
  static func path(of entry: RowEntry, inSection section: Int, of list: SectionedList) -> RowPath? {
    list.sections[section].rows.find(entry).map { RowPath(section: section, row: $0) }
  }
}

private let next = Atomic<UInt64>(0)
