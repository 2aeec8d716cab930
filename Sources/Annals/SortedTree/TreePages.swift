import Synchronization

/// The pages of a cache, and what is known of their state.
final class TreePages: Sendable {
  private struct State {
    var damage: String?
    var loss: String?
    var onLoss: (@Sendable () -> Void)?
    var onRead: (@Sendable () -> Void)?
  }

  /// The number of the cache.
  let cache: Int
  /// What tells these pages from all others of the process: a cache's number is used again if the transaction that made
  /// it was given up.
  let number = nextNumber.wrappingAdd(1, ordering: .relaxed).newValue
  /// The number of the next page: all that there are have a smaller one.
  let nextPage: Int
  /// The largest number of elements that a tree can have, by the size of what its pages lie in.
  let most: Int
  private let read: @Sendable (_ page: Int) throws -> [UInt8]?
  private let state = Mutex(State())
  private let lost = Atomic(false)
  private let reads = Atomic<Int>(0)
  /// How many reads are awaited by those who asked for it.
  private let awaited = Atomic<Int>(.max)
  private let allRead = Atomic(false)

  init(cache: Int, nextPage: Int = .max, most: Int = .max, read: @escaping @Sendable (_ page: Int) throws -> [UInt8]?) {
    (self.cache, self.nextPage, self.most, self.read) = (cache, nextPage, most, read)
  }

  /// The bytes of a page, which are those that were written.
  func bytes(of page: Int, digest: UInt64) throws -> [UInt8] {
    let count = reads.wrappingAdd(1, ordering: .relaxed).newValue
    if count >= awaited.load(ordering: .relaxed) {
      awaited.store(.max, ordering: .relaxed)
      let body = state.withLock { state in
        defer { state.onRead = nil }
        return state.onRead
      }
      body?()
    }
    guard let bytes = try read(page), PageWriter.digest(bytes) == digest else {
      throw PageError("page \(page) of cache \(cache) is missing, or has changed since it was written")
    }
    return bytes
  }

  /// How many pages were read so far.
  var readCount: Int { reads.load(ordering: .relaxed) }

  /// Calls a closure, once, when so many more pages have been read: on the thread that reads, in the middle of a read.
  func onRead(_ count: Int, _ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.onRead = body }
    let (awaited, isTooMuch) = readCount.addingReportingOverflow(count)
    self.awaited.store(isTooMuch ? .max : awaited, ordering: .relaxed)
  }

  /// Notes that all pages of the list that is shown have been read, and are in memory.
  func noteAllRead() { allRead.store(true, ordering: .releasing) }

  /// True if nothing of the list has to be read any more.
  var isAllRead: Bool { allRead.load(ordering: .acquiring) }

  /// Notes that a page could not be read: the cache is not to be added to.
  func noteDamage(_ error: any Error) {
    state.withLock { if $0.damage == nil { $0.damage = "\(error)" } }
  }

  /// Notes that a part of the list can neither be read nor made again, or contradicts another: what is made of the list
  /// is not to be shown, or saved.
  ///
  /// Those who asked for it are notified, once.
  func lose(_ error: any Error) {
    let told = state.withLock { state in
      if state.loss == nil { state.loss = "\(error)" }
      lost.store(true, ordering: .releasing)
      defer { state.onLoss = nil }
      return state.onLoss
    }
    told?()
  }

  /// True once a part of the list was lost.
  var isLost: Bool { lost.load(ordering: .acquiring) }

  /// Calls a closure when a part of the list is lost: on the thread that found it out, in the middle of a read.
  func onLoss(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onLoss = body } }

  /// Throws if a part of the list was lost.
  func checkIsWhole() throws {
    guard isLost else { return }
    throw PageError(whatIsWrong ?? "a part of the list is lost")
  }

  /// What is wrong with the cache; nil if nothing was found.
  var whatIsWrong: String? {
    state.withLock { state in
      guard let loss = state.loss else { return state.damage }
      guard let damage = state.damage, damage != loss else { return loss }
      return "\(damage); it can't be rebuilt: \(loss)"
    }
  }
}

private let nextNumber = Atomic<UInt64>(0)
