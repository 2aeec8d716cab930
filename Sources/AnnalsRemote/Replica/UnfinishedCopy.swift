import AnnalsLog
import Foundation

/// The visible part of a copy whose end is before the horizon (the position through which the remote log was
/// compacted).
///
/// The remote log no longer has all events before the horizon. So no valid state exists between the copy's former end
/// and the horizon, and readers see the former state until the copy is complete.
struct UnfinishedCopy: Hashable, Sendable {
  /// The last visible position of the copy.
  let position: Position
  /// The number of the copy's own compactions after the copy becomes complete.
  let compactions: Int

  /// Returns the name of the checkpoint with the visible part.
  ///
  /// The name contains the number of the compaction that completes the copy, so the checkpoint isn't used after this
  /// compaction.
  private static func shown(_ compactions: Int) -> String { "annals:replica:shown/\(compactions)" }
  private static let allowed = "annals:replica:compactions"

  init(position: Position, compactions: Int) {
    self.position = position
    self.compactions = compactions
  }

  /// Reads the visible part from a copy's checkpoints, or returns `nil` if the copy is complete.
  init?(of local: any EventStore) throws {
    guard let checkpoints = local.checkpoints else { return nil }
    let next = try local.revision().compacted.count + 1
    guard let position = try checkpoints.checkpoint(named: Self.shown(next)) else { return nil }
    self.init(position: position, compactions: next)
  }

  /// Returns true if the copy's checkpoints mark the copy as unfinished.
  static func isNoted(in log: any CompactionTransaction) throws -> Bool {
    let name = shown(try log.revision().compacted.count + 1)
    return try log.checkpoints().contains { $0.name == name }
  }

  /// Returns the allowed number of the copy's own compactions.
  ///
  /// If the copy has more compactions, another program has compacted it.
  static func compactions(of local: any EventStore) throws -> Int {
    try local.checkpoints?.checkpoint(named: allowed)?.rawValue ?? 0
  }

  /// Records the allowed number of compactions before the copy is compacted.
  static func announce(_ compactions: Int, in local: any EventStore) throws {
    try ReplicaEnd.set(allowed, to: compactions, try ReplicaEnd.checkpoints(of: local))
  }

  /// Records that only the part of a copy through the position is visible.
  func begin(in local: any EventStore) throws {
    try Self.announce(compactions, in: local)
    try ReplicaEnd.set(Self.shown(compactions), to: position.rawValue, try ReplicaEnd.checkpoints(of: local))
  }

  /// Deletes the record, because the copy is complete.
  func end(in local: any EventStore) throws {
    try local.checkpoints?.deleteCheckpoint(named: Self.shown(compactions))
  }

  /// Returns true if the copy is unfinished and has events after the visible part.
  func isPending(in log: any EventLog) throws -> Bool {
    try log.revision().compacted.count < compactions && log.head() > position
  }

  /// Returns the visible part of a log, or the whole log if it was already compacted.
  func shown(_ log: any EventLog) throws -> any EventLog {
    try log.revision().compacted.count < compactions ? EventLogView(of: log, through: position) : log
  }
}
