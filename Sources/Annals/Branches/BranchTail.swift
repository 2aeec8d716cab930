import AnnalsLog
import Foundation

/// The fork and the base's revision on which a branch's commands are decided.
struct BranchGround: Hashable, Sendable {
  /// The last position that the branch shares with its base.
  let fork: Position
  /// The number of the last transaction before the fork.
  let transaction: Int
  /// The base's revision.
  let revision: LogRevision

  init(fork: Position, transaction: Int, revision: LogRevision) {
    self.fork = fork
    self.transaction = transaction
    self.revision = revision
  }

  /// Creates the ground at the end of a consistent view of a log.
  init(endOf log: any EventLog) throws {
    let head = try log.head()
    let last = head > 0 ? try log.eventsBackwards(.all, after: 0, through: head, limit: 1).first : nil
    self.init(fork: head, transaction: last?.transaction ?? 0, revision: try log.revision())
  }
}

/// A branch's own events and receipts, which follow the events of the base up to the fork.
struct BranchTail: Sendable {
  /// One decision of all the branch's commands: its number, and the ground on which it is based.
  struct Decision: Sendable {
    let number: Int
    var ground: BranchGround
  }

  let ground: BranchGround
  /// The latest decisions, oldest first, ending with the current decision.
  private(set) var decisions: [Decision]
  /// The number of the last transaction.
  private(set) var transaction: Int
  private(set) var events: [StoredEvent] = []
  /// The versions of the streams that have events in the tail.
  private(set) var versions: [StreamName: Int] = [:]
  private(set) var ids: [EventID: Position] = [:]
  private(set) var receipts: [ExactString: Receipt] = [:]

  /// Creates a tail without events.
  ///
  /// - Parameters:
  ///   - ground: The ground of the branch.
  ///   - number: The decision's number.
  ///   - earlier: The earlier decisions. A decision with the same number is replaced.
  init(_ ground: BranchGround, decision number: Int, after earlier: [Decision] = []) {
    self.ground = ground
    transaction = ground.transaction
    // A list that missed that many decisions is rebuilt from the beginning.
    decisions = earlier.count < 4_096 ? earlier : Array(earlier.suffix(2_048))
    if decisions.last?.number == number { decisions.removeLast() }
    decisions.append(Decision(number: number, ground: ground))
  }

  /// The last position that the branch shares with its base.
  var fork: Position { ground.fork }
  /// The number of the branch's current decision.
  var decision: Int { decisions.last?.number ?? 0 }
  var head: Position { Position(fork.rawValue + events.count) }

  mutating func beginTransaction() { transaction += 1 }

  /// Adds an event at the end.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - id: The event's identity.
  ///   - time: The event's time.
  ///   - stream: The event's stream.
  ///   - version: The stream's version before the event.
  mutating func append(_ event: NewEvent, _ id: EventID, at time: Date, to stream: StreamName, after version: Int) {
    let position = Position(head.rawValue + 1)
    (versions[stream], ids[id]) = (version + 1, position)
    events.append(
      StoredEvent(
        position: position, transaction: transaction, stream: stream, version: version + 1, id: id, type: event.type,
        schema: event.schema, time: time, tags: event.tags, payload: event.payload, metadata: event.metadata))
  }

  mutating func keep(_ receipt: Receipt, ofCommand id: String) { receipts[ExactString(id)] = receipt }

  /// Returns the tail's events after a position, through another position.
  func slice(after: Position, through: Position?) -> ArraySlice<StoredEvent> {
    let start = max(after.rawValue - fork.rawValue, 0)
    let end = min((through ?? head).rawValue - fork.rawValue, events.count)
    return start < end ? events[start..<end] : []
  }
}
