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

  /// The names of the copy's checkpoints.
  private let names: ReplicaNames

  init(position: Position, compactions: Int, _ names: ReplicaNames) {
    self.position = position
    self.compactions = compactions
    self.names = names
  }

  /// Reads the visible part from a copy's checkpoints, or returns `nil` if the copy is complete.
  init?(of local: any EventStore) throws {
    guard let checkpoints = local.checkpoints else { return nil }
    let revision = try local.revision()
    let (next, names) = (revision.compacted.count + 1, ReplicaNames(revision))
    guard let position = try checkpoints.checkpoint(named: names.shown(next)) else { return nil }
    self.init(position: position, compactions: next, names)
  }

  /// Returns true if the copy's checkpoints mark the copy as unfinished.
  static func isNoted(in log: any CompactionTransaction) throws -> Bool {
    let revision = try log.revision()
    let name = ReplicaNames(revision).shown(revision.compacted.count + 1)
    return try log.checkpoints().contains { $0.name == name }
  }

  /// Records that only the part of a copy through the position is visible.
  func begin(in local: any EventStore) throws {
    let checkpoints = try ReplicaEnd.checkpoints(of: local)
    try ReplicaEnd.set(names.allowed, to: compactions, checkpoints)
    try ReplicaEnd.set(names.shown(compactions), to: position.rawValue, checkpoints)
  }

  /// Deletes the record, because the copy is complete.
  func end(in local: any EventStore) throws {
    try local.checkpoints?.deleteCheckpoint(named: names.shown(compactions))
  }

  /// Returns true if a log is the copy, and wasn't compacted or replaced since.
  private func isOf(_ log: any EventLog) throws -> Bool {
    let revision = try log.revision()
    return ReplicaNames(revision) == names && revision.compacted.count < compactions
  }

  /// Returns true if the copy is unfinished and has events after the visible part.
  func isPending(in log: any EventLog) throws -> Bool { try isOf(log) && log.head() > position }

  /// Returns the visible part of a log, or the whole log if it was already compacted, or its events were replaced.
  func shown(_ log: any EventLog) throws -> any EventLog {
    try isOf(log) ? EventLogView(of: log, through: position) : log
  }
}
