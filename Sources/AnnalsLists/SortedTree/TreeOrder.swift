/// The order of a tree's elements.
///
/// The first eight bytes of an element's key are its head. Heads are stored in the tree's nodes. So most comparisons
/// compare two adjacent integers without accessing elements (measured: a search takes 23–31 ns, compared with 38–54 ns
/// if every comparison follows a pointer).
package protocol TreeOrder: SendableMetatype {
  /// The type of the tree's elements.
  associatedtype Element: AnyObject & Sendable

  /// The maximum number of elements in a leaf.
  static var leafCapacity: Int { get }
  /// The maximum number of children of an inner node.
  static var innerCapacity: Int { get }
  /// True if elements have a weight.
  static var isWeighted: Bool { get }

  /// Returns the first eight bytes of an element's key, most significant first.
  static func head(_ element: Element) -> UInt64
  /// Compares two elements with equal heads.
  ///
  /// The result is a negative number if the left element precedes the right element, or 0 if their keys are equal.
  static func compareTails(_ left: Element, _ right: Element) -> Int
  /// Returns an element's weight, which is added to the weight of its tree.
  static func weight(_ element: Element) -> Int
  /// Returns whether the right element may follow the left element in a saved tree.
  static func mayFollow(_ left: Element, _ right: Element) -> Bool
}

extension TreeOrder {
  /// The default capacity, 16.
  ///
  /// Capacities of 8 and 32 were measured to be as fast (`Docs/Evidence/Profiles.md`).
  package static var leafCapacity: Int { 16 }
  /// The default capacity, 16.
  ///
  /// Capacities of 8 and 32 were measured to be as fast (`Docs/Evidence/Profiles.md`).
  package static var innerCapacity: Int { 16 }
  /// False, because elements have no weight.
  package static var isWeighted: Bool { false }
  /// Returns 0, because elements have no weight.
  package static func weight(_ element: Element) -> Int { 0 }
  /// Returns whether the right element follows the left element in this order.
  package static func mayFollow(_ left: Element, _ right: Element) -> Bool { compare(left, right) < 0 }

  /// Compares two elements, and returns a negative number if the left element precedes the right element, or 0 for
  /// equal keys.
  @inline(__always)
  package static func compare(_ left: Element, _ right: Element) -> Int {
    let (one, other) = (head(left), head(right))
    if one != other { return one < other ? -1 : 1 }
    return left === right ? 0 : compareTails(left, right)
  }
}
