/// How the elements of a tree are ordered.
///
/// An element's key begins with eight bytes, its head, which lie in the tree's nodes: most comparisons are of two
/// integers that lie side by side, and look at no element (measured: 23–31 ns for a search, 38–54 ns where each
/// comparison follows a pointer).
package protocol TreeOrder: SendableMetatype {
  /// What the tree holds.
  associatedtype Element: AnyObject & Sendable

  /// The largest number of elements in a leaf.
  static var leafCapacity: Int { get }
  /// The largest number of children of an inner node.
  static var innerCapacity: Int { get }
  /// True if elements have a weight.
  static var isWeighted: Bool { get }

  /// The first eight bytes of an element's key, the first byte the most significant.
  static func head(_ element: Element) -> UInt64
  /// Compares two elements whose heads are equal: negative if the left one stands before the right one, 0 if they are
  /// one.
  static func compareTails(_ left: Element, _ right: Element) -> Int
  /// What an element adds to the weight of its tree.
  static func weight(_ element: Element) -> Int
  /// Tells whether an element may stand behind another in a tree that was saved.
  static func mayFollow(_ left: Element, _ right: Element) -> Bool
}

extension TreeOrder {
  /// 16: half or twice as many cost the same (`Docs/Evidence/Profiles.md`).
  package static var leafCapacity: Int { 16 }
  /// 16: half or twice as many cost the same (`Docs/Evidence/Profiles.md`).
  package static var innerCapacity: Int { 16 }
  /// Elements have no weight.
  package static var isWeighted: Bool { false }
  /// No weight.
  package static func weight(_ element: Element) -> Int { 0 }
  /// Those that stand behind it in order.
  package static func mayFollow(_ left: Element, _ right: Element) -> Bool { compare(left, right) < 0 }

  /// Compares two elements: negative if the left one stands before the right one, 0 if they are one.
  @inline(__always)
  package static func compare(_ left: Element, _ right: Element) -> Int {
    let (one, other) = (head(left), head(right))
    if one != other { return one < other ? -1 : 1 }
    return left === right ? 0 : compareTails(left, right)
  }
}
