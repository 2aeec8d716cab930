/// A store for saved lists, so that a program can read its lists at the start instead of rebuilding them from the
/// events.
///
/// This is a capability of an ``EventStore``, available through ``EventStore/savedLists``. A
/// `FetchedResultsController` with a cache name uses this capability. You can delete saved lists at any time, because
/// the events contain all data.
///
/// A saved list is identified by a name and a fingerprint. The fingerprint is a string that changes with everything
/// that the list depends on, except for the events. The store keeps the list as numbered pages in a numbered cache. A
/// cache contains one list at a time. When a newer state of the list is saved, it replaces the older state. Readers
/// validate the pages, so the store is allowed to return a damaged page.
public protocol SavedListStore: Sendable {
  /// Returns the list that was saved under a name and a fingerprint.
  ///
  /// - Parameters:
  ///   - name: The list's name.
  ///   - fingerprint: The list's fingerprint: a string that changes with everything that the list depends on, except
  ///     for the events.
  /// - Returns: The list, or `nil` if it doesn't exist or is damaged.
  /// - Throws: ``EventStoreError``.
  func list(named name: String, fingerprint: String) throws -> SavedList?

  /// Returns a page of a cache.
  ///
  /// - Parameters:
  ///   - page: The page's number.
  ///   - cache: The cache's number.
  /// - Returns: The page, or `nil` if it doesn't exist or is damaged.
  /// - Throws: ``EventStoreError``.
  func page(_ page: Int, ofCache cache: Int) throws -> [UInt8]?

  /// Returns an upper bound for the number of bytes of all pages in all caches.
  ///
  /// If a saved list claims to have more elements than this number of bytes, the list must be damaged, so it isn't
  /// read. The default is larger than any list in memory.
  ///
  /// - Returns: The upper bound, in bytes.
  /// - Throws: ``EventStoreError``.
  func byteLimit() throws -> Int

  /// Creates an empty cache, which ``list(named:fingerprint:)`` ignores until a list is saved in it.
  ///
  /// - Parameters:
  ///   - name: The name of the list to save.
  ///   - fingerprint: The list's fingerprint: a string that changes with everything that the list depends on, except
  ///     for the events.
  ///   - revision: The log's revision that the list is based on.
  /// - Returns: The cache's unique number. The result is `nil` if the log has a different revision now, because the
  ///   list must not be saved in that case.
  /// - Throws: ``EventStoreError``.
  func makeCache(named name: String, fingerprint: String, revision: LogRevision) throws -> Int?

  /// Adds pages to a cache that doesn't contain a list yet.
  ///
  /// If the cache was deleted, the call has no effect.
  ///
  /// - Parameters:
  ///   - pages: The pages to add.
  ///   - cache: The cache's number.
  /// - Throws: ``EventStoreError``.
  func add(_ pages: [SavedPage], toCache cache: Int) throws

  /// Saves a list, in one transaction.
  ///
  /// - Parameters:
  ///   - list: The list, which replaces the previous list of its cache. The first list of a cache also replaces the
  ///     lists of all other caches with the same name and fingerprint. Keep the pages of the replaced lists for a
  ///     while, because another program might still show these lists. Without the pages, that program must rebuild its
  ///     list from all events.
  ///   - pages: The pages to add.
  ///   - freed: The numbers of the cache's pages to remove.
  /// - Returns: False if another list was saved in the cache in the meantime, or if the cache was deleted. For the
  ///   first list of a cache, the result is also false if a newer list was saved since the cache was created. A newer
  ///   list has the same name, the same fingerprint and a later position. In these cases the list isn't saved.
  /// - Throws: ``EventStoreError``. In that case the list isn't saved.
  func save(_ list: SavedList, adding pages: [SavedPage], removing freed: [Int]) throws -> Bool

  /// Deletes the lists with a name.
  ///
  /// - Parameter name: The lists' name, or `nil` to delete all lists.
  /// - Throws: ``EventStoreError``.
  func deleteLists(named name: String?) throws
}

extension SavedListStore {
  /// Returns 2 to the power of 40, the default upper bound for the number of bytes of all pages.
  ///
  /// A saved list that claims to have more elements than this number must be damaged, so it isn't read. The number is
  /// larger than the number of bytes of any list in memory.
  public func byteLimit() -> Int { 1 << 40 }
}

