import Synchronization

/// Values that are made once for each key, and kept as long as the process runs.
final class MadeOnce<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let made = Mutex<[Key: Value]>([:])
  private let make: @Sendable (Key) -> Value

  /// - Parameter make: Makes the value of a key; others wait meanwhile, so that it must not ask for another one here.
  init(_ make: @escaping @Sendable (Key) -> Value) { self.make = make }

  /// The value of a key.
  subscript(key: Key) -> Value {
    made.withLock { made in
      if let value = made[key] { return value }
      let value = make(key)
      made[key] = value
      return value
    }
  }
}
