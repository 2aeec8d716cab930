/// How a value looks from far away: which cases its enums have, how many its collections, about how large its numbers.
///
/// Two states of one shape are as good as one for a search: a cart with five books is not another one with six, and an
/// empty one is.
struct StateShape: Hashable {
  private let hash: Int

  init(_ value: Any) {
    var hasher = Hasher()
    Self.add(value, depth: 0, &hasher)
    hash = hasher.finalize()
  }

  /// How deep it looks, and at how many parts of one value.
  private static let (depth, width) = (3, 16)

  private static func add(_ value: Any, depth: Int, _ hasher: inout Hasher) {
    // The mirror first: a cast of each part to each kind of number took two thirds of the time.
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .collection, .set, .dictionary: add(count: mirror.children.count, &hasher)
    case .optional where mirror.children.isEmpty: hasher.combine(0)
    case .enum:
      hasher.combine(EnumCases.name(of: value))
      addChildren(mirror, depth, &hasher)
    case nil:
      switch value {
      case let value as Int: add(Double(value), &hasher)
      case let value as Bool: hasher.combine(value)
      case let value as String: add(count: value.utf8.count, &hasher)
      case let value as any BinaryInteger: add(Double(value), &hasher)
      case let value as any BinaryFloatingPoint: add(Double(value), &hasher)
      default: addChildren(mirror, depth, &hasher)
      }
    default: addChildren(mirror, depth, &hasher)
    }
  }

  private static func addChildren(_ mirror: Mirror, _ depth: Int, _ hasher: inout Hasher) {
    guard depth < Self.depth else { return }
    for child in mirror.children.prefix(width) { add(child.value, depth: depth + 1, &hasher) }
  }

  private static func add(_ number: Double, _ hasher: inout Hasher) {
    guard number.isFinite, number != 0 else { return hasher.combine(number.isNaN ? 2 : number) }
    hasher.combine(number < 0)
    hasher.combine(number.magnitude.exponent)
  }

  private static func add(count: Int, _ hasher: inout Hasher) { hasher.combine(Coverage.bucket(count)) }
}
