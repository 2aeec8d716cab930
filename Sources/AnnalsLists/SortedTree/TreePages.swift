import AnnalsLog
import Synchronization

/// The saved pages of a list, stored in a cache, with the known state of these pages.
package final class TreePages: Sendable {
  private struct State {
    var damage: String?
    var loss: String?
    var onLoss: (@Sendable () -> Void)?
    var onRead: (@Sendable () -> Void)?
  }

  /// The number of the cache.
  package let cache: Int
  /// A number that distinguishes these pages from all other `TreePages` of the process.
  ///
  /// The cache's number is not sufficient. If the transaction that created a cache is rolled back, the cache's number
  /// is reused.
  package let number = nextNumber.wrappingAdd(1, ordering: .relaxed).newValue
  /// The number of the next page, which is greater than the number of any existing page.
  let nextPage: Int
  /// The maximum number of elements that a tree can have, given the size of the storage of its pages.
  let most: Int
  private let read: @Sendable (_ page: Int) throws -> [UInt8]?
  private let state = Mutex(State())
  private let lost = Atomic(false)
  private let reads = Atomic<Int>(0)
  /// The number of read pages at which the registered closure is called.
  private let awaited = Atomic<Int>(.max)
  private let allRead = Atomic(false)

  package init(
    cache: Int, nextPage: Int = .max, most: Int = .max, read: @escaping @Sendable (_ page: Int) throws -> [UInt8]?
  ) {
    self.cache = cache
    self.nextPage = nextPage
    self.most = most
    self.read = read
  }

  /// Returns the bytes of a page, after checking that they are the bytes that were written.
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

  /// The number of pages that were read so far.
  package var readCount: Int { reads.load(ordering: .relaxed) }

  /// Registers a closure that is called once after the given number of further pages has been read.
  ///
  /// The closure is called on the reading thread, during the read.
  package func onRead(_ count: Int, _ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.onRead = body }
    let (awaited, isTooMuch) = readCount.addingReportingOverflow(count)
    self.awaited.store(isTooMuch ? .max : awaited, ordering: .relaxed)
  }

  /// Records that all pages of the current list have been read and are in memory.
  package func noteAllRead() { allRead.store(true, ordering: .releasing) }

  /// True if no part of the list remains to be read.
  package var isAllRead: Bool { allRead.load(ordering: .acquiring) }

  /// Records that a page could not be read.
  ///
  /// Afterwards, no further pages may be added to the cache.
  func noteDamage(_ error: any Error) {
    state.withLock { if $0.damage == nil { $0.damage = described(error) } }
  }

  /// Records that a part of the list can be neither read nor rebuilt, or contradicts another part.
  ///
  /// Afterwards, results from the list must be neither shown nor saved. The closure that is registered for the loss is
  /// called once.
  package func lose(_ error: any Error) {
    let told = state.withLock { state in
      if state.loss == nil { state.loss = described(error) }
      lost.store(true, ordering: .releasing)
      defer { state.onLoss = nil }
      return state.onLoss
    }
    told?()
  }

  /// True once a part of the list was lost.
  package var isLost: Bool { lost.load(ordering: .acquiring) }

  /// Registers a closure that is called when a part of the list is lost.
  ///
  /// The closure is called on the thread that detects the loss, during the read.
  package func onLoss(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onLoss = body } }

  /// Throws if a part of the list was lost.
  package func checkIsWhole() throws {
    guard isLost else { return }
    throw PageError(whatIsWrong ?? "a part of the saved list can't be read or rebuilt")
  }

  /// A description of the cache's damage, or `nil` if no damage was found.
  package var whatIsWrong: String? {
    state.withLock { state in
      guard let loss = state.loss else { return state.damage }
      guard let damage = state.damage, damage != loss else { return loss }
      return "\(damage). The damaged part can't be rebuilt: \(loss)"
    }
  }
}

private let nextNumber = Atomic<UInt64>(0)
