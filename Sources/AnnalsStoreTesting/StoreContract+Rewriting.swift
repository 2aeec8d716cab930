import Annals
import AnnalsLog
import AnnalsTesting
import Dispatch
import Foundation
import Synchronization

extension StoreContract {
  /// Rules for data that a store derived from events before an erasure or a compaction.
  static let rewriting: [Rule] = [
    Rule("after an erasure or a compaction, the store neither returns nor saves lists and states of the old revision") {
      trial in
      for rewriting in Rewriting.allCases {
        let store = try trial.store()
        guard try rewriting.isPossible(in: store) else { continue }
        let state = DeciderSnapshot(fingerprint: "f", version: 1, position: 1, state: "{}")
        func save(_ list: String, at revision: LogRevision) throws -> Bool {
          try store.snapshots?.save(state, of: "s", decider: "d", revision: revision)
          guard let lists = store.savedLists else { return false }
          guard let cache = try lists.makeCache(named: list, fingerprint: "f", revision: revision) else { return false }
          let saved = SavedList(cache: cache, generation: 1, position: 1, root: [1])
          return try lists.save(saved, adding: [SavedPage(number: 1, bytes: [1])], removing: [])
        }
        func ensureSaved(_ isSaved: Bool) throws {
          try ensureEqual(
            try store.snapshots?.snapshot(of: "s", decider: "d"), isSaved && store.snapshots != nil ? state : nil)
          let list = try store.savedLists?.list(named: "n", fingerprint: "f")
          try ensureEqual(list != nil, isSaved && store.savedLists != nil)
        }
        try ensureEqual(try save("n", at: .original), store.savedLists != nil)
        try ensureSaved(true)
        try rewriting.rewrite(store)
        try ensure(
          try store.revision() != .original, "expected a new revision after the \(rewriting), found the old revision")
        try ensureSaved(false)
        // The store must refuse data that was derived from the former events.
        try ensureEqual(try save("n", at: .original), false)
        try ensureSaved(false)
        try ensureEqual(try save("n", at: store.revision()), store.savedLists != nil)
        try ensureSaved(true)
      }
    },
    Rule("an inline list shows an erasure or a compaction as soon as the call returns") { trial in
      for rewriting in Rewriting.allCases {
        let store = try trial.store()
        guard store.inlineLists != nil, store.savedLists != nil, try rewriting.isPossible(in: store) else { continue }
        let list = try store.keepList(of: Guests(), request: ListRequest(), cacheName: "guests")
        try ensureEqual(list.results.rows.map(\.name), ["Ann", "Bob"])
        try rewriting.rewrite(store)
        try ensureEqual(list.results.rows.map(\.name), rewriting == .erasure ? [nil, "Bob"] : ["Ann", "Bob"])
        try store.welcome(3, "Cleo", of: "cleo")
        try ensureEqual(
          list.results.rows.map(\.name), rewriting == .erasure ? [nil, "Bob", "Cleo"] : ["Ann", "Bob", "Cleo"])
        let again = FetchedResultsController(store: store, projection: Guests(), cacheName: "guests")
        try again.performFetch()
        try ensureEqual(again.results.rows.map(\.name), list.results.rows.map(\.name))
      }
    },
    Rule("a read in progress is unaffected by an erasure or a compaction") { trial in
      for rewriting in Rewriting.allCases {
        let store = try trial.store()
        guard try rewriting.isPossible(in: store) else { continue }
        let before = try store.everything()
        let failures = Mutex<[String]>([])
        let hasBegun = DispatchSemaphore(value: 0)
        // Two threads, because a store might wait for readers before it truncates its files.
        onThreads(2) { lane in
          do {
            if lane == 1 {
              hasBegun.wait()
              return try rewriting.rewrite(store)
            }
            try store.read { log in
              // The first read fixes the snapshot in every store.
              try ensureEqual(try log.revision(), .original)
              hasBegun.signal()
              let end = ContinuousClock.now + .seconds(2)
              while try store.revision() == .original, .now < end { Thread.sleep(forTimeInterval: 0.001) }
              try ensureEqual(try log.revision(), .original)
              try ensureEqual(try log.events(.all, after: 0, through: nil, limit: 9), before)
              try ensureEqual(try log.tail(after: 0, through: nil, limit: 9).batch.events, before)
              try ensureEqual(try log.tail(of: "Guests", after: 0).events, before)
            }
          } catch {
            failures.withLock { $0.append("\(error)") }
            hasBegun.signal()
          }
        }
        try ensureEqual(failures.withLock { $0 }, [])
        try ensure(
          try store.everything() != before, "expected changed events after the \(rewriting), found the same events")
      }
    },
    Rule("the store refuses a compaction beyond a started follower's position") { trial in
      let store = try trial.store()
      guard store.checkpoints != nil, try Rewriting.compaction.isPossible(in: store) else { return }
      let before = try store.everything()
      let follower = try EventFollower("f", of: GuestEvent.self, in: store, startingAt: .beginning) { recorded, _ in
        if recorded.position > 1 { throw Unmet(description: "stop", fileID: #fileID, line: #line) }
      }
      _ = try? follower.catchUp()
      try ensureEqual(try follower.position, 1)
      do {
        try Rewriting.compaction.rewrite(store)
        throw Unmet(
          description: "expected an error for a compaction beyond the follower's position, found none",
          fileID: #fileID, line: #line)
      } catch let error as CompactionError {
        try ensureEqual(error.code, .followerBehind)
        try ensureEqual([error.name, error.position.map { "\($0)" }], ["f", "1"])
        try ensureEqual(try store.everything(), before)
      }
      try store.forgetFollower("f", version: 1)
      try Rewriting.compaction.rewrite(store)
      try ensure(
        try store.everything().count < before.count, "expected fewer events after the compaction, found the same number"
      )
    },
    Rule(
      "a watcher is notified of all commits of its store while `externalWriters` announces commits of other writers, "
        + "and also after these announcements end"
    ) { trial in
      let store = try trial.store()
      guard let others = store.externalWriters else { return }
      let heads = Mutex<Set<Int>>([])
      let token = store.runtime.watch { [weak store] _ in
        let head = (try? store?.head().rawValue) ?? -1
        heads.withLock { _ = $0.insert(head) }
      }
      func ensureHeard(_ head: Int) throws {
        try store.append(Append([Trial.event()], to: "s"))
        try ensure(
          heads.withLock { $0.contains(head) }, "the watcher was not notified of the commit at position \(head)")
      }
      let (first, second) = (others.announce(), others.announce())
      try ensureHeard(1)
      first.cancel()
      try ensureHeard(2)
      second.cancel()
      try ensureHeard(3)
      let third = others.announce()
      try ensureHeard(4)
      third.cancel()
      token.cancel()
    },
  ]
}

/// A way to change a log's revision.
private enum Rewriting: CaseIterable {
  case erasure, compaction

  /// Appends events to rewrite, and returns whether the store supports this kind of rewriting.
  func isPossible(in store: any EventStore) throws -> Bool {
    guard self == .erasure ? store.erasing != nil : store.compacting != nil else { return false }
    try store.welcome(1, "An", of: "ann")
    try store.welcome(1, "Ann", of: "ann")
    try store.welcome(2, "Bob", of: "bob")
    return true
  }

  func rewrite(_ store: any EventStore) throws {
    switch self {
    case .erasure: try store.erase(subject: "ann")
    case .compaction:
      var compaction = Compaction()
      // The last welcome of a guest has the same effect as all of the guest's welcomes.
      compaction.rewrite(GuestEvent.self) { _, events in
        var last: [Int: Compaction.Candidate<GuestEvent>] = [:]
        for event in events { if case .welcomed(let id, _) = event.event { last[id] = event } }
        return last.values.sorted { $0.recorded.position < $1.recorded.position }
      }
      compaction.prove(Guests())
      try store.compact(compaction)
    }
  }
}

extension EventStore {
  fileprivate func welcome(_ id: Int, _ name: String, of subject: String) throws {
    let event = GuestEvent.welcomed(id: id, name: Personal(name, of: subject))
    try append(Append([try EventCoder<GuestEvent>().encode(event)], to: "Guests"))
  }
}

private enum GuestEvent: Event {
  case welcomed(id: Int, name: Personal<String>)
}

private struct Guest: Row {
  let id: Int
  /// The name, or `nil` after an erasure.
  var name: String?
}

private struct Guests: Projection {
  func project(_ event: GuestEvent, into rows: inout Rows<Guest>) {
    if case .welcomed(let id, let name) = event { rows.insert(Guest(id: id, name: name.value)) }
  }
}
