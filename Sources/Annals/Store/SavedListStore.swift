/// Keeps lists beside the events of a store, as pages that may be gone at any time: the events say the same.
///
/// A capability of an ``EventStore``: see ``EventStore/savedLists``. A controller with a cache name makes use of it.
///
/// What is saved is found by a name and by a fingerprint of everything that the list depends on. A cache is a place for
/// one list and those that follow it. It has a number, and holds pages by their numbers. Readers check the pages, so
/// the store may also answer a page that is not as it was written.
public protocol SavedListStore: Sendable {
  /// The list that was saved under a name and a fingerprint.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - fingerprint: Everything that the list depends on.
  /// - Returns: The list; nil if there is none, or if it is not as it was written.
  /// - Throws: ``EventStoreError``.
  func list(named name: String, fingerprint: String) throws -> SavedList?

  /// A page of a cache.
  ///
  /// - Parameters:
  ///   - page: The page's number.
  ///   - cache: The cache's number.
  /// - Returns: The page; nil if there is none, or if it is not as it was written.
  /// - Throws: ``EventStoreError``.
  func page(_ page: Int, ofCache cache: Int) throws -> [UInt8]?

  /// The number of bytes that all pages of all caches have at most.
  ///
  /// A list that says that it has more elements than bytes is not read. By default more than a list in memory can have.
  ///
  /// - Returns: The number.
  /// - Throws: ``EventStoreError``.
  func byteLimit() throws -> Int

  /// Makes an empty cache, which is not found before a list is saved in it.
  ///
  /// - Parameters:
  ///   - name: The name of the list that is going to be saved.
  ///   - fingerprint: Everything that the list depends on.
  ///   - revision: The revision of the log that the list was made from.
  /// - Returns: The cache's number, never used before; nil if the log has another revision by now, so that the list may
  ///   not be saved.
  /// - Throws: ``EventStoreError``.
  func makeCache(named name: String, fingerprint: String, revision: LogRevision) throws -> Int?

  /// Adds pages to a cache that has no list yet; nothing to one that was deleted.
  ///
  /// - Parameters:
  ///   - pages: The pages.
  ///   - cache: The cache's number.
  /// - Throws: ``EventStoreError``.
  func add(_ pages: [SavedPage], toCache cache: Int) throws

  /// Saves a list, in one transaction.
  ///
  /// - Parameters:
  ///   - list: The list. It takes the place of the one that its cache had; in a cache without one, of all caches with
  ///     the same name and fingerprint. Keep the pages of these for a while: another program may show their list, and
  ///     makes pages that are gone again from all events.
  ///   - pages: Pages to add.
  ///   - freed: Pages to remove.
  /// - Returns: False if another list was saved in the cache meanwhile, or if the cache is gone; nothing was saved
  ///   then. False too if the list is the first of its cache, and a list with a later position was saved under the same
  ///   name and fingerprint since the cache was made: what is newer stays.
  /// - Throws: ``EventStoreError``, and then nothing was saved.
  func save(_ list: SavedList, adding pages: [SavedPage], removing freed: [Int]) throws -> Bool

  /// Deletes the lists of a name.
  ///
  /// - Parameter name: The name; nil for all lists.
  /// - Throws: ``EventStoreError``.
  func deleteLists(named name: String?) throws
}

extension SavedListStore {
  /// More than a list in memory can have.
  public func byteLimit() -> Int { 1 << 40 }
}

/// A page of a cache.
public struct SavedPage: Hashable, Sendable {
  /// The page's number in its cache.
  public let number: Int
  /// What it holds.
  public let bytes: [UInt8]

  /// Creates a page.
  ///
  /// - Parameters:
  ///   - number: The page's number in its cache.
  ///   - bytes: What it holds.
  public init(number: Int, bytes: [UInt8]) { (self.number, self.bytes) = (number, bytes) }
}

/// A list that was saved.
public struct SavedList: Hashable, Sendable {
  /// The number of its cache.
  public let cache: Int
  /// How often a list was saved in the cache, this time included.
  public let generation: Int
  /// The position that the list shows.
  public let position: Position
  /// Where its trees are, and all that is not in trees.
  public let root: [UInt8]

  /// Creates a list to be saved.
  ///
  /// - Parameters:
  ///   - cache: The number of its cache.
  ///   - generation: How often a list was saved in the cache, this time included.
  ///   - position: The position that the list shows.
  ///   - root: Where its trees are, and all that is not in trees.
  public init(cache: Int, generation: Int, position: Position, root: [UInt8]) {
    (self.cache, self.generation, self.position, self.root) = (cache, generation, position, root)
  }
}

/// Keeps lists up to date in the transaction of each append.
///
/// A capability of an ``EventStore``: see ``EventStore/inlineLists``. ``EventStore/keepList(of:request:cacheName:)``
/// needs it.
public protocol InlineListStore: Sendable {
  /// Begins to keep a list up to date, for as long as its member is held.
  ///
  /// The store holds the member weakly. It calls ``InlineListMember/fold(_:saving:)`` once now, and then in the
  /// transaction of each append, erasure and compaction, before that is committed.
  /// A store in which a list cannot fail to be saved may call it after the commit, before the append returns.
  ///
  /// A store that wraps another, and keeps events in another form there, hands on a member of its own. That one holds
  /// yours weakly, and the wrapper holds it.
  ///
  /// - Parameter member: What keeps the list up to date.
  /// - Throws: ``EventStoreError``, and what the member throws.
  func add(_ member: any InlineListMember) throws
}

/// What keeps a list up to date in the transaction of each append.
public protocol InlineListMember: AnyObject, Sendable {
  /// Folds what a transaction appended, and saves the list in the transaction.
  ///
  /// - Parameters:
  ///   - log: The log as the transaction sees it.
  ///   - lists: Saves lists in the transaction.
  /// - Throws: What keeps the list from being saved. The store then gives the transaction up.
  func fold(_ log: any EventLog, saving lists: any SavedListStore) throws

  /// Learns what became of the transaction.
  ///
  /// - Parameter isCommitted: False if it was given up.
  func settle(isCommitted: Bool)
}

extension EventStore {
  /// Deletes what controllers saved of their lists under a name; the lists then are made from the events again.
  ///
  /// Nothing is lost: a saved list holds nothing that the events do not say. A controller that shows a saved list keeps
  /// showing it.
  ///
  /// - Parameter name: The name of the lists; nil for all.
  /// - Throws: ``EventStoreError``, with the code `unsupported` if the store keeps no lists.
  public func deleteCache(withName name: String?) throws {
    guard let savedLists else { throw EventStoreError.unsupported("saved lists", by: Self.self) }
    try savedLists.deleteLists(named: name)
  }
}
