public import Annals
import Synchronization

extension ListFeed {
  /// A message with the changes between two versions of the list.
  public struct Message: Hashable, Sendable {
    /// The position of the new list, which is also in the message.
    ///
    /// A client that passes it to its next request continues after this message.
    public let position: Position
    /// The changes as JSON (``ListChanges``).
    public let json: String
  }

  /// Returns the messages with the changes after a list.
  ///
  ///     guard let list = feed.list(at: position) else { throw Problem(status: 410) }
  ///     for try await message in feed.messages(after: list, heartbeat: .seconds(15)) {
  ///       try await writer.write("id: \(message.position)\ndata: \(message.json)\n\n")
  ///     }
  ///
  /// If the feed remembers the list, the sequence contains the message of every later version. Otherwise, the first
  /// message contains all changes from the list to the latest version. The same applies to the next message of a slow
  /// reader after an erasure of personal values. If the latest version is before the list's position, the sequence
  /// waits for this position, because another instance of the service can be ahead.
  ///
  /// - Parameters:
  ///   - list: The list that the client has.
  ///   - heartbeat: The time after which the sequence repeats the last position in a message without changes, more
  ///     than 0, or `nil` for no such messages. A server notices a disconnected client only when it writes.
  /// - Returns: The messages, which a single reader can read.
  public func messages(after list: Results<Row>, heartbeat: Duration? = nil) -> Messages {
    precondition(heartbeat ?? .seconds(1) > .zero, "`heartbeat` must be more than 0")
    return Messages(feed: self, list: FirstList(list), heartbeat: heartbeat)
  }

  /// The list that a reader has, until the reader begins.
  ///
  /// A response of a web framework can keep the sequence for as long as its client is connected.
  final class FirstList: Sendable {
    private let list: Mutex<Results<Row>?>

    init(_ list: Results<Row>) { self.list = Mutex(list) }

    func take() -> Results<Row>? { list.withLock { $0.take() } }
  }

  /// An asynchronous sequence of the messages with the changes to a list.
  ///
  /// The reader takes a message from the feed when it needs the next message. So a slow reader needs no memory, and
  /// receives all messages later. If the feed has forgotten the next version, the sequence throws ``ListFeedError``
  /// (`.forgotten`). It also throws the errors of the encoder. It ends when the feed is closed, or the task is
  /// cancelled.
  public struct Messages: AsyncSequence, Sendable {
    let feed: ListFeed
    let list: FirstList
    let heartbeat: Duration?

    /// Creates an iterator for the sequence's reader, which must be the only reader.
    ///
    /// - Returns: The iterator.
    public func makeAsyncIterator() -> Iterator {
      guard let list = list.take() else {
        preconditionFailure("a sequence of messages has a single reader. Call `messages` once more for another reader")
      }
      return Iterator(feed: feed, heartbeat: heartbeat, known: .list(list), wait: feed.wakes.join())
    }

    /// An iterator that waits for changes of the list.
    public struct Iterator: AsyncIteratorProtocol {
      let feed: ListFeed
      let heartbeat: Duration?
      var known: Known
      var wait: FeedWait

      /// Waits until the list has changed.
      ///
      /// - Parameter isolation: The caller's isolation.
      /// - Returns: The next message, or `nil` if the feed was closed or the task was cancelled.
      /// - Throws: ``ListFeedError`` (`.forgotten`), or the error of the encoder.
      public mutating func next(isolation: isolated (any Actor)?) async throws -> Message? {
        let deadline = heartbeat.map { ContinuousClock.now + $0 }
        while true {
          if Task.isCancelled { return nil }
          switch try feed.step(after: known) {
          case .know(let version): know(version)
          case .send(let version):
            know(version)
            return try feed.message(of: version)
          case .merge(let list, let version):
            know(version)
            let changes = ListChanges(Changes(from: list, to: version.list))
            if changes.isEmpty { continue }
            return try message(changes)
          case .wait(let position):
            if let deadline, deadline <= .now { return try message(ListChanges(at: position)) }
            guard await wait.next(until: deadline, isolation: isolation) else { return nil }
          case .end: return nil
          }
        }
      }

      /// Waits until the list has changed.
      ///
      /// - Returns: The next message, or `nil` if the feed was closed or the task was cancelled.
      /// - Throws: ``ListFeedError`` (`.forgotten`), or the error of the encoder.
      public mutating func next() async throws -> Message? { try await next(isolation: nil) }

      private mutating func know(_ version: FeedVersion<Row>) {
        known = .version(number: version.number, position: version.list.position)
      }

      private func message(_ changes: ListChanges<Row>) throws -> Message {
        Message(position: changes.position, json: try feed.encoder.text(of: changes))
      }
    }
  }
}
