import Foundation

/// What is shown of a copy while it is brought past the horizon of a compaction.
///
/// The remote log has not all events before the horizon any more. So there is no state between the one that the copy
/// had and the horizon: a reader gets what the copy had, until it has everything.
struct UnfinishedCopy: Hashable, Sendable {
  /// The position up to which the copy is shown.
  let position: Position
  /// How often the copy itself will have been compacted when it is whole.
  let compactions: Int

  /// The name has the number of the copy's own compaction that makes it whole, so that no note outlives that.
  private static func shown(_ compactions: Int) -> String { "annals:replica:shown/\(compactions)" }
  private static let allowed = "annals:replica:compactions"

  init(position: Position, compactions: Int) { (self.position, self.compactions) = (position, compactions) }

  /// What a copy's notes say; nil if the copy is whole.
  init?(of local: any EventStore) throws {
    guard let checkpoints = local.checkpoints else { return nil }
    let next = try local.revision().compacted.count + 1
    guard let position = try checkpoints.checkpoint(named: Self.shown(next)) else { return nil }
    self.init(position: position, compactions: next)
  }

  /// True if some checkpoints of a copy say that it is not whole.
  static func isNoted(in log: any CompactionTransaction) throws -> Bool {
    let name = shown(try log.revision().compacted.count + 1)
    return try log.checkpoints().contains { $0.name == name }
  }

  /// How often a copy itself may have been compacted: more often was someone else.
  static func compactions(of local: any EventStore) throws -> Int {
    try local.checkpoints?.checkpoint(named: allowed)?.rawValue ?? 0
  }

  /// Notes that a copy is about to be compacted once more.
  static func announce(_ compactions: Int, in local: any EventStore) throws {
    try ReplicaEnd.set(allowed, to: compactions, try ReplicaEnd.checkpoints(of: local))
  }

  /// Notes that the copy is shown up to the position alone.
  func begin(in local: any EventStore) throws {
    try Self.announce(compactions, in: local)
    try ReplicaEnd.set(Self.shown(compactions), to: position.rawValue, try ReplicaEnd.checkpoints(of: local))
  }

  /// Takes the note away: the copy is whole.
  func end(in local: any EventStore) throws {
    try local.checkpoints?.deleteCheckpoint(named: Self.shown(compactions))
  }

  /// True if the copy has more than what is shown.
  func isPending(in log: any EventLog) throws -> Bool {
    try log.revision().compacted.count < compactions && log.head() > position
  }

  /// The log as it is shown: all of it, if it was compacted already.
  func shown(_ log: any EventLog) throws -> any EventLog {
    try log.revision().compacted.count < compactions ? ShownLog(log: log, end: position) : log
  }
}

/// A log up to a position, as if nothing had come after it.
struct ShownLog: ClockedLog {
  let log: any EventLog
  let end: Position

  private func last(_ position: Position?) -> Position { min(position ?? end, end) }

  var now: Date { log.clockTime }
  func head() -> Position { end }
  func revision() throws -> LogRevision { try log.revision() }
  func unchanged(since earlier: LogRevision) throws -> Position { min(try log.unchanged(since: earlier), end) }

  func version(of stream: StreamName) throws -> Int {
    // The versions of a stream follow each other, so that the next event says how many were before it.
    let next = try log.events(.stream(stream), after: end, through: nil, limit: 1).first
    return try next.map { $0.version - 1 } ?? log.version(of: stream)
  }

  func position(of id: EventID) throws -> Position? { try log.position(of: id).flatMap { $0 <= end ? $0 : nil } }
  func receipt(ofCommand commandID: String) throws -> Receipt? { try log.receipt(ofCommand: commandID) }

  func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent] {
    try log.events(query, after: after, through: last(through), limit: limit)
  }

  func eventsBackwards(
    _ query: EventQuery, after: Position, through: Position?, limit: Int
  ) throws -> [StoredEvent] {
    try log.eventsBackwards(query, after: after, through: last(through), limit: limit)
  }

  func batch(after: Position, through: Position, limit: Int) throws -> EventBatch {
    try log.batch(after: after, through: last(through), limit: limit)
  }

  func batch(of types: EventTypeChoice, after: Position, through: Position, limit: Int) throws -> EventBatch {
    try log.batch(of: types, after: after, through: last(through), limit: limit)
  }
}
