import Synchronization

/// Which states may be kept in memory: values, which share nothing that a decider could change.
///
/// A state that is an object, or that holds one, could be changed by a command that is refused afterwards. Such states
/// are folded from nothing for each command, as they would be without a memory. Objects are looked for in what is there
/// of a state, so that a state is looked at again from time to time: an optional may have had no value at first.
package enum StateValues {
  private struct Known {
    var looks = 0
    var isValue = true
  }

  private static let known = Mutex<[ObjectIdentifier: Known]>([:])
  /// Types of values that hold no object, whatever they are.
  ///
  /// To find that out takes the name of a type, which is slow: a look at a state of three members took 50 µs.
  private static let plain = Mutex<Set<ObjectIdentifier>>([])

  /// False if the states of a decider are known to be no values.
  static func mayKeep<D: Decider>(_ decider: D.Type) -> Bool {
    decider is AnyObject.Type ? false : known.withLock { $0[ObjectIdentifier(decider)]?.isValue ?? true }
  }

  /// False if a state is an object or holds one; it is looked at the 1st, 2nd, 4th, 8th time, and then every 64th.
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

  /// Where a state holds an object, or code that may hold one, as a path of members: `".box.count"`; nil if it is a
  /// value.
  ///
  /// Values of the standard library and of Foundation count as values. Of a collection the first elements are looked
  /// at.
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
      // A closure has no members, and may share what it has captured.
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

/// A type whose values may hold an object that is not there yet: an optional without a value, an empty array.
private protocol Container {
  /// The types of what it holds.
  static var held: [Any.Type] { get }
}

extension Container {
  /// True if what it holds are objects, or containers of objects.
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
