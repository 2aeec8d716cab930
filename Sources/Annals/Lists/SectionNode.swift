/// A section of a list without its rows: its key, its title, and where it stands.
final class SectionHeader: Sendable {
  let id: SectionID
  let title: String
  let order: OrderKey
  /// True if the section stays when it is empty.
  let isPinned: Bool
  /// The position at which the section first had a row, if that counts and is known.
  let appearance: Position?
  /// The section's first row, if sections stand by their rows and rows do not stand by bytes alone.
  let first: RowEntry?
  /// True if the order of the first rows is reversed.
  let isDescending: Bool

  init(
    _ id: SectionID, title: String, order: OrderKey, isPinned: Bool, appearance: Position?, first: RowEntry? = nil,
    isDescending: Bool = false
  ) {
    (self.id, self.title, self.order) = (id, title, order)
    (self.isPinned, self.appearance) = (isPinned, appearance)
    (self.first, self.isDescending) = (first, isDescending)
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
    if left === right { return 0 }
    let order = OrderKey.compareTails(left.order, right.order)
    guard order == 0, let one = left.first, let other = right.first else { return order }
    let rows = left.isDescending ? compare(other, one) : compare(one, other)
    // While a row goes from one section to another, both may begin with it.
    return rows != 0 ? rows : BySectionKey.compare(left.id.key, right.id.key)
  }

  /// Compares two sections' first rows, whose keys are the same up to the first order of its own.
  private static func compare(_ left: RowEntry, _ right: RowEntry) -> Int {
    let order = RowOrder.compare(left.rest, right.rest)
    if order != 0 { return order }
    return left.id == right.id ? 0 : left.id < right.id ? -1 : 1
  }

  /// A comparator may contradict itself: what was in order when it was saved need not be when it is read.
  static func mayFollow(_ left: SectionNode, _ right: SectionNode) -> Bool {
    left.header.first == nil ? compare(left, right) < 0 : head(left) <= head(right)
  }
}

extension SortedTree<BySection> {
  /// The section with a header, or with an equal one of a list that was saved, and its rank.
  ///
  /// A comparator that contradicts itself leads astray; then all sections are looked at.
  func find(_ header: SectionHeader) -> (node: SectionNode, rank: Int)? {
    let found = lookup(head: header.order.head) { BySection.compare($0.header, header) }
    if let node = found.element { return (node, found.rank) }
    guard header.first != nil else { return nil }
    return enumerated().first { $1.header.id.isSame(header.id) }.map { ($1, $0) }
  }

  /// Puts a section in the place of the one at a rank, which is the same with other rows.
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
