package import AnnalsLog

/// The description of a list's section without its rows: the section's key, title and place.
package final class SectionHeader: Sendable {
  package let id: SectionID
  package let title: String
  /// The part of the section's place that is compared as bytes, which are the same in every process.
  package let order: OrderKey
  /// The rest of the section's place.
  fileprivate let rest: [RowOrder.Part]
  /// True if the section exists even without rows.
  package let isPinned: Bool
  /// The position at which the section first had a row, or `nil` if the position is unknown or the sections' order
  /// doesn't depend on it.
  package let appearance: Position?
  /// The section's first row, if sections are sorted by their rows and the rows can't be compared only as bytes,
  /// otherwise `nil`.
  package let first: RowEntry?
  /// True if the order of the first rows is reversed.
  let isDescending: Bool

  package init(
    _ id: SectionID, title: String, order: RowOrder, isPinned: Bool, appearance: Position?, first: RowEntry? = nil,
    isDescending: Bool = false
  ) {
    self.id = id
    self.title = title
    self.order = order.head
    rest = order.rest
    self.isPinned = isPinned
    self.appearance = appearance
    self.first = first
    self.isDescending = isDescending
  }
}

/// A section of a list with its rows.
package final class SectionNode: Sendable {
  package let header: SectionHeader
  package let rows: SortedTree<ByRow>
  /// The state of the request's aggregates for the rows, or `nil` if the request has no aggregates or if the node lacks
  /// some of the section's rows.
  let summary: AggregateSummary?

  package init(_ header: SectionHeader, _ rows: SortedTree<ByRow>, _ summary: AggregateSummary? = nil) {
    self.header = header
    self.rows = rows
    self.summary = summary
  }
}

/// The order of a list's sections, in which a section's weight is its number of rows.
package enum BySection: TreeOrder {
  package static var isWeighted: Bool { true }

  @inline(__always)
  package static func head(_ element: SectionNode) -> UInt64 { element.header.order.head }

  @inline(__always)
  package static func compareTails(_ left: SectionNode, _ right: SectionNode) -> Int {
    compare(left.header, right.header)
  }

  @inline(__always)
  package static func weight(_ element: SectionNode) -> Int { element.rows.count }

  /// Compares two sections whose order keys share their first eight bytes.
  @inline(__always)
  static func compare(_ left: SectionHeader, _ right: SectionHeader) -> Int {
    if left === right { return 0 }
    var order = OrderKey.compareTails(left.order, right.order)
    if order == 0 { order = RowOrder.compare(left.rest, right.rest) }
    guard order == 0, let one = left.first, let other = right.first else { return order }
    let rows = left.isDescending ? compare(other, one) : compare(one, other)
    // While a row moves to another section, it can be the first row of both sections.
    return rows != 0 ? rows : BySectionKey.compare(left.id.key, right.id.key)
  }

  /// Compares the first rows of two sections, after the bytes of the rows' keys were found to be equal.
  private static func compare(_ left: RowEntry, _ right: RowEntry) -> Int {
    let order = RowOrder.compare(left.rest, right.rest)
    if order != 0 { return order }
    return left.id == right.id ? 0 : left.id < right.id ? -1 : 1
  }

  /// Returns whether a saved list may contain two sections in this order.
  ///
  /// If sections are sorted by their rows, only bytes are compared, because an inconsistent comparator might return a
  /// different result now than when the list was saved.
  package static func mayFollow(_ left: SectionNode, _ right: SectionNode) -> Bool {
    left.header.first == nil ? compare(left, right) < 0 : head(left) <= head(right)
  }
}

extension SortedTree<BySection> {
  /// Returns the section with a header and the section's rank, or `nil` if no section has the header.
  ///
  /// In a saved list, the section's header can be another object that is equal to the given header.
  ///
  /// An inconsistent comparator can mislead the search. So if sections are sorted by a comparator and the search fails,
  /// all sections are checked.
  package func find(_ header: SectionHeader) -> (node: SectionNode, rank: Int)? {
    let found = lookup(head: header.order.head) { BySection.compare($0.header, header) }
    if let node = found.element { return (node, found.rank) }
    guard header.first != nil else { return nil }
    return enumerated().first { $1.header.id.isSame(header.id) }.map { ($1, $0) }
  }

  /// Replaces the section at a rank by the same section with other rows.
  mutating func replace(at rank: Int, by node: SectionNode) {
    if node.header.first == nil || self.rank(of: node) == rank {
      insert(node)
    } else {
      var all = Array(self)
      all[rank] = node
      self = SortedTree(sorted: all)
    }
  }
}

/// The sections of a list by their keys, in no particular order.
package enum BySectionKey: TreeOrder {
  @inline(__always)
  package static func head(_ element: SectionHeader) -> UInt64 { element.id.hash }

  @inline(__always)
  package static func compareTails(_ left: SectionHeader, _ right: SectionHeader) -> Int {
    compare(left.id.key, right.id.key)
  }

  @inline(__always)
  static func compare(_ left: OrderKey, _ right: OrderKey) -> Int {
    if left.head != right.head { return left.head < right.head ? -1 : 1 }
    return OrderKey.compareTails(left, right)
  }
}
