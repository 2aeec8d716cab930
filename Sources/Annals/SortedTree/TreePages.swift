import Synchronization

/// The pages of a cache, and what is known of their state.
final class TreePages: Sendable {
  /// The number of the cache.
  let cache: Int
  private let store: any CacheStore
  private let damage = Mutex<String?>(nil)
  private let reads = Atomic<Int>(0)

  init(cache: Int, in store: any CacheStore) { (self.cache, self.store) = (cache, store) }

  /// The bytes of a page.
  func bytes(of page: Int) throws -> [UInt8] {
    reads.wrappingAdd(1, ordering: .relaxed)
    guard let bytes = try store.page(page, ofCache: cache) else {
      throw PageError("page \(page) of cache \(cache) is not there, or not as it was written")
    }
    return bytes
  }

  /// How many pages were read so far.
  var readCount: Int { reads.load(ordering: .relaxed) }

  /// Notes that a page could not be read: the cache is not to be added to.
  func noteDamage(_ error: any Error) { damage.withLock { $0 = $0 ?? "\(error)" } }

  /// What is wrong with the cache; nil if nothing was found.
  var whatIsWrong: String? { damage.withLock { $0 } }
}
