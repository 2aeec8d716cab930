/// The rough shape of a value: the cases of its enums, the counts of its collections, and the magnitudes of its
/// numbers.
///
/// For a search, two states of the same shape are equivalent. For example, carts with five and six books have the same
/// shape, but an empty cart has a different shape.
struct StateShape: Hashable {
  private let hash: Int

  init(_ value: Any) {
    var hasher = Hasher()
    Self.add(value, depth: 0, &hasher)
    hash = hasher.finalize()
  }

  /// The maximum depth, and the maximum number of children of one value, that a shape includes.
  private static let (depth, width) = (3, 16)

  private static func add(_ value: Any, depth: Int, _ hasher: inout Hasher) {
    // A single cast covers all known types. A mirror takes four times as long, and a cast to every numeric type even
    // longer.
    if let known = value as? any KnownShape { return known.addShape(to: &hasher) }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .collection, .set, .dictionary: hasher.combine(Coverage.bucket(mirror.children.count))
    case .optional where mirror.children.isEmpty: hasher.combine(0)
    case .enum:
      hasher.combine(EnumCases.name(of: value))
      addChildren(mirror, depth, &hasher)
    case nil:
      switch value {
      case let value as any BinaryInteger: add(Double(value), to: &hasher)
      case let value as any BinaryFloatingPoint: add(Double(value), to: &hasher)
      default: addChildren(mirror, depth, &hasher)
      }
    default: addChildren(mirror, depth, &hasher)
    }
  }

  private static func addChildren(_ mirror: Mirror, _ depth: Int, _ hasher: inout Hasher) {
    guard depth < Self.depth else { return }
    for child in mirror.children.prefix(width) { add(child.value, depth: depth + 1, &hasher) }
  }

  fileprivate static func add(_ number: Double, to hasher: inout Hasher) {
    guard number.isFinite, number != 0 else { return hasher.combine(number.isNaN ? 2 : number) }
    hasher.combine(number < 0)
    hasher.combine(number.magnitude.exponent)
  }
}

/// A standard library type whose values don't need a mirror.
private protocol KnownShape {
  func addShape(to hasher: inout Hasher)
}

extension KnownShape where Self: BinaryInteger {
  func addShape(to hasher: inout Hasher) { StateShape.add(Double(self), to: &hasher) }
}

extension KnownShape where Self: Collection {
  func addShape(to hasher: inout Hasher) { hasher.combine(Coverage.bucket(count)) }
}

extension Int: KnownShape {}
extension Int32: KnownShape {}
extension Int64: KnownShape {}
extension UInt: KnownShape {}
extension UInt8: KnownShape {}
extension UInt32: KnownShape {}
extension UInt64: KnownShape {}
extension Array: KnownShape {}
extension Set: KnownShape {}
extension Dictionary: KnownShape {}

extension String: KnownShape {
  func addShape(to hasher: inout Hasher) { hasher.combine(Coverage.bucket(utf8.count)) }
}

extension Bool: KnownShape {
  func addShape(to hasher: inout Hasher) { hasher.combine(self) }
}

extension Double: KnownShape {
  func addShape(to hasher: inout Hasher) { StateShape.add(self, to: &hasher) }
}
