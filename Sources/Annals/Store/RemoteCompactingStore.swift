public import Foundation

/// Compacts a log far away, and says what was cut, so that copies follow.
///
/// A capability of a ``RemoteEventStore``: see ``RemoteEventStore/compacting``. It is what ``CompactingStore`` is for a
/// log on this side. Rules and proofs run where a copy is: ``Replica`` plans on its copy, proves there, and hands on
/// what is to be cut and replaced. `RemoteCompactingContract` in AnnalsTesting has the rules.
public protocol RemoteCompactingStore: Sendable {
  /// Cuts and replaces events in one step, and notes that it did.
  ///
  /// Positions, versions, identities and receipts of commands that were given stay given. A condition of an append
  /// that lies before the new horizon, and not at 0, is a conflict from then on. Appends that are under way are
  /// committed before it or after it. If the answer of a first try was lost, the same compaction is not done twice.
  /// Call ``Replica/compact(_:progress:isolation:)`` instead.
  ///
  /// - Parameter compaction: What to cut and to replace, and the revision of the log that it was made of.
  /// - Returns: What was done.
  /// - Throws: ``EventStoreError``, with the code `rewritten` if the log has another revision; ``CompactionError`` with
  ///   the code `followerBehind`. Nothing was changed then.
  func commitCompaction(_ compaction: RemoteCompaction) async throws -> LogCompaction

  /// The compactions of the log, in the order in which they were done.
  ///
  /// - Parameters:
  ///   - number: The compaction after which to start; 0 for the first one.
  ///   - limit: The largest number of compactions to return, 1 or more.
  /// - Returns: The compactions. Fewer than `limit` means that there are no more.
  /// - Throws: ``EventStoreError``.
  func compactions(after number: Int, limit: Int) async throws -> [LogCompaction]

  /// The events that are not there any more as they were appended, in the order of their positions.
  ///
  /// - Parameters:
  ///   - number: The compaction after which they were cut or replaced; 0 for all of them.
  ///   - after: The position after which to start; 0 for the first one.
  ///   - limit: The largest number of events to return, 1 or more.
  /// - Returns: The events. Fewer than `limit` means that there are no more.
  /// - Throws: ``EventStoreError``.
  func formerEvents(since number: Int, after: Position, limit: Int) async throws -> [FormerEvent]
}

/// What is to be cut and replaced in a log far away, after it was proven on a copy.
public struct RemoteCompaction: Sendable {
  /// What tells this compaction from every other, so that it is done once.
  public let id: String
  /// The revision that the log must have.
  public let revision: LogRevision
  /// The position up to which the history is compacted, the end of a transaction.
  public let horizon: Position
  /// What becomes of events up to there.
  ///
  /// An event that is to stand in another's place has an identity.
  public let changes: EventChanges

  /// Creates a compaction, as one who plans it does.
  ///
  /// - Parameters:
  ///   - id: What tells this compaction from every other.
  ///   - revision: The revision that the log must have.
  ///   - horizon: The position up to which the history is compacted.
  ///   - changes: What becomes of events up to there.
  package init(id: String, revision: LogRevision, horizon: Position, changes: EventChanges) {
    (self.id, self.revision, self.horizon, self.changes) = (id, revision, horizon, changes)
  }

  /// The number of events that are cut.
  public var cutCount: Int { changes.cutCount }
  /// The number of events in whose place others are to stand.
  public var replacedCount: Int { changes.count - changes.cutCount }
}

/// A compaction, as a log far away notes it.
///
/// The log keeps these for ever: a copy that was away for a year learns from them what became of its events.
public struct LogCompaction: Hashable, Sendable {
  /// Which of the log's compactions it is, from 1.
  public let number: Int
  /// How many erasures were done before it.
  public let erasures: Int
  /// The position up to which the history was compacted.
  public let horizon: Position
  /// The position of the log's last event at that time.
  public let end: Position
  /// When it was done, exact to the microsecond; it tells the compaction from one of the same number in another
  /// history.
  public let time: Date
  /// The number of events that were cut.
  public let cut: Int
  /// The number of events in whose place others stand.
  public let replaced: Int

  /// Creates a compaction, as a store does.
  ///
  /// - Parameters:
  ///   - number: Which of the log's compactions it is, from 1.
  ///   - erasures: How many erasures were done before it.
  ///   - horizon: The position up to which the history was compacted.
  ///   - end: The position of the log's last event at that time.
  ///   - time: When it was done.
  ///   - cut: The number of events that were cut.
  ///   - replaced: The number of events in whose place others stand.
  public init(number: Int, erasures: Int, horizon: Position, end: Position, time: Date, cut: Int, replaced: Int) {
    (self.number, self.erasures, self.horizon, self.end) = (number, erasures, horizon, end)
    (self.time, self.cut, self.replaced) = (time, cut, replaced)
  }
}

/// An event that is not there any more as it was appended: it was cut, or another one stands in its place.
public struct FormerEvent: Hashable, Sendable {
  /// Where it was.
  public let position: Position
  /// The transaction that appended it.
  public let transaction: Int
  /// Its stream.
  public let stream: StreamName
  /// Its place in the stream, from 1.
  public let version: Int
  /// The identities that events at this position had, the first one first, without that of one that is there.
  public let ids: [EventID]
  /// True if no event is at the position any more, false if another one stands there.
  public let isCut: Bool

  /// Creates a former event, as a store does.
  ///
  /// - Parameters:
  ///   - position: Where it was.
  ///   - transaction: The transaction that appended it.
  ///   - stream: Its stream.
  ///   - version: Its place in the stream, from 1.
  ///   - ids: The identities that events at this position had, at least one.
  ///   - isCut: True if no event is at the position any more.
  public init(
    position: Position, transaction: Int, stream: StreamName, version: Int, ids: [EventID], isCut: Bool
  ) {
    precondition(
      !ids.isEmpty, "an event that was appended had an identity, and none was given for position \(position)")
    (self.position, self.transaction, self.stream, self.version) = (position, transaction, stream, version)
    (self.ids, self.isCut) = (ids, isCut)
  }
}

extension RemoteEventStore {
  /// The first compactions of the log, up to one.
  ///
  /// - Parameter last: The last one that is wanted.
  /// - Returns: The compactions; nil if the store does not say them.
  /// - Throws: ``EventStoreError``, with the code `corrupt` if one is missing.
  func compactions(through last: Int) async throws -> [LogCompaction]? {
    if last == 0 { return [] }
    guard let compacting else { return nil }
    var found: [LogCompaction] = []
    while found.count < last {
      let next = try await compacting.compactions(after: found.count, limit: min(512, last - found.count))
      guard !next.isEmpty, next.map(\.number) == Array(found.count + 1...found.count + next.count) else {
        throw EventStoreError(
          .corrupt,
          "\(Self.self) counts \(last) compactions, and does not say what number \(found.count + 1) was; restore the "
            + "server's log from a backup")
      }
      found += next
    }
    return found
  }
}
