import Annals
import AnnalsLog
import AnnalsRemote
import AnnalsTesting
import Foundation

extension RemoteCompactingContract {
  /// Rules for the records that a store keeps of its compactions.
  static let notes: [Rule] = [
    rule(
      "the store records every compaction's number, the position through which the log was compacted, the log's last "
        + "position, and the number of earlier erasures"
    ) { store, compacting in
      try await store.append(Append([said(1, of: "ann"), said(2), said(3), said(4)], to: "s"))
      let first = try await compact(store, compacting, through: 4, cut: [2])
      if store.erasing != nil { try await store.erase(subject: "ann") }
      try await store.append(Append([said(5)], to: "s"))
      let second = try await compact(
        store, compacting, through: 4, cut: [3], replaced: [4: said(9, id: "new")], id: "2")
      let all = try await compacting.compactions(after: 0, limit: 9)
      try expect("the recorded compactions", all, [first, second])
      try expect("the compactions' numbers", all.map(\.number), [1, 2])
      try expect(
        "the number of earlier erasures per compaction", all.map(\.erasures), [0, store.erasing == nil ? 0 : 1])
      try expect("the positions through which the log was compacted", all.map(\.horizon), [4, 4])
      try expect("the log's last position at each compaction", all.map(\.end), [4, 5])
      try expect("the number of removed events per compaction", all.map(\.cut), [1, 1])
      try expect("the number of replaced events per compaction", all.map(\.replaced), [0, 1])
      try expect(
        "the compactions after number 1, with the limit 1",
        try await compacting.compactions(after: 1, limit: 1), [second])
      try expect("the compactions after number 2", try await compacting.compactions(after: 2, limit: 5), [])
      try expect("whether the compactions' times are in order", all[0].time <= all[1].time, true)
      let reading = try await store.ask([])
      try expect(
        "the log's lineage, which is the time of the last compaction in microseconds since 1970", reading.lineage,
        Int((all[1].time.timeIntervalSince1970 * 1e6).rounded()))
    },
    rule(
      "the store lists removed and replaced events with all their identities, page by page, in the order of positions"
    ) {
      store, compacting in
      try await store.append(Append([said(1, id: "a1"), said(2, id: "a2"), said(3, id: "a3")], to: "s"))
      try await store.append(Append([said(4, id: "a4")], to: "t"))
      try await compact(
        store, compacting, through: 4, cut: [1], replaced: [3: said(8, id: "b3"), 4: said(9, id: "b4")], id: "1")
      try await compact(store, compacting, through: 4, cut: [3], replaced: [2: said(7, id: "c2")], id: "2")
      func former(
        _ position: Int, _ transaction: Int, _ stream: StreamName, _ version: Int, _ ids: [String], isCut: Bool
      ) -> RewrittenEvent {
        RewrittenEvent(
          position: Position(position), transaction: transaction, stream: stream, version: version,
          ids: ids.map { EventID(source: "urn:contract", id: $0) }, isCut: isCut)
      }
      let all = [
        former(1, 1, "s", 1, ["a1"], isCut: true), former(2, 1, "s", 2, ["a2"], isCut: false),
        former(3, 1, "s", 3, ["a3", "b3"], isCut: true), former(4, 2, "t", 1, ["a4"], isCut: false),
      ]
      try expect(
        "all removed and replaced events", try await compacting.formerEvents(since: 0, after: 0, limit: 9), all)
      try expect(
        "a page of removed and replaced events",
        try await compacting.formerEvents(since: 0, after: 1, limit: 2), Array(all[1...2]))
      try expect(
        "the events that were removed or replaced since compaction 1",
        try await compacting.formerEvents(since: 1, after: 0, limit: 9),
        Array(all[1...2]))
      try expect(
        "the events that were removed or replaced since compaction 2",
        try await compacting.formerEvents(since: 2, after: 0, limit: 9), [])
    },
    rule("the store refuses a compaction of an outdated revision, and runs a repeated compaction only once") {
      store, compacting in
      try await store.append(Append([said(1), said(2), said(3)], to: "s"))
      let old = try await store.revision()
      let first = try await compact(store, compacting, through: 3, cut: [1])
      let before = try await everything(store)
      var changes = CompactionEdits()
      changes.add(.cut, at: 2)
      try await expect(.rewritten) {
        _ = try await compacting.commitCompaction(
          RemoteCompaction(id: "other", revision: old, horizon: 3, changes: changes))
      }
      try expect("the events", try await everything(store), before)
      changes = CompactionEdits()
      changes.add(.cut, at: 1)
      let again = try await compacting.commitCompaction(
        RemoteCompaction(id: "once", revision: old, horizon: 3, changes: changes))
      try expect("the repeated compaction's receipt", again, first)
      try expect("the number of recorded compactions", try await compacting.compactions(after: 0, limit: 9).count, 1)
    },
    rule("a compaction beyond a follower's position is refused, and the error names the follower") {
      store, compacting in
      guard let checkpoints = store.checkpoints else { return }
      for number in 1...4 { try await store.append(Append([said(number)], to: "s")) }
      let follower = FollowerID("mailer \"1\"", version: 2)
      let share = try await checkpoints.claim(RemoteCheckpointContract.claim("w", of: follower, partitions: 2))
      func save(_ positions: [Int]) async throws {
        for (lease, position) in zip(share.leases, positions) {
          _ = try await checkpoints.save(FollowerProgress(position: Position(position)), under: lease)
        }
      }
      try await save([4, 2])
      do {
        try await compact(store, compacting, through: 3, cut: [1])
      } catch let error as CompactionError {
        try expect("the error's code", error.code, .followerBehind)
        try expect(
          "the follower that the error names", [error.name, error.version.map { "\($0)" }], ["mailer \"1\"", "2"])
        try expect("the position that the error names", error.position, 2)
      }
      try expect("the number of events", try await everything(store).count, 4)
      try await save([4, 3])
      try await compact(store, compacting, through: 3, cut: [1])
    },
  ]

  /// Rules for replicas of a compacted log.
  static let copies: [Rule] = [
    rule(
      "a compaction can be repeated in a replica, even if the replica contains only some or none of the compacted "
        + "events"
    ) {
      store, compacting in
      for number in 1...3 { try await store.append(Append([said(number), said(number)], to: "s")) }
      let (past, before, new) = (MemoryEventStore(), MemoryEventStore(), MemoryEventStore())
      try await Replica(of: store, in: before).catchUp()
      for number in 4...6 {
        try await store.append(Append([said(number), said(number)], to: StreamName("t\(number)")))
      }
      try await Replica(of: store, in: past).catchUp()
      try await compact(store, compacting, through: 10, cut: [1, 2, 6, 7, 10], replaced: [9: said(99, id: "new")])
      try await store.append(Append([said(7)], to: "s"))
      for (name, log) in [("with all events", past), ("with some events", before), ("without events", new)] {
        let replica = Replica(of: store, in: log)
        try expect("the position of the replica \(name)", try await replica.catchUp(), 13)
        let events = try replica.log.events(.all, after: 0, through: nil, limit: 1_000)
        try expect("the events of the replica \(name)", events, try await everything(store))
        try expect("the stream's version in the replica \(name)", log.version(of: "t5"), 2)
      }
    }
  ]
}
