/// A store that keeps saved lists beside its events: pages that may be gone at any time, and then are a miss.
///
/// What is saved is told by a name and by a fingerprint of all that the list depends on.
package protocol CacheStore: EventStore {
  /// The list that was saved under a name and a fingerprint, nil if there is none or it is not as it was written.
  func cache(named name: String, fingerprint: String) throws -> SavedList?

  /// A page of a cache, nil if there is none or it is not as it was written.
  func page(_ page: Int, ofCache cache: Int) throws -> [UInt8]?

  /// How many bytes all pages of all caches have at most: a list that says that it has more elements is not read.
  func cacheBytes() throws -> Int

  /// Begins a cache that nobody sees before a list is saved in it.
  ///
  /// - Parameters:
  ///   - name: The name of the cache.
  ///   - fingerprint: All that its list depends on.
  ///   - rewrites: How often the log had been rewritten when the list was made.
  /// - Returns: The cache's number, never used before; nil if the log was rewritten since, so that the list may not be saved.
  /// - Throws: ``EventStoreError``.
  func makeCache(named name: String, fingerprint: String, rewrites: Int) throws -> Int?

  /// True if an erasure could take a value out of an event that the log has now.
  func hasPersonalFields() throws -> Bool

  /// Adds pages to a cache that nobody sees yet; to one that was deleted, nothing.
  func add(_ pages: [SavedPage], toCache cache: Int) throws

  /// Saves a list, in one transaction.
  ///
  /// - Parameters:
  ///   - list: The list, in the place of the one that its cache had, or, in a cache that nobody sees yet, of all caches of its
  ///     name and fingerprint.
  ///   - pages: Pages to add.
  ///   - freed: Pages to take away.
  /// - Returns: False if another list was saved in the cache meanwhile; nothing was saved then.
  /// - Throws: ``EventStoreError``, and then nothing was saved.
  func save(_ list: SavedList, adding pages: [SavedPage], removing freed: [Int]) throws -> Bool

  /// Deletes the caches of a name, or all of them.
  func deleteCaches(named name: String?) throws
}

extension CacheStore {
  /// More than a list in memory can have.
  package func cacheBytes() -> Int { 1 << 40 }
}

/// A page of a cache.
package struct SavedPage: Hashable, Sendable {
  package let number: Int
  package let bytes: [UInt8]

  package init(number: Int, bytes: [UInt8]) { (self.number, self.bytes) = (number, bytes) }
}

/// A list that was saved.
package struct SavedList: Hashable, Sendable {
  /// The number of its cache.
  package let cache: Int
  /// How often a list was saved in the cache, this time counted.
  package let generation: Int
  /// The position that the list shows.
  package let position: Position
  /// Where its trees are, and all that is not in trees.
  package let root: [UInt8]

  package init(cache: Int, generation: Int, position: Position, root: [UInt8]) {
    (self.cache, self.generation, self.position, self.root) = (cache, generation, position, root)
  }
}

extension EventStore {
  /// Deletes what controllers saved of their lists under a name; they then are made from the events again.
  ///
  /// Nothing is lost: a cache holds nothing that the events do not say. A controller that shows a saved list goes on to do so.
  ///
  /// - Parameter name: The name of the caches; nil for all.
  /// - Throws: ``EventStoreError``. A store that keeps no caches has none to delete.
  public func deleteCache(withName name: String?) throws {
    try (self as? any CacheStore)?.deleteCaches(named: name)
  }
}
