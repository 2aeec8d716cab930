/// A dictionary that knows which of its values was not used for longest.
///
/// The values are in a list by their last use, whose links are numbers. So each step costs the same, however many there
/// are: to sort a thousand by their last use, once in a while, was a stop of 0.2 ms (the `command-tail` of
/// Docs/Benchmarks.md).
struct RecentlyUsed<Key: Hashable, Value> {
  private var places: [Key: Int] = [:]
  /// By place; nil where there is none now.
  private var held: [(key: Key, value: Value)?] = []
  // The places beside each one in the list. They lie apart from the values, which are not copied for them.
  private var older: [Int?] = []
  private var newer: [Int?] = []
  private var free: [Int] = []
  private var oldest: Int?
  private var newest: Int?

  var count: Int { places.count }
  var keys: some Collection<Key> { places.keys }

  /// The elements, in no order.
  var elements: some Sequence<(key: Key, value: Value)> { held.lazy.compactMap { $0 } }

  /// The value of a key; to look at it is no use of it.
  subscript(key: Key) -> Value? { places[key].flatMap { held[$0]?.value } }

  /// Gives a key its value, which counts as used last.
  ///
  /// - Returns: The value that it had.
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

  /// Takes note that a key's value is used.
  mutating func use(_ key: Key) {
    if let place = places[key] { use(at: place) }
  }

  private mutating func use(at place: Int) {
    if place == newest { return }
    unlink(place)
    link(place)
  }

  /// Changes a key's value where it lies; that is no use of it.
  mutating func change(_ key: Key, _ body: (inout Value) -> Void) {
    guard let place = places[key], var known = held[place] else { return }
    body(&known.value)
    held[place] = known
  }

  /// Removes a key.
  ///
  /// - Returns: The value that it had.
  @discardableResult
  mutating func removeValue(of key: Key) -> Value? {
    guard let place = places.removeValue(forKey: key) else { return nil }
    unlink(place)
    free.append(place)
    defer { held[place] = nil }
    return held[place]?.value
  }

  /// Removes what was not used for longest; nil if there is nothing.
  mutating func removeOldest() -> Value? {
    guard let oldest, let key = held[oldest]?.key else { return nil }
    return removeValue(of: key)
  }

  /// Puts a place at the end of those used last.
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
