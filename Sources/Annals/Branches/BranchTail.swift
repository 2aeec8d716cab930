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

/// A view of a branch's own events and receipts, which follow the events of the base up to the fork.
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
  private let events = BranchEvents()
  /// The numbers of events and receipts in the view.
  private var end = (events: 0, receipts: 0)

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
  var head: Position { Position(fork.rawValue + end.events) }

  /// Adds the events of a transaction and the receipts of their commands.
  ///
  /// Only the branch's latest tail can add events, because all its views share them.
  mutating func append(_ events: [StoredEvent], _ receipts: [(commandID: String, receipt: Receipt)]) {
    self.events.append(events, receipts, at: end)
    end.events += events.count
    end.receipts += receipts.count
    transaction = events.last?.transaction ?? transaction
  }

  /// Returns the version of a stream, or nil if the tail has no event of the stream.
  func version(of stream: StreamName) -> Int? { events.version(of: stream, in: end.events) }

  /// Returns the position of the event with an identity, or nil if the tail doesn't have the event.
  func position(of id: EventID) -> Position? {
    events.index(of: id, in: end.events).map { Position(fork.rawValue + $0 + 1) }
  }

  /// Returns the receipt of a command, or nil if the tail has none.
  func receipt(ofCommand id: String) -> Receipt? { events.receipt(ofCommand: id, in: end.receipts) }

  /// Returns up to `limit` of the tail's events that match a query, after a position and through another position.
  func events(
    _ query: EventQuery, after: Position, through: Position?, limit: Int, newestFirst: Bool = false
  ) -> [StoredEvent] {
    let start = max(after.rawValue - fork.rawValue, 0)
    let end = min((through ?? head).rawValue - fork.rawValue, end.events)
    return start < end ? events.events(query, in: start..<end, limit: limit, newestFirst: newestFirst) : []
  }
}
