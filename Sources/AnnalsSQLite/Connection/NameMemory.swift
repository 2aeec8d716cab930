/// A cache of values by name that keeps the most recently used names.
///
/// It has two generations. A name that is used is added to the young generation. When the young generation is full, it
/// becomes the old generation, and the previous old generation is discarded. For example, with a limit of 10,000, the
/// cache always contains the last 10,000 names that were used, and at most 20,000 names.
package struct NameMemory<Name: Hashable, Value> {
  private var young: [Name: Value] = [:]
  private var old: [Name: Value] = [:]
  private let limit: Int

  /// Creates a cache.
  ///
  /// - Parameter limit: The maximum number of names per generation.
  package init(limit: Int = 10_000) { self.limit = limit }

  /// The number of cached names.
  package var count: Int { young.count + old.count }

  /// Returns the value of a name if it is cached, and marks the name as used.
  package mutating func value(_ name: Name) -> Value? {
    if let value = young[name] { return value }
    guard let value = old.removeValue(forKey: name) else { return nil }
    insert(name, value)
    return value
  }

  /// Returns the value of a name if it is cached, without marking the name as used.
  package func peek(_ name: Name) -> Value? { young[name] ?? old[name] }

  /// Adds a name's value to the cache.
  package mutating func set(_ name: Name, _ value: Value) {
    if !old.isEmpty { old[name] = nil }
    insert(name, value)
  }

  private mutating func insert(_ name: Name, _ value: Value) {
    if young.count >= limit, young[name] == nil { (old, young) = (young, [:]) }
    young[name] = value
  }
}
