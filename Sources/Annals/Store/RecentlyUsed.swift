/// A dictionary that knows which of its values was not used for longest.
///
/// The values are in a list by their last use, whose links are numbers. So each step costs the same, however many there
/// are: to sort a thousand by their last use, once in a while, was a stop of 0.2 ms (the `command-tail` of
/// Docs/Benchmarks.md).
struct RecentlyUsed<Key: Hashable, Value> {
  private struct Slot {
    let key: Key
    var value: Value
    /// The slots beside it in the list.
    var older: Int?
    var newer: Int?
  }

  private var places: [Key: Int] = [:]
  /// Nil where there is none now.
  private var slots: [Slot?] = []
  private var free: [Int] = []
  private var oldest: Int?
  private var newest: Int?

  var count: Int { places.count }
  var keys: some Collection<Key> { places.keys }

  /// The elements, in no order.
  var elements: some Sequence<(key: Key, value: Value)> {
    slots.lazy.compactMap { slot in slot.map { (key: $0.key, value: $0.value) } }
  }

  /// The value of a key; to look at it is no use of it.
  subscript(key: Key) -> Value? { places[key].flatMap { slots[$0]?.value } }

  /// Gives a key its value, which counts as used last.
  ///
  /// - Returns: The value that it had.
  @discardableResult
  mutating func set(_ value: Value, of key: Key) -> Value? {
    let former = removeValue(of: key)
    let slot = Slot(key: key, value: value)
    let place = free.popLast() ?? slots.count
    if place < slots.count { slots[place] = slot } else { slots.append(slot) }
    places[key] = place
    link(place)
    return former
  }

  /// Takes note that a key's value is used.
  mutating func use(_ key: Key) {
    guard let place = places[key], place != newest else { return }
    unlink(place)
    link(place)
  }

  /// Changes a key's value where it lies; that is no use of it.
  mutating func change(_ key: Key, _ body: (inout Value) -> Void) {
    guard let place = places[key], var slot = slots[place] else { return }
    body(&slot.value)
    slots[place] = slot
  }

  /// Removes a key.
  ///
  /// - Returns: The value that it had.
  @discardableResult
  mutating func removeValue(of key: Key) -> Value? {
    guard let place = places.removeValue(forKey: key) else { return nil }
    unlink(place)
    defer { slots[place] = nil }
    free.append(place)
    return slots[place]?.value
  }

  /// Removes what was not used for longest; nil if there is nothing.
  mutating func removeOldest() -> Value? {
    guard let oldest, let key = slots[oldest]?.key else { return nil }
    return removeValue(of: key)
  }

  /// Puts a slot at the end of those used last.
  private mutating func link(_ place: Int) {
    slots[place]?.older = newest
    slots[place]?.newer = nil
    if let newest { slots[newest]?.newer = place } else { oldest = place }
    newest = place
  }

  private mutating func unlink(_ place: Int) {
    let (older, newer) = (slots[place]?.older, slots[place]?.newer)
    if let older { slots[older]?.newer = newer } else { oldest = newer }
    if let newer { slots[newer]?.older = older } else { newest = older }
  }
}
