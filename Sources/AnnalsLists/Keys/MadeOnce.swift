import Synchronization

/// A cache of values that are created once per key and kept as long as the process runs.
final class MadeOnce<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let made = Mutex<[Key: Value]>([:])
  private let make: @Sendable (Key) -> Value

  /// Creates an empty cache.
  ///
  /// - Parameter make: A closure that creates the value of a key. Other threads wait until the closure returns, and the
  ///   closure must not access this cache.
  init(_ make: @escaping @Sendable (Key) -> Value) { self.make = make }

  /// Accesses the value of a key, and creates it if needed.
  subscript(key: Key) -> Value {
    made.withLock { made in
      if let value = made[key] { return value }
      let value = make(key)
      made[key] = value
      return value
    }
  }
}
