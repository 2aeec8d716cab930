/// Remembers what names stand for: not all, but what was used last.
///
/// There are two generations. What is used goes into the young one. When that is full it becomes the old one, and the
/// previous old one is forgotten. With a limit of 10,000, for example, the last 10,000 names used are remembered for
/// certain, and 20,000 at most.
package struct NameMemory<Name: Hashable, Value> {
  private var young: [Name: Value] = [:]
  private var old: [Name: Value] = [:]
  private let limit: Int

  /// - Parameter limit: How many a generation has at most.
  package init(limit: Int = 10_000) { self.limit = limit }

  /// How many are remembered.
  package var count: Int { young.count + old.count }

  /// What a name stands for, if it is remembered; it counts as used.
  package mutating func value(_ name: Name) -> Value? {
    if let value = young[name] { return value }
    guard let value = old.removeValue(forKey: name) else { return nil }
    insert(name, value)
    return value
  }

  /// What a name stands for, if it is remembered.
  package func peek(_ name: Name) -> Value? { young[name] ?? old[name] }

  /// Remembers what a name stands for.
  package mutating func set(_ name: Name, _ value: Value) {
    if !old.isEmpty { old[name] = nil }
    insert(name, value)
  }

  private mutating func insert(_ name: Name, _ value: Value) {
    if young.count >= limit, young[name] == nil { (old, young) = (young, [:]) }
    young[name] = value
  }
}
