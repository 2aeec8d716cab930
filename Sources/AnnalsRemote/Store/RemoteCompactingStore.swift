public import AnnalsLog
public import Foundation

/// A store that can compact a remote log, which means replacing events with fewer equivalent events.
///
/// This is a capability of a ``RemoteEventStore``, available through ``RemoteEventStore/compacting``. It corresponds to
/// `CompactingStore` for a local log. A ``Replica`` plans the compaction on its copy of the log, proves there that
/// the remaining events produce the same state, and then passes the changes to this store. The store records every
/// compaction, so that all copies of the log can repeat it. `RemoteCompactingContract` in AnnalsStoreTesting tests
/// that a store follows this protocol's rules.
public protocol RemoteCompactingStore: Sendable {
  /// Removes and replaces events, and records the compaction, in one transaction.
  ///
  /// Positions, versions, identities and command ids are never reused. After the compaction, the store refuses an
  /// append as a conflict if the `Append.Condition.after` of a condition is greater than 0 and less than the
  /// compaction's ``RemoteCompaction/horizon``. Concurrent appends are committed either before or after the compaction.
  /// If you repeat the call because the response was lost, the log isn't compacted twice. Apps call
  /// ``Replica/compact(_:progress:isolation:)`` instead of this method.
  ///
  /// - Parameter compaction: The changes, and the log's revision on which the changes are based.
  /// - Returns: The recorded compaction.
  /// - Throws: `EventStoreError` (`.rewritten`) if the log has a different revision, or `CompactionError`
  ///   (`.followerBehind`) if a follower hasn't handled all events that the compaction changes. In both cases the log
  ///   is unchanged.
  func commitCompaction(_ compaction: RemoteCompaction) async throws -> LogCompaction

  /// Returns the log's recorded compactions, in the order of their numbers.
  ///
  /// - Parameters:
  ///   - number: The number of the compaction after which to start, or 0 for the first compaction.
  ///   - limit: The maximum number of compactions to return, at least 1.
  /// - Returns: The compactions. If there are fewer than `limit`, no more exist.
  /// - Throws: `EventStoreError`.
  func compactions(after number: Int, limit: Int) async throws -> [LogCompaction]

  /// Returns the removed and replaced events, in the order of their positions.
  ///
  /// - Parameters:
  ///   - number: The number of a compaction. The result contains only events that later compactions removed or
  ///     replaced. Pass 0 to include the events of all compactions.
  ///   - after: The position after which to start, or 0 for the first event.
  ///   - limit: The maximum number of events to return, at least 1.
  /// - Returns: The removed and replaced events. If there are fewer than `limit`, no more exist.
  /// - Throws: `EventStoreError`.
  func formerEvents(since number: Int, after: Position, limit: Int) async throws -> [RewrittenEvent]
}

/// The changes that a compaction makes to a remote log.
///
/// A ``Replica`` has already proven on its copy of the log that the lists and decider states that were registered with
/// `Compaction.prove` are the same before and after these changes.
public struct RemoteCompaction: Sendable {
  /// The compaction's unique id, by which a store detects that a call was repeated.
  public let id: String
  /// The revision on which the changes are based, and which the log must still have.
  public let revision: LogRevision
  /// The position through which the log is compacted.
  ///
  /// This position is always the end of a transaction.
  public let horizon: Position
  /// The changes to events at or before ``horizon``.
  ///
  /// Every replacement event already has an identity, so a store doesn't need to create one.
  public let changes: CompactionEdits

  /// Creates a compaction of a remote log.
  ///
  /// - Parameters:
  ///   - id: The compaction's unique id.
  ///   - revision: The revision on which the changes are based, and which the log must still have.
  ///   - horizon: The position through which the log is compacted.
  ///   - changes: The changes to events at or before ``horizon``.
  package init(id: String, revision: LogRevision, horizon: Position, changes: CompactionEdits) {
    self.id = id
    self.revision = revision
    self.horizon = horizon
    self.changes = changes
  }

  /// The number of removed events.
  public var cutCount: Int { changes.cutCount }
  /// The number of replaced events.
  public var replacedCount: Int { changes.count - changes.cutCount }
}

