import Foundation

/// Where a branch stands on its base.
struct BranchGround: Hashable, Sendable {
  /// The last position that the branch has in common with its base.
  let fork: Position
  /// The number of the last transaction before the fork.
  let transaction: Int
  /// The base's revision.
  let revision: LogRevision

  init(fork: Position, transaction: Int, revision: LogRevision) {
    (self.fork, self.transaction, self.revision) = (fork, transaction, revision)
  }

  /// The end of a log that stands still.
  init(endOf log: any EventLog) throws {
    let head = try log.head()
    let last = head > 0 ? try log.eventsBackwards(.all, after: 0, through: head, limit: 1).first : nil
    self.init(fork: head, transaction: last?.transaction ?? 0, revision: try log.revision())
  }
}

/// What a branch has of its own: events and receipts, from its fork on.
struct BranchTail: Sendable {
  /// Where one of the branch's decisions stood.
  struct Decision: Sendable {
    let number: Int
    var ground: BranchGround
  }

  let ground: BranchGround
  /// The decisions up to this one, the last of them at least, the oldest first.
  private(set) var decisions: [Decision]
  /// The number of the last transaction.
  private(set) var transaction: Int
  private(set) var events: [StoredEvent] = []
  /// The versions of the streams that it has events of.
  private(set) var versions: [StreamName: Int] = [:]
  private(set) var ids: [EventID: Position] = [:]
  private(set) var receipts: [ExactString: Receipt] = [:]

  /// Begins at the ground, with no events.
  ///
  /// - Parameters:
  ///   - ground: Where the branch stands.
  ///   - number: The decision's number.
  ///   - earlier: The decisions before; one of the same number is taken back.
  init(_ ground: BranchGround, decision number: Int, after earlier: [Decision] = []) {
    (self.ground, transaction) = (ground, ground.transaction)
    // A list that missed as many is folded from the beginning.
    decisions = earlier.count < 4_096 ? earlier : Array(earlier.suffix(2_048))
    if decisions.last?.number == number { decisions.removeLast() }
    decisions.append(Decision(number: number, ground: ground))
  }

  /// The last position that the branch has in common with its base.
  var fork: Position { ground.fork }
  /// Which of the branch's decisions it is.
  var decision: Int { decisions.last?.number ?? 0 }
  var head: Position { Position(fork.rawValue + events.count) }

  mutating func beginTransaction() { transaction += 1 }

  /// Adds an event at the end.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - id: Its identity.
  ///   - time: Its time.
  ///   - stream: The stream that it goes to.
  ///   - version: The stream's version before.
  mutating func append(_ event: NewEvent, _ id: EventID, at time: Date, to stream: StreamName, after version: Int) {
    let position = Position(head.rawValue + 1)
    (versions[stream], ids[id]) = (version + 1, position)
    events.append(
      StoredEvent(
        position: position, transaction: transaction, stream: stream, version: version + 1, id: id, type: event.type,
        schema: event.schema, time: time, tags: event.tags, payload: event.payload, metadata: event.metadata))
  }

  mutating func keep(_ receipt: Receipt, ofCommand id: String) { receipts[ExactString(id)] = receipt }

  /// The events after a position up to another.
  func slice(after: Position, through: Position?) -> ArraySlice<StoredEvent> {
    let start = max(after.rawValue - fork.rawValue, 0)
    let end = min((through ?? head).rawValue - fork.rawValue, events.count)
    return start < end ? events[start..<end] : []
  }
}
