/// A section of a list without its rows: its key, its title, and where it stands.
final class SectionHeader: Sendable {
  let id: SectionID
  let title: String
  let order: OrderKey
  /// True if the section stays when it is empty.
  let isPinned: Bool
  /// The position at which the section first had a row, if that counts and is known.
  let appearance: Position?

  init(_ id: SectionID, title: String, order: OrderKey, isPinned: Bool, appearance: Position?) {
    (self.id, self.title, self.order) = (id, title, order)
    (self.isPinned, self.appearance) = (isPinned, appearance)
  }
}

/// A section of a list with its rows.
final class SectionNode: Sendable {
  let header: SectionHeader
  let rows: SortedTree<ByRow>
  /// What the request's aggregates keep of the rows; nil if there are none, or if some rows were cut off.
  let summary: AggregateSummary?

  init(_ header: SectionHeader, _ rows: SortedTree<ByRow>, _ summary: AggregateSummary? = nil) {
    (self.header, self.rows, self.summary) = (header, rows, summary)
  }
}

/// The sections of a list, in its order; each weighs as much as it has rows.
enum BySection: TreeOrder {
  static var isWeighted: Bool { true }

  @inline(__always)
  static func head(_ element: SectionNode) -> UInt64 { element.header.order.head }

  @inline(__always)
  static func compareTails(_ left: SectionNode, _ right: SectionNode) -> Int {
    compare(left.header, right.header)
  }

  @inline(__always)
  static func weight(_ element: SectionNode) -> Int { element.rows.count }

  /// Compares two sections whose order begins with the same eight bytes.
  @inline(__always)
  static func compare(_ left: SectionHeader, _ right: SectionHeader) -> Int {
    left === right ? 0 : OrderKey.compareTails(left.order, right.order)
  }
}

/// The sections of a list by their keys, in no particular order.
enum BySectionKey: TreeOrder {
  @inline(__always)
  static func head(_ element: SectionHeader) -> UInt64 { element.id.hash }

  @inline(__always)
  static func compareTails(_ left: SectionHeader, _ right: SectionHeader) -> Int {
    compare(left.id.key, right.id.key)
  }

  @inline(__always)
  static func compare(_ left: OrderKey, _ right: OrderKey) -> Int {
    if left.head != right.head { return left.head < right.head ? -1 : 1 }
    return OrderKey.compareTails(left, right)
  }
}