/// A remote log's record of a compaction.
///
/// The log keeps these records forever. For example, a copy that was disconnected for a year uses them to find out
/// which of its events changed.
public struct LogCompaction: Hashable, Sendable {
  /// The compaction's number in the log, starting at 1.
  public let number: Int
  /// The number of erasures that the log had before the compaction.
  public let erasures: Int
  /// The position through which the log was compacted.
  public let horizon: Position
  /// The position of the log's last event when the log was compacted.
  public let end: Position
  /// The time of the compaction, exact to the microsecond.
  ///
  /// The time distinguishes this compaction from a compaction with the same number in a log that was restored from a
  /// backup.
  public let time: Date
  /// The number of removed events.
  public let cut: Int
  /// The number of replaced events.
  public let replaced: Int

  /// Creates the record of a compaction, for use in a custom store.
  ///
  /// - Parameters:
  ///   - number: The compaction's number in the log, starting at 1.
  ///   - erasures: The number of erasures that the log had before the compaction.
  ///   - horizon: The position through which the log was compacted.
  ///   - end: The position of the log's last event when the log was compacted.
  ///   - time: The time of the compaction.
  ///   - cut: The number of removed events.
  ///   - replaced: The number of replaced events.
  public init(number: Int, erasures: Int, horizon: Position, end: Position, time: Date, cut: Int, replaced: Int) {
    self.number = number
    self.erasures = erasures
    self.horizon = horizon
    self.end = end
    self.time = time
    self.cut = cut
    self.replaced = replaced
  }
}

/// A record of an event that a compaction removed or replaced.
public struct RewrittenEvent: Hashable, Sendable {
  /// The event's position.
  public let position: Position
  /// The number of the transaction that appended the event.
  public let transaction: Int
  /// The event's stream.
  public let stream: StreamName
  /// The event's version in its stream, starting at 1.
  public let version: Int
  /// The identities of all events that compactions removed or replaced at this position, oldest first.
  ///
  /// If the event was replaced, the identity of the current replacement isn't included.
  public let ids: [EventID]
  /// True if the position has no event now, or false if the event was replaced.
  public let isCut: Bool

  /// Creates the record of an event, for use in a custom store.
  ///
  /// - Parameters:
  ///   - position: The event's position.
  ///   - transaction: The number of the transaction that appended the event.
  ///   - stream: The event's stream.
  ///   - version: The event's version in its stream, starting at 1.
  ///   - ids: The identities of all events that compactions removed or replaced at this position, oldest first. The
  ///     array contains at least one identity.
  ///   - isCut: True if the position has no event now.
  public init(
    position: Position, transaction: Int, stream: StreamName, version: Int, ids: [EventID], isCut: Bool
  ) {
    precondition(
      !ids.isEmpty, "`ids` must contain at least one id (was empty for position \(position))")
    self.position = position
    self.transaction = transaction
    self.stream = stream
    self.version = version
    self.ids = ids
    self.isCut = isCut
  }
}

extension RemoteEventStore {
  /// Returns the log's compactions from the first compaction through the compaction with a given number.
  ///
  /// - Parameter last: The number of the last requested compaction.
  /// - Returns: The compactions, or `nil` if the store doesn't record them.
  /// - Throws: `EventStoreError` (`.corrupt`) if a compaction is missing.
  package func compactions(through last: Int) async throws -> [LogCompaction]? {
    if last == 0 { return [] }
    guard let compacting else { return nil }
    var found: [LogCompaction] = []
    while found.count < last {
      let next = try await compacting.compactions(after: found.count, limit: min(512, last - found.count))
      guard !next.isEmpty, next.map(\.number) == Array(found.count + 1...found.count + next.count) else {
        throw EventStoreError(
          .corrupt,
          "\(Self.self) must return all compactions through number \(last), but didn't return compaction number "
            + "\(found.count + 1); restore the server's log from a backup")
      }
      found += next
    }
    return found
  }
}

extension CompactionPlan {
  /// Creates a plan for making the changes of a replica's compaction in a server's log.
  ///
  /// The replica has already checked the compaction on its copy of the log. Use this initializer for a custom remote
  /// store if the server keeps its log in an `EventStore`. The server passes the plan to
  /// `CompactionTransaction.rewrite(_:)`, which removes and replaces the events.
  ///
  /// - Parameters:
  ///   - compaction: The changes that were checked on the copy.
  ///   - log: The server's log, inside the compaction's transaction.
  /// - Throws: `EventStoreError` or `CompactionError`.
  public init(following compaction: RemoteCompaction, in log: any CompactionTransaction) throws {
    try self.init(following: compaction.changes, through: compaction.horizon, in: log)
  }
}
