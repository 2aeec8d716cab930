public import Annals
import AnnalsLog
public import Foundation
import Synchronization

/// The latest versions of a list, for the requests of a service.
///
/// A `FetchedResultsController` belongs to an isolation, such as an actor. The feed follows the controller. Any task
/// can read the feed without waiting for this isolation: the latest list, the list at a position, and the messages with
/// the changes between two versions.
///
///     let feed = ListFeed<Thing>()
///     // In an actor:
///     try await things.performFetch { _ in }
///     observation = feed.follow(things)
///     // In any task:
///     guard let list = feed.latest else { throw Problem(status: 503) }
///     let page = try ListPage(of: list, limit: 50)
///     for try await message in feed.messages(after: list) { print(message.json) }
///
/// Every new position is a new version, even if the list didn't change. So a client can detect that its own command is
/// in the list. The changes of a version are encoded once for all readers, as ``ListChanges``.
///
/// A position determines the list, except in these cases: an erasure removed personal values from the list, a
/// compaction changed the list, the controller's request was changed, or the controller shows the past. In these cases,
/// the readers of messages receive the changes, but ``list(at:)`` no longer returns earlier versions. A client without
/// a connection at that moment still has an earlier version of the list at the same position. The places in later
/// messages can be wrong for this version, so let such clients load the list from the start.
///
/// After an erasure, no message contains the erased values. A reader that is several versions behind receives one
/// message with all changes up to the latest version instead of the messages from before the erasure. For such readers,
/// the lists from before the erasure remain in the feed's memory until the feed forgets their versions.
public final class ListFeed<Row: Annals.Row>: Sendable {
  private struct State {
    var versions: FeedVersions<Row>
    var failure: (any Error)?
    var isClosed = false
  }

  private let state: Mutex<State>
  let encoder: JSONEncoder
  let wakes = FeedWakes()

  /// Creates a feed without a list.
  ///
  /// - Parameters:
  ///   - capacity: The minimum number of versions to remember, at least 1. The feed remembers less than twice this
  ///     number. Versions share their equal rows, so a version with one changed row needs little memory.
  ///   - byteLimit: The maximum size of all encoded messages in bytes, at least 1, by default 64 MiB. A version keeps
  ///     its message after the first reader needed the message. If the messages are larger, the feed forgets the oldest
  ///     versions, even if fewer than `capacity` versions remain. It never forgets the latest version.
  ///   - encoder: The encoder of the messages, or `nil` for JSON with sorted keys. Don't change it afterwards. If the
  ///     messages are server-sent events, the JSON must not contain newlines.
  public init(capacity: Int = 1_000, byteLimit: Int = 64 << 20, encoder: JSONEncoder? = nil) {
    precondition(capacity >= 1, "`capacity` must be at least 1 (was \(capacity))")
    precondition(byteLimit >= 1, "`byteLimit` must be at least 1 (was \(byteLimit))")
    state = Mutex(State(versions: FeedVersions(capacity: capacity, byteLimit: byteLimit)))
    self.encoder = encoder ?? .sorted
  }

  /// Adds the controller's list and every later list to the feed.
  ///
  /// Call this method in the controller's isolation. A feed follows one controller at a time. If you cancel the
  /// observation and follow another controller, its list is the next version.
  ///
  /// - Parameter controller: The controller. If its first fetch hasn't ended, the feed remains without a list until
  ///   then.
  /// - Returns: An observation that retains the controller. If you cancel or release it, the feed keeps its versions,
  ///   but doesn't receive new ones.
  public func follow(_ controller: FetchedResultsController<Row>) -> ChangeObservation { controller.watch(with: self) }

  /// The latest version, or `nil` before the feed has received a list.
  ///
  /// Its `Results.position` is the position up to which it contains all events.
  public var latest: Results<Row>? { state.withLock { $0.versions.latest?.list } }

  /// The error that prevents updates of the list, or `nil` if the list can be updated.
  ///
  /// An example is an event of a type that only a newer version of the program knows.
  public var failure: (any Error)? { state.withLock { $0.failure } }

  /// True after ``close()``.
  public var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Returns the list at a position.
  ///
  /// - Parameter position: The position of a version, such as the position in a message.
  /// - Returns: The list, or `nil` if the feed doesn't remember a version at this position. In this case,
  ///   `store.list(of:_:at:)` can rebuild the list from the events.
  /// - Complexity: O(log n) for n versions.
  public func list(at position: Position) -> Results<Row>? {
    state.withLock { $0.versions.version(at: position)?.list }
  }

  /// Waits until the latest version contains all events up to a position.
  ///
  /// The call sends no request to a server.
  ///
  /// - Parameters:
  ///   - position: The position, for example from the receipt of a command.
  ///   - limit: The maximum time to wait.
  /// - Returns: True if the latest version contains the events. False if the limit ended first, the feed was closed, or
  ///   the task was cancelled.
  public func wait(for position: Position, limit: Duration) async -> Bool {
    if let latest, latest.position >= position { return true }
    let deadline = ContinuousClock.now + limit
    var wait = wakes.join()
    while !isClosed {
      if let latest, latest.position >= position { return true }
      guard .now < deadline, await wait.next(until: deadline, isolation: nil) else { return false }
    }
    return false
  }

  /// Ends all sequences of messages and all waits, for example when the service shuts down.
  ///
  /// The versions can still be read.
  public func close() {
    state.withLock { $0.isClosed = true }
    wakes.wake()
  }
}

extension JSONEncoder {
  /// An encoder of JSON with sorted keys.
  fileprivate static var sorted: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}

extension ListFeed: ListWatcher {
  package func watch(_ list: Results<Row>, of basis: WatchedBasis?, failure: (any Error)?) {
    // The comparison can read all rows of both lists, so the lock isn't held.
    let equal = latest.flatMap { latest in
      latest.position == list.position && latest.storage !== list.storage && latest == list ? latest : nil
    }
    // Forgotten versions are released without the lock.
    let forgotten = state.withLock { state in
      state.failure = failure
      return state.versions.add(list, of: basis, equalTo: equal)
    }
    if forgotten != nil { wakes.wake() }
  }

  package func replace(_ list: Results<Row>, by equal: Results<Row>) {
    _ = state.withLock { $0.versions.replace(list, by: equal) }
  }
}

extension ListFeed {
  /// The version of the list that a reader has.
  enum Known {
    case list(Results<Row>)
    case version(number: Int, position: Position)
  }

  /// The next step of a reader.
  enum Step {
    /// The reader must receive the changes from its list to this version.
    case merge(Results<Row>, FeedVersion<Row>)
    /// The reader has the version before this version.
    case send(FeedVersion<Row>)
    /// The reader's list is the list of this version.
    case know(FeedVersion<Row>)
    case wait(at: Position)
    case end
  }

  /// Returns a version's message, and forgets versions if the messages are too large.
  func message(of version: FeedVersion<Row>) throws -> Message {
    let (message, isNew) = try version.message(encoder)
    // Forgotten versions are released without the lock.
    if isNew { _ = state.withLock { $0.versions.forget() } }
    return message
  }

  func step(after known: Known) throws -> Step {
    try state.withLock { state in
      if state.isClosed { return .end }
      switch known {
      case .version(let number, let position):
        return try state.versions.step(after: number) ?? .wait(at: position)
      case .list(let list):
        if let version = state.versions.version(at: list.position), version.list.storage === list.storage {
          return .know(version)
        }
        // Another instance of the service can be ahead of this instance.
        guard let latest = state.versions.latest, latest.list.position >= list.position else {
          return .wait(at: list.position)
        }
        return .merge(list, latest)
      }
    }
  }
}
