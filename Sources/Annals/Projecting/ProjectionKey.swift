import AnnalsLog

/// A key by which two projections are known to build the same rows from the same events.
///
/// The two projections must have the same type, and
/// - have no stored properties, or
/// - be equal, if the type is `Equatable`, or
/// - have the same `Projection.identity`.
///
/// Other projections can't be compared, so they build separate rows.
struct ProjectionKey {
  private enum Value {
    case only
    case equatable(any Equatable)
    case identity(String)
  }

  private let type: ObjectIdentifier
  private let value: Value

  /// - Returns: The key, or `nil` if the projection can't be distinguished from others of its type.
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

  /// Returns true if both projections build the same rows.
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
