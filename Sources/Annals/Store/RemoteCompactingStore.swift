public import Foundation

/// A store that compacts a remote log, and records its compactions so that copies of the log can repeat them.
///
/// This is a capability of a ``RemoteEventStore``, available through ``RemoteEventStore/compacting``. It corresponds to
/// ``CompactingStore`` for a local log. The compaction is planned and proven on a copy: ``Replica`` does this on its
/// own copy, and then passes the changes to the remote log. `RemoteCompactingContract` in AnnalsTesting tests that a
/// store follows this protocol's rules.
public protocol RemoteCompactingStore: Sendable {
  /// Removes and replaces events, and records the compaction, in one step.
  ///
  /// Positions, versions, identities and command receipts are never reused. After the compaction, an append is refused
  /// as a conflict if its ``Append/Condition/after`` is greater than 0 and less than the compaction's
  /// ``RemoteCompaction/horizon``. Concurrent appends are committed either before or after the compaction. If you
  /// repeat the call because the response was lost, the log isn't compacted twice. Apps call
  /// ``Replica/compact(_:progress:isolation:)`` instead of this method.
  ///
  /// - Parameter compaction: The changes, and the revision of the log that they are based on.
  /// - Returns: The recorded compaction.
  /// - Throws: ``EventStoreError`` (`.rewritten`) if the log has a different revision, or ``CompactionError``
  ///   (`.followerBehind`). In both cases the log is unchanged.
  func commitCompaction(_ compaction: RemoteCompaction) async throws -> LogCompaction

  /// Returns the compactions of the log, in order.
  ///
  /// - Parameters:
  ///   - number: The number of the compaction after which to start, or 0 for the first compaction.
  ///   - limit: The maximum number of compactions to return, at least 1.
  /// - Returns: The compactions. If there are fewer than `limit`, no more exist.
  /// - Throws: ``EventStoreError``.
  func compactions(after number: Int, limit: Int) async throws -> [LogCompaction]

  /// Returns the removed and replaced events, in the order of their positions.
  ///
  /// - Parameters:
  ///   - number: A compaction's number. The result contains the events that later compactions removed or replaced. Pass
  ///     0 to include all compactions.
  ///   - after: The position after which to start, or 0 for the first event.
  ///   - limit: The maximum number of events to return, at least 1.
  /// - Returns: The former events. If there are fewer than `limit`, no more exist.
  /// - Throws: ``EventStoreError``.
  func formerEvents(since number: Int, after: Position, limit: Int) async throws -> [RewrittenEvent]
}

/// The changes that a compaction makes to a remote log, after they were proven on a copy.
public struct RemoteCompaction: Sendable {
  /// The compaction's unique id, which prevents a second execution.
  public let id: String
  /// The revision that the log must have.
  public let revision: LogRevision
  /// The position through which the history is compacted, which is the end of a transaction.
  public let horizon: Position
  /// The changes to events before or at the horizon.
  ///
  /// Every replacement event has an identity.
  public let changes: CompactionEdits

  /// Creates a compaction from a plan.
  ///
  /// - Parameters:
  ///   - id: The compaction's unique id.
  ///   - revision: The revision that the log must have.
  ///   - horizon: The position through which the history is compacted.
  ///   - changes: The changes to events before or at the horizon.
  package init(id: String, revision: LogRevision, horizon: Position, changes: CompactionEdits) {
    (self.id, self.revision, self.horizon, self.changes) = (id, revision, horizon, changes)
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
  /// The number of erasures before the compaction.
  public let erasures: Int
  /// The position through which the history was compacted.
  public let horizon: Position
  /// The position of the log's last event when the history was compacted.
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
  ///   - erasures: The number of erasures before the compaction.
  ///   - horizon: The position through which the history was compacted.
  ///   - end: The position of the log's last event when the history was compacted.
  ///   - time: The time of the compaction.
  ///   - cut: The number of removed events.
  ///   - replaced: The number of replaced events.
  public init(number: Int, erasures: Int, horizon: Position, end: Position, time: Date, cut: Int, replaced: Int) {
    (self.number, self.erasures, self.horizon, self.end) = (number, erasures, horizon, end)
    (self.time, self.cut, self.replaced) = (time, cut, replaced)
  }
}

/// An appended event that a compaction removed or replaced.
public struct RewrittenEvent: Hashable, Sendable {
  /// The event's position.
  public let position: Position
  /// The number of the transaction that appended the event.
  public let transaction: Int
  /// The event's stream.
  public let stream: StreamName
  /// The event's version in its stream, starting at 1.
  public let version: Int
  /// The identities of all former events at this position, oldest first.
  ///
  /// The identity of the current event isn't included.
  public let ids: [EventID]
  /// True if the position has no event now, or false if the event was replaced.
  public let isCut: Bool

  /// Creates a former event, for use in a custom store.
  ///
  /// - Parameters:
  ///   - position: The event's position.
  ///   - transaction: The number of the transaction that appended the event.
  ///   - stream: The event's stream.
  ///   - version: The event's version in its stream, starting at 1.
  ///   - ids: The identities of all former events at this position, at least one.
  ///   - isCut: True if the position has no event now.
  public init(
    position: Position, transaction: Int, stream: StreamName, version: Int, ids: [EventID], isCut: Bool
  ) {
    precondition(
      !ids.isEmpty, "`ids` must contain at least one identity (was empty for position \(position))")
    (self.position, self.transaction, self.stream, self.version) = (position, transaction, stream, version)
    (self.ids, self.isCut) = (ids, isCut)
  }
}

extension RemoteEventStore {
  /// Returns the log's compactions from the first compaction through the compaction with a given number.
  ///
  /// - Parameter last: The number of the last requested compaction.
  /// - Returns: The compactions, or `nil` if the store doesn't record them.
  /// - Throws: ``EventStoreError`` (`.corrupt`) if a compaction is missing.
  func compactions(through last: Int) async throws -> [LogCompaction]? {
    if last == 0 { return [] }
    guard let compacting else { return nil }
    var found: [LogCompaction] = []
    while found.count < last {
      let next = try await compacting.compactions(after: found.count, limit: min(512, last - found.count))
      guard !next.isEmpty, next.map(\.number) == Array(found.count + 1...found.count + next.count) else {
        throw EventStoreError(
          .corrupt,
          "\(Self.self) counts \(last) compactions, but doesn't return compaction \(found.count + 1); restore the "
            + "server's log from a backup")
      }
      found += next
    }
    return found
  }
}
