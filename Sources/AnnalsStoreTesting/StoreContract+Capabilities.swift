import Annals
import AnnalsLog
import AnnalsTesting
import Foundation
import Synchronization

extension StoreContract {
  /// Rules for the capabilities that a store can offer in addition to reading and appending.
  ///
  /// A store without a capability passes the capability's rules, but must throw an error that names the capability.
  static let capabilities: [Rule] = [
    Rule("a store without a capability throws an error that names the capability") { trial in
      let store = try trial.store()
      func ensureUnsupported(_ capability: String, _ body: () throws -> Void) throws {
        do {
          try body()
        } catch let error as EventStoreError {
          try ensureEqual(error.code, .unsupported)
          try ensureEqual(error.capability, capability)
          return
        }
        throw Unmet(
          description: "expected an error with the name of the missing capability \(capability), found no error",
          fileID: #fileID, line: #line)
      }
      if store.checkpoints == nil {
        try ensureUnsupported("checkpoints") { try store.forgetFollower("f", version: 1) }
        try ensureUnsupported("checkpoints") {
          _ = try EventFollower("f", of: PairEvent.self, in: store, startingAt: .beginning) { _, _ in }
        }
      }
      if store.snapshots == nil { try ensureUnsupported("snapshots") { try store.deleteSnapshots() } }
      if store.drafts == nil {
        try ensureUnsupported("drafts") { _ = try store.draft(named: "d") }
        try ensureUnsupported("drafts") { _ = try store.savedDrafts() }
      }
      if store.savedLists == nil {
        try ensureUnsupported("saved lists") { try store.deleteCache(withName: nil) }
        let list = FetchedResultsController(store: store, projection: Pairs(), cacheName: "pairs")
        try ensureUnsupported("saved lists") { try list.performFetch() }
      }
      // A list that is maintained during appends is also a saved list.
      if store.inlineLists == nil || store.savedLists == nil {
        try ensureUnsupported(store.inlineLists == nil ? "inline lists" : "saved lists") {
          _ = try store.keepList(of: Pairs(), request: ListRequest(), cacheName: "pairs")
        }
      }
      if store.erasing == nil { try ensureUnsupported("erasures") { try store.erase(subject: "ann") } }
      if store.compacting == nil { try ensureUnsupported("compactions") { try store.compact(Compaction()) } }
    },
    Rule(
      "a checkpoint changes only if the caller passes the checkpoint's current position, even with concurrent writers"
    ) { trial in
      let store = try trial.store()
      guard let checkpoints = store.checkpoints else { return }
      try ensureEqual(try checkpoints.checkpoint(named: "a"), nil)
      try ensureEqual(try checkpoints.setCheckpoint(named: "a", to: 1, from: 2), false)
      try ensureEqual(try checkpoints.checkpoint(named: "a"), nil)
      try ensureEqual(try checkpoints.setCheckpoint(named: "a", to: 0, from: nil), true)
      try ensureEqual(try checkpoints.setCheckpoint(named: "a", to: 3, from: nil), false)
      try ensureEqual(try checkpoints.checkpoint(named: "a"), 0)
      let wins = Mutex<[Int]>([])
      let failures = Mutex<[String]>([])
      onThreads(4) { _ in
        do {
          for number in 0..<20
          where try checkpoints.setCheckpoint(
            named: "a", to: Position(number + 1), from: Position(number))
          {
            wins.withLock { $0.append(number) }
          }
        } catch { failures.withLock { $0.append("\(error)") } }
      }
      try ensureEqual(failures.withLock { $0 }, [])
      let won = wins.withLock { $0.sorted() }
      try ensureEqual(won, Array(0..<won.count))
      try ensureEqual(try checkpoints.checkpoint(named: "a"), Position(won.count))
      // Names are compared by their Unicode scalars, like stream names.
      try ensureEqual(try checkpoints.setCheckpoint(named: "\u{E9}", to: 1, from: nil), true)
      try ensureEqual(try checkpoints.checkpoint(named: "e\u{301}"), nil)
      try checkpoints.deleteCheckpoint(named: "a")
      try checkpoints.deleteCheckpoint(named: "never")
      try ensureEqual(try checkpoints.checkpoint(named: "a"), nil)
      try ensureEqual(try checkpoints.checkpoint(named: "\u{E9}"), 1)
    },
    Rule("a claimed follower can't be claimed until its claim is released") { trial in
      let store = try trial.store()
      guard let checkpoints = store.checkpoints else { return }
      func ensureBusy(_ checkpoints: any CheckpointStore, _ follower: String) throws {
        guard case .failure(let error) = Result(catching: { try checkpoints.claim(follower: follower) }) else {
          throw Unmet(
            description: "expected the error followerBusy for a second claim, but the claim succeeded", fileID: #fileID,
            line: #line)
        }
        try ensureEqual((error as? EventStoreError)?.code, .followerBusy)
        try ensure("\(error)".contains(follower), "the message \"\(error)\" must contain the follower's name")
      }
      let claim = try checkpoints.claim(follower: "mailer")
      try ensure(claim.isHeld, "expected `isHeld` to be true for a new claim, found false")
      try ensureBusy(checkpoints, "mailer")
      // Names are compared by their Unicode scalars, like stream names.
      let others = try ["mailer/2", "\u{E9}", "e\u{301}", ""].map { try checkpoints.claim(follower: $0) }
      claim.release()
      claim.release()
      try ensure(!claim.isHeld, "expected `isHeld` to be false for a released claim, found true")
      var next: FollowerClaim? = try checkpoints.claim(follower: "mailer")
      try ensureBusy(checkpoints, "mailer")
      try ensureEqual(next?.isHeld, true)
      // A claim also ends when it's deallocated.
      next = nil
      try checkpoints.claim(follower: "mailer").release()
      for other in others { other.release() }
      // Claims on several threads are never held at the same time.
      let running = Mutex(0)
      let failures = Mutex<[String]>([])
      onThreads(4) { _ in
        for _ in 0..<20 {
          do {
            let claim = try checkpoints.claim(follower: "mailer")
            if running.withLock({ count in
              count += 1
              return count
            }) > 1 {
              failures.withLock { $0.append("two claims were held at the same time") }
            }
            running.withLock { $0 -= 1 }
            claim.release()
          } catch {
            if (error as? EventStoreError)?.code != .followerBusy { failures.withLock { $0.append("\(error)") } }
          }
        }
      }
      try ensureEqual(failures.withLock { $0 }, [])
      try checkpoints.claim(follower: "mailer").release()
    },
    Rule(
      "the store returns a saved decider state until the state is replaced, or until all states are deleted"
    ) { trial in
      let store = try trial.store()
      guard let snapshots = store.snapshots else { return }
      func state(_ version: Int, _ text: String) -> DeciderSnapshot {
        DeciderSnapshot(fingerprint: "f é", version: version, position: Position(version), state: text)
      }
      try ensureEqual(try snapshots.snapshot(of: "s", decider: "d"), nil)
      let first = state(1, #"{"a":"\u0000 é"}"#)
      try snapshots.save(first, of: "s", decider: "d", revision: .original)
      try snapshots.save(state(2, "[]"), of: "s", decider: "other", revision: .original)
      try ensureEqual(try snapshots.snapshot(of: "s", decider: "d"), first)
      try ensureEqual(try snapshots.snapshot(of: "t", decider: "d"), nil)
      try snapshots.save(state(3, "null"), of: "s", decider: "d", revision: .original)
      try ensureEqual(try snapshots.snapshot(of: "s", decider: "d"), state(3, "null"))
      // The store must refuse a state of events that the log no longer contains.
      try snapshots.save(state(4, "{}"), of: "s", decider: "d", revision: LogRevision(erasures: 1))
      try ensureEqual(try snapshots.snapshot(of: "s", decider: "d"), state(3, "null"))
      // Names are compared by their Unicode scalars, like stream names.
      try snapshots.save(state(5, "5"), of: "s", decider: "\u{E9}", revision: .original)
      try ensureEqual(try snapshots.snapshot(of: "s", decider: "e\u{301}"), nil)
      try store.deleteSnapshots()
      try ensureEqual(try snapshots.snapshot(of: "s", decider: "d"), nil)
      try ensureEqual(try snapshots.snapshot(of: "s", decider: "other"), nil)
    },
    Rule("a draft changes only if the caller passes the draft's current edition number, even with concurrent writers") {
      trial in
      let store = try trial.store()
      guard let drafts = store.drafts else { return }
      let now = store.environment.now()
      @Sendable func place(_ edition: Int, id: String = "i", _ name: String = "d") -> DraftVersion {
        DraftVersion(name: name, id: id, edition: edition)
      }
      @Sendable func command(_ number: Int) -> KeptDraft.Command {
        .init(number: number, content: .text("\(number)"))
      }
      try ensureEqual(try drafts.draft(named: "d"), nil)
      try ensureEqual(try drafts.arrange([], of: place(0), at: now), false)
      try ensureEqual(try drafts.delete(place(0)), false)
      try ensureEqual(try drafts.add(command(1), to: place(1), at: now), false)
      try ensureEqual(try drafts.draft(named: "d"), nil)
      try ensureEqual(try drafts.add(command(1), to: place(0), at: now), true)
      try ensureEqual(try drafts.add(command(2), to: place(0, id: "j"), at: now), false)
      try ensureEqual(try drafts.add(command(2), to: place(0), at: now), false)
      try ensureEqual(try drafts.add(command(2), to: place(1, id: "j"), at: now), false)
      // A draft uses a command's number only once.
      try ensureEqual(try drafts.add(command(1), to: place(1), at: now), false)
      try ensureEqual(try drafts.add(command(5), to: place(1), at: now), true)
      try ensureEqual(try drafts.arrange([1], of: place(1), at: now), false)
      try ensureEqual(try drafts.arrange([5, 1], of: place(2), at: now), true)
      try ensureEqual(
        try drafts.draft(named: "d"), KeptDraft(version: place(3), lastNumber: 5, commands: [command(5), command(1)]))
      try ensureEqual(try drafts.arrange([1], of: place(3), at: now), true)
      try ensureEqual(try drafts.add(command(5), to: place(4), at: now), false)
      try ensureEqual(try drafts.add(command(6), to: place(4), at: now), true)
      try ensureEqual(
        try drafts.draft(named: "d"), KeptDraft(version: place(5), lastNumber: 6, commands: [command(1), command(6)]))
      // Names are compared by their Unicode scalars, like stream names.
      try ensureEqual(try drafts.add(command(1), to: place(0, "\u{E9}"), at: now), true)
      try ensureEqual(try drafts.draft(named: "e\u{301}"), nil)
      try ensureEqual(try drafts.drafts().map(\.name), ["d", "\u{E9}"])
      try ensureEqual(try drafts.drafts().map(\.count), [2, 1])
      try ensureEqual(try drafts.delete(place(4)), false)
      try ensureEqual(try drafts.delete(place(5, id: "j")), false)
      try ensureEqual(try drafts.draft(named: "d")?.commands, [command(1), command(6)])
      try ensureEqual(try drafts.delete(place(5)), true)
      try ensureEqual(try drafts.draft(named: "d"), nil)
      try ensureEqual(try drafts.add(command(1), to: place(5), at: now), false)
      let wins = Mutex<[Int]>([])
      let failures = Mutex<[String]>([])
      onThreads(4) { _ in
        do {
          for number in 0..<10 where try drafts.add(command(number + 1), to: place(number, "race"), at: now) {
            wins.withLock { $0.append(number) }
          }
        } catch { failures.withLock { $0.append("\(error)") } }
      }
      try ensureEqual(failures.withLock { $0 }, [])
      let won = wins.withLock { $0.sorted() }
      try ensureEqual(won, Array(0..<won.count))
      try ensureEqual(try drafts.draft(named: "race")?.commands.map(\.number), won.map { $0 + 1 })
    },
    Rule("an erasure also erases draft commands that contain the subject's data") { trial in
      let store = try trial.store()
      guard let drafts = store.drafts, store.erasing != nil else { return }
      let now = store.environment.now()
      func command(_ number: Int, _ subjects: Set<String>, isErased: Bool = false) -> KeptDraft.Command {
        .init(number: number, content: isErased ? .erased : .text("{}"), subjects: subjects)
      }
      let subjects: [Set<String>] = [[], ["ann", "bob"], ["bob"], ["Ann"]]
      for (index, subjects) in subjects.enumerated() {
        let place = DraftVersion(name: "d", id: "i", edition: index)
        try ensureEqual(try drafts.add(command(index + 1, subjects), to: place, at: now), true)
      }
      try ensureEqual(try store.erase(subject: "ann").fields, 1)
      try ensureEqual(try store.erase(subject: "eve").fields, 0)
      try ensureEqual(
        try drafts.draft(named: "d")?.commands,
        subjects.enumerated().map { command($0.offset + 1, $0.element, isErased: $0.element.contains("ann")) })
      // A program that read the draft before the erasure can't change it, but a program that reads it now can.
      func place(_ edition: Int) -> DraftVersion { DraftVersion(name: "d", id: "i", edition: edition) }
      try ensureEqual(try drafts.draft(named: "d")?.version, place(5))
      try ensureEqual(try drafts.arrange([3, 1], of: place(4), at: now), false)
      try ensureEqual(try drafts.arrange([3, 1], of: place(5), at: now), true)
      // All open drafts notice the erasure through the revision, even if no event had a value of the subject.
      let revision = try store.revision()
      try ensure(revision != .original, "expected a new revision after an erasure in a draft, found the old revision")
      try ensureEqual(try store.unchanged(since: .original), try store.head())
    },
    Rule("an append that merges a draft either deletes the draft, or is refused and changes no data") { trial in
      let store = try trial.store()
      guard let drafts = store.drafts else { return }
      let now = store.environment.now()
      func place(_ edition: Int, id: String = "i") -> DraftVersion { DraftVersion(name: "d", id: id, edition: edition) }
      for number in 1...2 {
        let command = KeptDraft.Command(number: number, content: .text("{}"))
        try ensureEqual(try drafts.add(command, to: place(number - 1), at: now), true)
      }
      func merge(_ place: DraftVersion, commandID: String?, expecting version: Int = 0) -> Append {
        var append = Append([Trial.event()], to: "s", expecting: .exact(version))
        append.commandID = commandID
        append.endingDraft = place
        return append
      }
      for wrong in [place(1), place(3), place(2, id: "j")] {
        try store.ensureRefuses(merge(wrong, commandID: "k"), with: .draftChanged(wrong))
      }
      try store.ensureRefuses(
        merge(place(2), commandID: "k", expecting: 1),
        with: .versionConflict(stream: "s", expected: .exact(1), found: 0))
      try ensureEqual(try drafts.draft(named: "d")?.commands.count, 2)
      try ensureEqual(try store.receipt(ofCommand: "k"), nil)
      let receipt = try store.append(merge(place(2), commandID: "k"))
      try ensureEqual(receipt.count, 1)
      try ensureEqual(try drafts.draft(named: "d"), nil)
      // The merge of the draft is found under the merge's command ID and under the draft's ID.
      for id in ["k", "i"] { try ensureEqual(try store.receipt(ofCommand: id), receipt) }
      for id in ["k", "l", nil] {
        let again = try store.append(merge(place(2), commandID: id))
        try ensure(
          again == receipt && again.isRepeated,
          "a repeated merge must return the first merge's receipt, marked as repeated")
      }
      try ensureEqual(try store.head(), 1)
    },
    Rule("after an erasure, all events up to the position that `unchanged(since:)` returns are unchanged") { trial in
      let store = try trial.store()
      guard store.erasing != nil else { return }
      func personal(_ subject: String) -> NewEvent {
        NewEvent(type: "P", payload: #"{"a":{"$personal":"\#(subject)","value":1}}"#)
      }
      try store.append(
        Append([Trial.event(), personal("ann"), personal("bob"), personal("cid"), Trial.event()], to: "s"))
      var known: [(revision: LogRevision, events: [StoredEvent], most: Int)] = []
      // The last subject has no values, so its erasure changes no event.
      for (subject, first) in [("bob", 3), ("cid", 4), ("ann", 2), ("eve", 6)] {
        known.append((try store.revision(), try store.events(.all, after: 0, through: nil, limit: 9), 5))
        try store.erase(subject: subject)
        let now = try store.events(.all, after: 0, through: nil, limit: 9)
        for index in known.indices {
          known[index].most = min(known[index].most, first - 1)
          let end = try store.unchanged(since: known[index].revision).rawValue
          try ensureEqual(end <= known[index].most, true)
          try ensureEqual(Array(now.prefix(end)), Array(known[index].events.prefix(end)))
        }
        let present = try store.revision()
        try ensureEqual(try store.unchanged(since: present), 5)
      }
    },
    Rule("the store returns a list and its pages as they were last saved, and refuses to save an outdated list") {
      trial in
      guard let lists = try trial.store().savedLists else { return }
      try ensureEqual(try lists.list(named: "n", fingerprint: "f"), nil)
      guard let cache = try lists.makeCache(named: "n", fingerprint: "f", revision: .original) else {
        throw Unmet(
          description: "`makeCache` created no cache for the log's current revision", fileID: #fileID, line: #line)
      }
      try lists.add([SavedPage(number: 1, bytes: [1, 0, 255])], toCache: cache)
      try ensureEqual(try lists.list(named: "n", fingerprint: "f"), nil)
      let list = SavedList(cache: cache, generation: 1, position: 7, root: [0, 9])
      try ensureEqual(try lists.save(list, adding: [SavedPage(number: 2, bytes: [])], removing: []), true)
      try ensureEqual(try lists.list(named: "n", fingerprint: "f"), list)
      try ensureEqual(try lists.list(named: "n", fingerprint: "g"), nil)
      try ensureEqual(try lists.list(named: "m", fingerprint: "f"), nil)
      try ensureEqual(try lists.page(1, ofCache: cache), [1, 0, 255])
      try ensureEqual(try lists.page(2, ofCache: cache), [])
      try ensureEqual(try lists.page(3, ofCache: cache), nil)
      // Another writer saved first.
      try ensureEqual(try lists.save(list, adding: [SavedPage(number: 4, bytes: [4])], removing: [1]), false)
      try ensureEqual(try lists.page(1, ofCache: cache), [1, 0, 255])
      try ensureEqual(try lists.page(4, ofCache: cache), nil)
      let second = SavedList(cache: cache, generation: 2, position: 9, root: [1])
      try ensureEqual(try lists.save(second, adding: [SavedPage(number: 3, bytes: [3])], removing: [1]), true)
      try ensureEqual(try lists.list(named: "n", fingerprint: "f"), second)
      try ensureEqual(try lists.page(1, ofCache: cache), nil)
      try ensureEqual(try lists.page(3, ofCache: cache), [3])
      try ensure(
        try lists.byteLimit() > 4,
        "`byteLimit()` must return more than 4 bytes for all pages, but returned 4 or less")
    },
    Rule(
      "the store gives every cache a unique number, and a saved list replaces the earlier list with the same name and "
        + "fingerprint"
    ) { trial in
      let store = try trial.store()
      guard let lists = store.savedLists else { return }
      func save(_ name: String, at position: Position) throws -> SavedList {
        guard let cache = try lists.makeCache(named: name, fingerprint: "f", revision: .original) else {
          throw Unmet(
            description: "`makeCache` created no cache for the log's current revision", fileID: #fileID, line: #line)
        }
        let list = SavedList(cache: cache, generation: 1, position: position, root: [])
        try ensureEqual(try lists.save(list, adding: [SavedPage(number: 1, bytes: [7])], removing: []), true)
        return list
      }
      let (first, other, second) = (try save("n", at: 1), try save("m", at: 2), try save("n", at: 3))
      try ensureEqual(Set([first.cache, other.cache, second.cache]).count, 3)
      try ensureEqual(try lists.list(named: "n", fingerprint: "f"), second)
      try ensureEqual(try lists.list(named: "m", fingerprint: "f"), other)
      try ensureEqual(
        try lists.makeCache(named: "n", fingerprint: "f", revision: LogRevision(erasures: 1)), nil)
      try store.deleteCache(withName: "n")
      try ensureEqual(try lists.list(named: "n", fingerprint: "f"), nil)
      try ensureEqual(try lists.list(named: "m", fingerprint: "f"), other)
      try ensureEqual(
        try lists.save(SavedList(cache: second.cache, generation: 2, position: 4, root: []), adding: [], removing: []),
        false)
      try store.deleteCache(withName: nil)
      try ensureEqual(try lists.list(named: "m", fingerprint: "f"), nil)
      // Names are compared by their Unicode scalars, like stream names.
      let exact = try save("\u{E9}", at: 6)
      try ensureEqual(try lists.list(named: "e\u{301}", fingerprint: "f"), nil)
      try store.deleteCache(withName: "e\u{301}")
      try ensureEqual(try lists.list(named: "\u{E9}", fingerprint: "f"), exact)
      let third = try save("n", at: 5)
      try ensure(
        ![first.cache, other.cache, second.cache].contains(third.cache),
        "a new cache has the number of an earlier cache")
    },
    Rule(
      "a list in a newer cache replaces a saved list in an older cache, but a list in an older cache can't replace a "
        + "saved list in a newer cache"
    ) { trial in
      guard let lists = try trial.store().savedLists else { return }
      func make() throws -> Int {
        guard let cache = try lists.makeCache(named: "n", fingerprint: "f", revision: .original) else {
          throw Unmet(
            description: "`makeCache` created no cache for the log's current revision", fileID: #fileID, line: #line)
        }
        return cache
      }
      func list(_ cache: Int, at position: Position) -> SavedList {
        SavedList(cache: cache, generation: 1, position: position, root: [])
      }
      let (early, late) = (try make(), try make())
      let newer = list(late, at: 9)
      try ensureEqual(try lists.save(newer, adding: [], removing: []), true)
      try ensureEqual(try lists.save(list(early, at: 8), adding: [], removing: []), false)
      try ensureEqual(try lists.list(named: "n", fingerprint: "f"), newer)
      // An older list can replace a list that turned out to be wrong.
      let known = list(try make(), at: 8)
      try ensureEqual(try lists.save(known, adding: [], removing: []), true)
      try ensureEqual(try lists.list(named: "n", fingerprint: "f"), known)
    },
    Rule("a controller starts with the list that another controller saved") { trial in
      let store = try trial.store()
      guard store.savedLists != nil else { return }
      func list() -> FetchedResultsController<Pair> {
        FetchedResultsController(store: store, projection: Pairs(), cacheName: "pairs")
      }
      try store.keep((1...100).map { .set(id: $0 % 10, to: $0) })
      let first = list()
      try first.performFetch()
      try first.saveCache()
      try store.keep([.set(id: 3, to: 0), .set(id: 11, to: 1)])
      let second = list()
      try second.performFetch()
      try ensureEqual(second.cacheReport.restored, 100)
      try ensureEqual(second.results.rows.map(\.id), Array(0...9) + [11])
      try ensureEqual(second.results.rows.map(\.count)[3], 0)
      try ensureEqual(second.results.position, 102)
    },
    Rule("an inline list shows an append's events as soon as the append returns") { trial in
      let store = try trial.store()
      guard store.inlineLists != nil else { return }
      let list = try store.keepList(of: Pairs(), request: ListRequest(), cacheName: "pairs")
      for number in 1...20 {
        try store.keep([.set(id: number % 3, to: number), .set(id: number % 3 + 3, to: -number)])
        try ensureEqual(list.results.position, Position(2 * number))
        try ensureEqual(list.results.rows.count, min(6, 2 * number))
      }
      try ensureEqual(list.results.rows.map(\.count), [18, 19, 20, -18, -19, -20])
      let again = FetchedResultsController(store: store, projection: Pairs(), cacheName: "pairs")
      try again.performFetch()
      try ensureEqual(again.results.rows.map(\.count), [18, 19, 20, -18, -19, -20])
    },
    Rule("a follower handles every event once, even if the follower is restarted") { trial in
      let store = try trial.store()
      guard store.checkpoints != nil else { return }
      let seen = Mutex<[Position]>([])
      func run() throws {
        try EventFollower("f", of: PairEvent.self, in: store, startingAt: .beginning) { recorded, _ in
          seen.withLock { $0.append(recorded.position) }
        }.catchUp()
      }
      try store.keep([.set(id: 1, to: 1), .set(id: 2, to: 2)])
      try store.append(Append([Trial.event()], to: "other"))
      try run()
      try store.keep([.set(id: 3, to: 3)])
      try run()
      try run()
      try ensureEqual(seen.withLock { $0 }, [1, 2, 4])
    },
  ]
}

extension EventStore {
  func keep(_ events: [PairEvent]) throws {
    let coder = try EventCoder<PairEvent>()
    try append(Append(events.map { try coder.encode($0) }, to: "pairs"))
  }
}

enum PairEvent: Event {
  case set(id: Int, to: Int)
}

struct Pair: Row {
  let id: Int
  var count: Int
}

struct Pairs: Projection {
  func project(_ event: PairEvent, into rows: inout Rows<Pair>) {
    if case .set(let id, let count) = event { rows.insert(Pair(id: id, count: count)) }
  }
}
