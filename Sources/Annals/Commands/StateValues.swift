import Synchronization

/// A check that a state can be kept in memory, because it is a value that contains no objects.
///
/// If a state is an object or contains an object, even a refused command could change the object. So such a state isn't
/// kept in memory, and is folded from the first event for every command. The check examines the current content of a
/// state. An object might be added later, for example to an optional that was nil at first, so the check is repeated
/// occasionally.
package enum StateValues {
  private struct Known {
    var looks = 0
    var isValue = true
  }

  private static let known = Mutex<[ObjectIdentifier: Known]>([:])
  /// The types whose values never contain an object.
  ///
  /// The types are remembered, because their check needs a type's name, which is slow: checking a state of three
  /// members took 50 µs.
  private static let plain = Mutex<Set<ObjectIdentifier>>([])

  /// Returns false if the states of a decider are known not to be values.
  static func mayKeep<D: Decider>(_ decider: D.Type) -> Bool {
    decider is AnyObject.Type ? false : known.withLock { $0[ObjectIdentifier(decider)]?.isValue ?? true }
  }

  /// Returns false if a state is known to be an object or to contain an object.
  ///
  /// The state is examined in the 1st, 2nd, 4th, 8th call and so on, and in every 64th call.
  static func isValue<D: Decider>(_ state: D) -> Bool {
    let key = ObjectIdentifier(D.self)
    let looks = known.withLock { known in
      known[key, default: Known()].looks += 1
      return known[key]?.looks ?? 1
    }
    guard looks & (looks - 1) == 0 || looks % 64 == 0 else { return mayKeep(D.self) }
    if object(in: state) == nil { return mayKeep(D.self) }
    known.withLock { $0[key, default: Known()].isValue = false }
    return false
  }

  /// Returns the path to an object or a closure in a state, or nil if the state is a value without objects.
  ///
  /// A path consists of the names of members, for example `".box.count"`. A closure is included because it may hold an
  /// object.
  ///
  /// Values of the standard library and of Foundation are treated as values without objects. Only the first elements of
  /// a collection are checked.
  package static func object(in state: Any) -> String? {
    var budget = 500
    return object(in: state, "", depth: 0, &budget)
  }

  private static func object(in value: Any, _ path: String, depth: Int, _ budget: inout Int) -> String? {
    budget -= 1
    guard budget > 0, depth < 12 else { return nil }
    let type = type(of: value)
    let key = ObjectIdentifier(type)
    if plain.withLock({ $0.contains(key) }) { return nil }
    if type is AnyObject.Type { return value is AnyKeyPath ? nil : path }
    if let type = type as? any Container.Type, type.mayHoldObjects { return path }
    let mirror = Mirror(reflecting: value)
    let isPlain: Bool
    switch mirror.displayStyle {
    case .optional, .tuple, .collection, .set, .dictionary: isPlain = false
    case nil:
      // A closure has no members, and may share its captured variables.
      if String(describing: type).contains("->") { return mirror.children.isEmpty ? path : nil }
      isPlain = true
    default:
      let name = String(reflecting: type)
      isPlain = name.hasPrefix("Swift.") || name.hasPrefix("Foundation")
    }
    if isPlain {
      plain.withLock { _ = $0.insert(key) }
      return nil
    }
    for (index, child) in mirror.children.enumerated() {
      if index >= 8, mirror.displayStyle != .struct { break }
      // The members of a tuple without labels are called ".0" and ".1".
      let name = child.label.map { $0.hasPrefix(".") ? String($0.dropFirst()) : $0 } ?? "\(index)"
      if let found = object(in: child.value, "\(path).\(name)", depth: depth + 1, &budget) {
        return found
      }
    }
    return nil
  }
}

/// A type whose values may later contain an object, such as an optional without a value or an empty array.
private protocol Container {
  /// The types of the contained values.
  static var held: [Any.Type] { get }
}

extension Container {
  /// True if the contained values are objects, or containers of objects.
  fileprivate static var mayHoldObjects: Bool {
    held.contains { type in
      if let container = type as? any Container.Type { return container.mayHoldObjects }
      return type is AnyObject.Type && !(type is AnyKeyPath.Type)
    }
  }
}

extension Optional: Container {
  fileprivate static var held: [Any.Type] { [Wrapped.self] }
}

extension Array: Container {
  fileprivate static var held: [Any.Type] { [Element.self] }
}

extension Set: Container {
  fileprivate static var held: [Any.Type] { [Element.self] }
}

extension Dictionary: Container {
  fileprivate static var held: [Any.Type] { [Key.self, Value.self] }
}

extension Result: Container {
  fileprivate static var held: [Any.Type] { [Success.self] }
}
