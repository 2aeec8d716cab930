import AnnalsLog
package import AnnalsRemote
import Foundation

/// A server's record of its log's erasures and compactions.
package struct RewritingRecord: Sendable {
  package fileprivate(set) var erasures: [LogErasure] = []
  package fileprivate(set) var compactions: [LogCompaction] = []
  /// The removed and replaced events, each with the number of the last compaction that changed its position.
  fileprivate var former: [Position: (event: RewrittenEvent, number: Int)] = [:]
  /// The compactions by the ids of their requests.
  fileprivate var done: [String: LogCompaction] = [:]
  /// The time of the last erasure or compaction in microseconds since 1970, or 0.
  fileprivate(set) var lineage = 0

  /// Returns the events that compactions after a number removed or replaced, in the order of their positions.
  func formerEvents(since number: Int, after position: Position, limit: Int) -> [RewrittenEvent] {
    let found = former.values.filter { $0.number > number && $0.event.position > position }.map(\.event)
    return Array(found.sorted { $0.position < $1.position }.prefix(limit))
  }
}

extension MemoryRemoteServer.State {
  /// Erases a subject's values, and records the erasure if the log had values of the subject.
  mutating func erase(_ subject: String, at time: Date) throws -> ErasureReceipt {
    let before = log.revision()
    guard let receipt = try log.erasing?.commitErasure(of: subject) else {
      throw EventStoreError.unsupported("erasures", by: MemoryEventStore.self)
    }
    if log.revision() != before {
      let first = Position(try log.unchanged(since: before).rawValue + 1)
      rewritings.erasures.append(
        LogErasure(
          number: rewritings.erasures.count + 1, subject: subject, first: first, end: log.head(), time: time,
          fields: receipt.fields))
      rewritings.lineage = Int(time.microseconds)
    }
    return receipt
  }

  /// Makes a compaction's changes, and records them, unless the same compaction was made before.
  mutating func compact(_ compaction: RemoteCompaction, at time: Date) throws -> LogCompaction {
    if let done = rewritings.done[compaction.id] { return done }
    if let (follower, position) = followers.firstBehind(compaction.horizon) {
      throw CompactionError.followerBehind(follower, at: position, horizon: compaction.horizon)
    }
    guard log.revision() == compaction.revision, log.head() >= compaction.horizon, let compacting = log.compacting
    else { throw EventStoreError.rewritten }
    let number = rewritings.compactions.count + 1
    var former = rewritings.former
    _ = try compacting.commitCompaction(progress: { _ in }) { transaction in
      let plan = try CompactionPlan(following: compaction, in: transaction)
      try transaction.forEachEvent { event in
        guard let change = plan.changes[event.position] else { return }
        let rewritten = RewrittenEvent(
          position: event.position, transaction: event.transaction, stream: event.stream, version: event.version,
          ids: (former[event.position]?.event.ids ?? []) + [event.id], isCut: change == .cut)
        former[event.position] = (rewritten, number)
      }
      return CompactionReceipt(of: plan, remaining: try transaction.rewrite(plan))
    }
    let done = LogCompaction(
      number: number, erasures: rewritings.erasures.count, horizon: compaction.horizon, end: log.head(), time: time,
      cut: compaction.cutCount, replaced: compaction.replacedCount)
    (rewritings.former, rewritings.lineage) = (former, Int(time.microseconds))
    rewritings.compactions.append(done)
    rewritings.done[compaction.id] = done
    return done
  }
}
