/// A section of a list without its rows: its key, its title, and where it stands.
final class SectionHandle: Sendable {
  let place: SectionPlace
  let title: String
  let order: OrderKey
  /// True if the section stays when it is empty.
  let isFixed: Bool
  /// The position at which the section first had a row, if that counts and is known.
  let appearance: Position?

  init(_ place: SectionPlace, title: String, order: OrderKey, isFixed: Bool, appearance: Position?) {
    (self.place, self.title, self.order) = (place, title, order)
    (self.isFixed, self.appearance) = (isFixed, appearance)
  }
}

/// A section of a list with its rows.
final class SectionNode: Sendable {
  let handle: SectionHandle
  let rows: SortedTree<ByRow>

  init(_ handle: SectionHandle, _ rows: SortedTree<ByRow>) {
    (self.handle, self.rows) = (handle, rows)
  }
}

/// The sections of a list, in its order; each weighs as much as it has rows.
enum BySection: TreeOrder {
  static var isWeighted: Bool { true }

  @inline(__always)
  static func head(_ element: SectionNode) -> UInt64 { element.handle.order.head }

  @inline(__always)
  static func compareTails(_ left: SectionNode, _ right: SectionNode) -> Int {
    compare(left.handle, right.handle)
  }

  @inline(__always)
  static func weight(_ element: SectionNode) -> Int { element.rows.count }

  /// Compares two sections whose order begins with the same eight bytes.
  @inline(__always)
  static func compare(_ left: SectionHandle, _ right: SectionHandle) -> Int {
    left === right ? 0 : OrderKey.compareTails(left.order, right.order)
  }
}

/// The sections of a list by their keys, in no particular order.
enum BySectionKey: TreeOrder {
  @inline(__always)
  static func head(_ element: SectionHandle) -> UInt64 { element.place.hash }

  @inline(__always)
  static func compareTails(_ left: SectionHandle, _ right: SectionHandle) -> Int {
    compare(left.place.key, right.place.key)
  }

  @inline(__always)
  static func compare(_ left: OrderKey, _ right: OrderKey) -> Int {
    if left.head != right.head { return left.head < right.head ? -1 : 1 }
    return OrderKey.compareTails(left, right)
  }
}
