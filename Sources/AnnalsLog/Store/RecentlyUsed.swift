/// A dictionary that can remove its least recently used value.
///
/// The values form a linked list in the order of their last use, with array indices as links, so every operation takes
/// constant time. An earlier version sorted a thousand values by their last use, which caused an occasional pause of
/// 0.2 ms (the benchmark `command-tail` in Docs/Evidence/Benchmarks.md).
struct RecentlyUsed<Key: Hashable, Value> {
  private var places: [Key: Int] = [:]
  /// The elements by place, or `nil` for free places.
  private var held: [(key: Key, value: Value)?] = []
  // The neighbors of every place in the list. They are stored apart from the values, so changing them doesn't copy
  // values.
  private var older: [Int?] = []
  private var newer: [Int?] = []
  private var free: [Int] = []
  private var oldest: Int?
  private var newest: Int?

  var count: Int { places.count }
  var keys: some Collection<Key> { places.keys }

  /// The elements, in no particular order.
  var elements: some Sequence<(key: Key, value: Value)> { held.lazy.compactMap { $0 } }

  /// The value of a key.
  ///
  /// Reading it doesn't count as a use.
  subscript(key: Key) -> Value? { places[key].flatMap { held[$0]?.value } }

  /// Sets a key's value, and marks it as the most recently used value.
  ///
  /// - Returns: The former value.
  @discardableResult
  mutating func set(_ value: Value, of key: Key) -> Value? {
    if let place = places[key] {
      let former = held[place]?.value
      held[place]?.value = value
      use(at: place)
      return former
    }
    let place = free.popLast() ?? held.count
    if place < held.count {
      held[place] = (key, value)
    } else {
      held.append((key, value))
      older.append(nil)
      newer.append(nil)
    }
    places[key] = place
    link(place)
    return nil
  }

  /// Marks a key's value as used.
  mutating func use(_ key: Key) {
    if let place = places[key] { use(at: place) }
  }

  private mutating func use(at place: Int) {
    if place == newest { return }
    unlink(place)
    link(place)
  }

  /// Changes a key's value in place, which doesn't count as a use.
  mutating func change(_ key: Key, _ body: (inout Value) -> Void) {
    guard let place = places[key], var known = held[place] else { return }
    body(&known.value)
    held[place] = known
  }

  /// Removes a key.
  ///
  /// - Returns: The former value.
  @discardableResult
  mutating func removeValue(of key: Key) -> Value? {
    guard let place = places.removeValue(forKey: key) else { return nil }
    unlink(place)
    free.append(place)
    defer { held[place] = nil }
    return held[place]?.value
  }

  /// Removes and returns the least recently used value, or `nil` if the dictionary is empty.
  mutating func removeOldest() -> Value? {
    guard let oldest, let key = held[oldest]?.key else { return nil }
    return removeValue(of: key)
  }

  /// Inserts a place as the most recently used place.
  private mutating func link(_ place: Int) {
    older[place] = newest
    newer[place] = nil
    if let newest { newer[newest] = place } else { oldest = place }
    newest = place
  }

  private mutating func unlink(_ place: Int) {
    let (before, after) = (older[place], newer[place])
    if let before { newer[before] = after } else { oldest = after }
    if let after { older[after] = before } else { newest = before }
  }
}