/// A part of a saved list's data, stored as a numbered page in a cache of a `SavedListStore`.
public struct SavedPage: Hashable, Sendable {
  /// The page's number in its cache.
  public let number: Int
  /// The page's content.
  public let bytes: [UInt8]

  /// Creates a page.
  ///
  /// - Parameters:
  ///   - number: The page's number in its cache.
  ///   - bytes: The page's content.
  public init(number: Int, bytes: [UInt8]) {
    self.number = number
    self.bytes = bytes
  }
}

/// A saved list, except for the pages that a `SavedListStore` keeps in the list's cache.
public struct SavedList: Hashable, Sendable {
  /// The number that identifies the list's cache.
  public let cache: Int
  /// The number of times that the cache's list was saved, including this time.
  ///
  /// If the number isn't one higher than the cache's last number, another list was saved in the cache in the meantime.
  /// The store then doesn't save the list.
  public let generation: Int
  /// The position through which the log's events were applied to the list.
  public let position: Position
  /// The locations of the list's B-trees in the cache's pages, and all data of the list outside these trees.
  public let root: [UInt8]

  /// Creates a list to save.
  ///
  /// - Parameters:
  ///   - cache: The number that identifies the list's cache.
  ///   - generation: The number of times that the cache's list was saved, including this time.
  ///   - position: The position through which the log's events were applied to the list.
  ///   - root: The locations of the list's B-trees in the cache's pages, and all data of the list outside these trees.
  public init(cache: Int, generation: Int, position: Position, root: [UInt8]) {
    self.cache = cache
    self.generation = generation
    self.position = position
    self.root = root
  }
}

/// A store that can update and save lists in the transaction of every append.
///
/// This is a capability of an ``EventStore``, available through ``EventStore/inlineLists``.
/// `EventStore.keepList(of:request:cacheName:)` requires this capability.
public protocol InlineListStore: Sendable {
  /// Keeps a list up to date by calling an `InlineListMember` in every transaction, until the member is released.
  ///
  /// The store keeps a weak reference to the member. The store calls `InlineListMember.fold(_:saving:)` once during
  /// this call, and later in the transaction of every append, erasure and compaction, before the commit. If saving a
  /// list can't fail in your store, your store may instead call `fold` after the commit, but before the append returns.
  ///
  /// A store that wraps another store might convert events, for example encrypt them. Such a wrapper adds its own
  /// member to the inner store, and keeps a strong reference to its own member. The wrapper's member keeps a weak
  /// reference to the original member, and converts the events before it calls the original member.
  ///
  /// - Parameter member: The object that updates the list.
  /// - Throws: ``EventStoreError``, or the error that the member throws.
  func add(_ member: any InlineListMember) throws
}

/// An object that updates a list in the transaction of every append.
public protocol InlineListMember: AnyObject, Sendable {
  /// Applies a transaction's new events to the list, and saves the list in the same transaction.
  ///
  /// - Parameters:
  ///   - log: The log as seen inside the transaction, including the new events.
  ///   - lists: The store that saves lists as a part of the transaction.
  /// - Throws: The error that prevents the list from being saved. The store then rolls the transaction back.
  func fold(_ log: any EventLog, saving lists: any SavedListStore) throws

  /// Receives the outcome of the transaction in which the list was updated.
  ///
  /// - Parameter isCommitted: True if the transaction was committed, or false if it was rolled back.
  func settle(isCommitted: Bool)
}

extension EventStore {
  /// Deletes the saved lists with a cache name.
  ///
  /// Controllers must then rebuild these lists from the events. No data is lost, because a saved list contains only
  /// data from the events. A controller that currently shows a saved list isn't affected.
  ///
  /// - Parameter name: The cache name of the lists, or `nil` to delete all saved lists.
  /// - Throws: ``EventStoreError`` (`.unsupported`) if the store doesn't save lists.
  public func deleteCache(withName name: String?) throws {
    guard let savedLists else { throw EventStoreError.unsupported("saved lists", by: Self.self) }
    try savedLists.deleteLists(named: name)
  }
}
