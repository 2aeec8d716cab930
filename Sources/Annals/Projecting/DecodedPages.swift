import Foundation

/// Reads a stretch of a log page by page, with the events decoded.
///
/// A long stretch is read by another thread, some pages ahead of the one that is folded. Both decode: whoever has nothing else to do
/// takes the next page that nobody has taken. What comes is the same, in the same order, errors too.
final class DecodedPages<E: Event> {
  /// How many events a page has.
  private static var pageSize: Int { 512 }
  /// Stretches of so many events are worth a thread.
  private static var longStretch: Int { 4 * pageSize }

  private let policy: ReadingPolicy
  private var reader: RawPages
  /// The pages that another thread reads; nil if it is not worth one, and before it began.
  private var ahead: PagesAhead<E>?
  private let isLong: Bool

  init(_ store: any EventStore, after: Position, through: Position, _ policy: ReadingPolicy) {
    reader = RawPages(store, after: after, through: through, pageSize: Self.pageSize)
    self.policy = policy
    let isPaged = store is any PagedEventStore
    isLong =
      isPaged && through.rawValue - after.rawValue >= Self.longStretch
      && ProcessInfo.processInfo.activeProcessorCount > 1
  }

  deinit { ahead?.stop() }

  /// The next page, nil at the end.
  func next(with coder: inout EventCoder<E>) throws -> DecodedPage<E>? {
    guard isLong else { return try reader.next()?.decoded(with: &coder, policy) }
    if ahead == nil { ahead = PagesAhead(reader, policy) }
    return try ahead?.next(with: &coder)
  }

  /// Lets go of what was read ahead, and waits until nobody uses the store any more.
  func stop() {
    ahead?.stop()
  }
}

/// A page before it is decoded.
enum RawPage: Sendable {
  case page(EventPage)
  case stored([StoredEvent])

  func decoded<E: Event>(with coder: inout EventCoder<E>, _ policy: ReadingPolicy) -> DecodedPage<E> {
    switch self {
    case .page(let page): DecodedPage(page, with: &coder, policy)
    case .stored(let events): DecodedPage(events, with: &coder, policy)
    }
  }
}

/// Reads one page after the other.
struct RawPages: Sendable {
  private let store: any EventStore
  private var after: Position
  private let through: Position
  private let pageSize: Int

  init(_ store: any EventStore, after: Position, through: Position, pageSize: Int) {
    (self.store, self.after, self.through, self.pageSize) = (store, after, through, pageSize)
  }

  /// The next page; nil at the end.
  mutating func next() throws -> RawPage? {
    guard after < through else { return nil }
    guard let paged = store as? any PagedEventStore else {
      let events = try store.events(.all, after: after, through: through, limit: pageSize)
      guard let last = events.last else { return nil }
      after = events.count < pageSize ? through : last.position
      return .stored(events)
    }
    let page = try paged.page(after: after, through: through, limit: pageSize)
    guard let last = page.rows.last else { return nil }
    after = Position(last.position)
    return .page(page)
  }
}
