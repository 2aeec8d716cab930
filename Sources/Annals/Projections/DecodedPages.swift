import Dispatch
import Foundation
import Synchronization

/// Reads a stretch of a log page by page, with the events decoded.
///
/// A long stretch is read and decoded by another thread, two pages ahead of the one that is folded: both sides of a rebuild cost
/// about the same. What comes is the same, in the same order, errors too.
struct DecodedPages<P: Projection> {
  struct Page: Sendable {
    let source: EventPage
    let events: [DecodedEvent<P>]
  }

  /// How many events a page has.
  private static var pageSize: Int { 512 }
  /// Stretches of so many events are worth a thread.
  private static var longStretch: Int { 4 * pageSize }

  private let store: any PagedEventStore
  private let after: Position
  private let through: Position

  init(_ store: any PagedEventStore, after: Position, through: Position) {
    (self.store, self.after, self.through) = (store, after, through)
  }

  /// Hands over each page in order.
  func forEach(with coder: inout EventCoder<P.Event>, _ body: (Page) throws -> Void) throws {
    let count = through.rawValue - after.rawValue
    if count < Self.longStretch || ProcessInfo.processInfo.activeProcessorCount < 2 {
      var reader = Reader(store, after: after, through: through)
      while let page = try reader.next(with: &coder) { try body(page) }
      return
    }
    let ahead = Ahead()
    // A coder is not shared between threads.
    let (store, after, through) = (store, after, through)
    // A thread of its own: one of a pool might be one that all others of the pool wait for.
    let thread = Thread {
      defer { ahead.end() }
      do {
        var coder = try EventCoder<P.Event>()
        var reader = Reader(store, after: after, through: through)
        while let page = try reader.next(with: &coder) {
          guard ahead.put(.success(page)) else { return }
        }
        _ = ahead.put(.success(nil))
      } catch {
        _ = ahead.put(.failure(error))
      }
    }
    // As much room for nested payloads as a main thread has.
    thread.stackSize = 8 << 20
    thread.start()
    defer { ahead.stop() }
    while let page = try ahead.take().get() { try body(page) }
  }

  /// Reads one page after the other.
  private struct Reader {
    let store: any PagedEventStore
    var after: Position
    let through: Position

    init(_ store: any PagedEventStore, after: Position, through: Position) {
      (self.store, self.after, self.through) = (store, after, through)
    }

    /// The next page; nil at the end.
    mutating func next(with coder: inout EventCoder<P.Event>) throws -> Page? {
      guard after < through else { return nil }
      let source = try store.page(after: after, through: through, limit: pageSize)
      guard let last = source.rows.last else { return nil }
      after = source.rows.count < pageSize ? through : Position(last.position)
      let meanings = source.types.map { coder.meaning(of: $0) }
      let events = source.rows.map { row in
        source.withBytes(row.payload) { bytes in
          DecodedEvent<P>(meanings[row.type], type: source.types[row.type], bytes: bytes, with: coder)
        }
      }
      return Page(source: source, events: events)
    }
  }

  /// Pages that were read and are not folded yet.
  private final class Ahead: Sendable {
    private struct State {
      var pages: [Result<Page?, any Error>] = []
      var isStopped = false
    }

    private let state = Mutex(State())
    /// Counted from nothing: a semaphore must not end with less than it began with, and pages may be left when it ends.
    private let room = DispatchSemaphore(value: 0)
    private let ready = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    init() { for _ in 0..<2 { room.signal() } }

    /// Adds a page, and waits while two are there; false if nobody wants more.
    func put(_ page: Result<Page?, any Error>) -> Bool {
      room.wait()
      let isWanted = state.withLock { state in
        if !state.isStopped { state.pages.append(page) }
        return !state.isStopped
      }
      if isWanted { ready.signal() }
      return isWanted
    }

    /// The next page, once it is there.
    func take() -> Result<Page?, any Error> {
      ready.wait()
      let page = state.withLock { $0.pages.removeFirst() }
      room.signal()
      return page
    }

    /// Tells that the reader is done with the store.
    func end() { ended.signal() }

    /// Lets the reader end, which may be waiting for room, and waits until it has.
    func stop() {
      state.withLock { state in
        state.isStopped = true
        state.pages = []
      }
      room.signal()
      ended.wait()
    }
  }
}
