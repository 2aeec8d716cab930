/// What tells whether two projections make the same rows of the same events.
///
/// They are of one type, and
/// - have no stored properties, or
/// - are equal, if the type is `Equatable`, or
/// - have one `Projection.identity`.
///
/// Of others nothing is known: each makes rows of its own.
struct ProjectionKey {
  private enum Value {
    case only
    case equatable(any Equatable)
    case identity(String)
  }

  private let type: ObjectIdentifier
  private let value: Value

  /// - Returns: Nil if a projection of the type cannot be distinguished from others.
  init?<P: Projection>(_ projection: P) {
    type = ObjectIdentifier(P.self)
    if MemoryLayout<P>.size == 0 {
      value = .only
    } else if let equatable = projection as? any Equatable {
      value = .equatable(equatable)
    } else if let identity = projection.identity {
      value = .identity(identity)
    } else {
      return nil
    }
  }

  /// Tells whether rows of one projection are those of the other.
  func isSame(as other: ProjectionKey) -> Bool {
    guard type == other.type else { return false }
    switch (value, other.value) {
    case (.only, .only): return true
    case (.equatable(let one), .equatable(let two)): return isEqual(one, two)
    case (.identity(let one), .identity(let two)): return ExactString(one) == ExactString(two)
    default: return false
    }
  }

  private func isEqual<T: Equatable>(_ one: T, _ other: any Equatable) -> Bool { (other as? T) == one }
}
