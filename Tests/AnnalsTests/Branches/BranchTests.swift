@testable import Annals
@testable import AnnalsLog
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// A branch shows what its base would be with its commands, and nothing of it reaches the base before it is merged.
@Suite(.serialized) struct BranchTests {
  @Test func `what is executed on a branch is on the branch alone, until it is merged`() throws {
    let store: any EventStore = MemoryEventStore()
    try store.execute(.take(1, "Ann"), on: Hall["main"])
    let draft = try store.branch()
    #expect(draft.fork == 1)
    try draft.execute(.take(2, "Bob"), on: Hall["main"])
    try draft.execute(.leave(1), on: Hall["main"])
    #expect(try draft.state(of: Hall["main"]).seats == [2: "Bob"])
    #expect(try store.state(of: Hall["main"]).seats == [1: "Ann"])
    #expect(try store.head() == 1 && draft.head() == 3 && draft.version(of: "Hall-main") == 3)
    let receipt = try draft.merge()
    #expect(receipt.position == 3 && receipt.count == 2)
    #expect(try store.state(of: Hall["main"]).seats == [2: "Bob"])
  }

  @Test func `what the base appends after the fork is not seen by the branch`() throws {
    let store: any EventStore = MemoryEventStore()
    try store.execute(.take(1, "Ann"), on: Hall["main"])
    let draft = try store.branch()
    try store.execute(.take(2, "Bob"), on: Hall["main"], commandID: "b")
    #expect(try draft.state(of: Hall["main"]).seats == [1: "Ann"])
    #expect(try draft.version(of: "Hall-main") == 1 && draft.head() == 1)
    let id = try #require(try store.events(.all, after: 1, through: nil, limit: 1).first?.id)
    #expect(try draft.position(of: id) == nil && draft.receipt(ofCommand: "b") == nil)
    try draft.execute(.take(2, "Cid"), on: Hall["main"])
    #expect(try draft.state(of: Hall["main"]).seats == [1: "Ann", 2: "Cid"])
  }

  @Test func `commands that the base refuses are all named, and nothing is merged`() throws {
    let store: any EventStore = MemoryEventStore()
    let draft = try store.branch()
    try draft.execute(.take(1, "Ann"), on: Hall["main"])
    try draft.execute(.take(2, "Bob"), on: Hall["main"], commandID: "two")
    try draft.execute(.take(3, "Cid"), on: Hall["main"])
    try store.execute(.take(1, "Eve"), on: Hall["main"])
    try store.execute(.take(3, "Eve"), on: Hall["main"])
    let found = #expect(throws: Branch.MergeError.self) { try draft.merge() }
    let conflicts = try #require(found)
    #expect(conflicts.refused.map(\.command.number) == [1, 3] && conflicts.count == 3 && conflicts.position == 2)
    #expect(conflicts.refused.map { $0.error as? Hall.Refusal } == [.taken(by: "Eve"), .taken(by: "Eve")])
    #expect("\(conflicts)".hasPrefix("at position 2, the base refuses 2 of the branch's 3 commands, so"))
    #expect("\(conflicts)".contains("1 Hall: take(1, \"Ann\")"))
    #expect(try store.head() == 2)
    // The branch is what it was, and merges once the way is free.
    try store.execute(.leave(1), on: Hall["main"])
    try store.execute(.leave(3), on: Hall["main"])
    #expect(try draft.state(of: Hall["main"]).seats.count == 3)
    #expect(try draft.merge().count == 3)
    #expect(try store.state(of: Hall["main"]).seats == [1: "Ann", 2: "Bob", 3: "Cid"])
  }

  @Test func `a merge is one transaction, done once, and ends the branch`() throws {
    let store: any EventStore = MemoryEventStore()
    let draft = try store.branch()
    for seat in 1...3 { try draft.execute(.take(seat, "Ann"), on: Hall["\(seat)"]) }
    let receipt = try draft.merge(commandID: "merge")
    #expect(try Set(store.events(.all, after: 0, through: nil, limit: 9).map(\.transaction)).count == 1)
    #expect(try draft.merge() == receipt.repeated())
    #expect(try store.receipt(ofCommand: "merge") == receipt)
    let error = #expect(throws: EventStoreError.self) {
      try draft.execute(.take(9, "Ann"), on: Hall["main"])
    }
    #expect(error?.code == .closed)
    // Another branch whose merge has the same id adds nothing.
    let again = try store.branch()
    try again.execute(.take(9, "Ann"), on: Hall["9"])
    #expect(try again.merge(commandID: "merge").isRepeated)
    #expect(try store.head() == 3)
    // What shows the branch goes on to show it.
    #expect(try draft.head() == 3)
  }

  @Test func `a branch that is discarded takes no command, and cannot be merged`() throws {
    let store: any EventStore = MemoryEventStore()
    let draft = try store.branch()
    try draft.execute(.take(1, "Ann"), on: Hall["main"])
    draft.discard()
    for call in [{ try draft.execute(.leave(1), on: Hall["main"]) }, { try draft.merge() }] {
      #expect(#expect(throws: EventStoreError.self) { try call() }?.code == .closed)
    }
    #expect(try store.head() == 0 && draft.head() == 1)
  }

  @Test func `a branch begins where the log can be cut`() throws {
    let store: any EventStore = MemoryEventStore()
    try store.transaction { transaction in
      for seat in 1...2 { try transaction.execute(.take(seat, "Ann"), on: Hall["main"]) }
    }
    try store.execute(.leave(1), on: Hall["main"])
    #expect(try store.branch(at: 0).head() == 0)
    #expect(try store.branch(at: 2).state(of: Hall["main"]).seats.count == 2)
    for position in [1, 4] as [Position] {
      let error = #expect(throws: EventStoreError.self) { try store.branch(at: position) }
      #expect(error?.code == .notFound, "\(position)")
    }
  }

  @Test func `a command that names the version it expects is merged where the stream is what it was`() throws {
    let store: any EventStore = MemoryEventStore()
    try store.execute(.take(1, "Ann"), on: Hall["main"])
    let (draft, other) = (try store.branch(), try store.branch())
    for branch in [draft, other] {
      try branch.execute(.take(2, "Bob"), on: Hall["main", expecting: .exact(1)])
      try branch.execute(.take(3, "Bob"), on: Hall["main", expecting: .exact(2)])
    }
    #expect(try draft.merge().count == 2)
    let conflicts = #expect(throws: Branch.MergeError.self) { try other.merge() }
    #expect(conflicts?.refused.map { ($0.error as? EventStoreError)?.code } == [.versionConflict, .versionConflict])
  }

  @Test func `events that were appended to a branch are merged as they are`() throws {
    let store: any EventStore = MemoryEventStore()
    let draft = try store.branch()
    let when = Date(timeIntervalSince1970: 1_000)
    try draft.append(
      Append([NewEvent(type: "SeatTaken", payload: #"{"seat":1,"name":"Ann"}"#, time: when)], to: "Hall-main"))
    try draft.merge()
    let event = try #require(try store.events(.all, after: 0, through: nil, limit: 2).first)
    #expect(event.time == when && event.payload == #"{"seat":1,"name":"Ann"}"#)
    #expect(draft.commands.map(\.description).first?.hasPrefix("1 events: ") == true)
  }

  @Test func `an id of a command counts on the branch, and stays with its events`() throws {
    let store: any EventStore = MemoryEventStore()
    let draft = try store.branch()
    let first = try draft.execute(.take(1, "Ann"), on: Hall["main"], commandID: "one")
    #expect(try draft.execute(.take(1, "Ann"), on: Hall["main"], commandID: "one") == first.repeated())
    try draft.merge(commandID: "all")
    let event = try #require(try store.events(.all, after: 0, through: nil, limit: 1).first)
    #expect(event.metadata.causation == "one")
    #expect(try store.receipt(ofCommand: "one") == nil)
  }

  @Test(arguments: [false, true])
  func `a merge leaves out a command that the base executed under its id, and refuses a reused id`(
    floating: Bool
  ) throws {
    let store: any EventStore = MemoryEventStore()
    let draft = try store.branch(floating: floating)
    try draft.execute(.take(1, "Ann"), on: Hall["main"], commandID: "one")
    try draft.execute(.take(2, "Bob"), on: Hall["main"], commandID: "two")
    try store.execute(.take(1, "Ann"), on: Hall["main"], commandID: "one")
    // The seat is free again, so the decider would accept the command a second time.
    try store.execute(.leave(1), on: Hall["main"])
    let reusing = try store.branch(floating: floating)
    try reusing.execute(.take(3, "Cid"), on: Hall["main"], commandID: "three")
    try store.execute(.take(4, "Dan"), on: Hall["main"], commandID: "three")
    #expect(try draft.merge().count == 1)
    #expect(try store.state(of: Hall["main"]).seats == [2: "Bob", 4: "Dan"])
    let conflicts = #expect(throws: Branch.MergeError.self) { try reusing.merge() }
    #expect((conflicts?.refused.first?.error as? EventStoreError)?.code == .commandReused)
    try reusing.drop(reusing.commands[0])
    #expect(try reusing.merge().count == 0 && store.head() == 4)
  }

  @Test func `a branch of a branch is merged into it, and with it into the base`() throws {
    let store: any EventStore = MemoryEventStore()
    try store.execute(.take(1, "Ann"), on: Hall["main"])
    let outer = try store.branch()
    try outer.execute(.take(2, "Bob"), on: Hall["main"])
    let inner = try outer.branch()
    try inner.execute(.take(3, "Cid"), on: Hall["main"])
    try inner.execute(.leave(1), on: Hall["main"])
    #expect(try outer.state(of: Hall["main"]).seats == [1: "Ann", 2: "Bob"])
    try inner.merge()
    #expect(outer.commands.count == 2)
    #expect(try store.state(of: Hall["main"]).seats == [1: "Ann"])
    try outer.merge()
    #expect(try store.state(of: Hall["main"]).seats == [2: "Bob", 3: "Cid"])
  }

  @Test func `a draft that follows its base has the commands that are not refused, and says which are`() throws {
    let store: any EventStore = MemoryEventStore()
    let draft = try store.branch()
    try draft.execute(.take(1, "Ann"), on: Hall["main"])
    try draft.execute(.take(2, "Bob"), on: Hall["main"], commandID: "two")
    try draft.execute(.leave(1), on: Hall["main"])
    try store.execute(.take(1, "Eve"), on: Hall["main"])
    let (next, refused) = try draft.rebased()
    #expect(next.fork == 1 && refused.map(\.command.number) == [1])
    #expect(try next.state(of: Hall["main"]).seats == [2: "Bob"])
    #expect(try next.receipt(ofCommand: "two")?.position == 2)
    // The first one is what it was.
    #expect(try draft.state(of: Hall["main"]).seats == [2: "Bob"] && draft.commands.count == 3)
    #expect(throws: Branch.MergeError.self) { try draft.merge() }
    try next.merge()
    #expect(try store.state(of: Hall["main"]).seats == [2: "Bob"])
    // What the base has by its id is not executed twice.
    let other = try store.branch(at: 1)
    try other.execute(.take(3, "Cid"), on: Hall["main"], commandID: "three")
    try other.execute(.take(5, "Dan"), on: Hall["main"], commandID: "five")
    try store.execute(.take(3, "Cid"), on: Hall["main"], commandID: "three")
    try store.execute(.take(6, "Dan"), on: Hall["main"], commandID: "five")
    let again = try other.rebased()
    #expect(again.branch.commands.isEmpty && again.refused.map(\.command.number) == [2])
    // The id of the other one was used for another command, so it isn't in the base.
    #expect((again.refused.first?.error as? EventStoreError)?.code == .commandReused)
  }

  @Test func `commands are left out of a branch, and put in another order`() throws {
    let store: any EventStore = MemoryEventStore()
    let draft = try store.branch()
    try draft.execute(.take(1, "Ann"), on: Hall["main"])
    try draft.execute(.leave(1), on: Hall["main", expecting: .exact(1)])
    try draft.execute(.take(2, "Bob"), on: Hall["main", expecting: .exact(2)])
    let without = try draft.rebased(draft.commands.filter { $0.number == 1 })
    #expect(try without.branch.state(of: Hall["main"]).seats == [1: "Ann"])
    let turned = try draft.rebased(draft.commands.reversed())
    // What a command expects of its stream is asked again.
    #expect(turned.refused.map(\.command.number) == [3, 2])
    let whole = try draft.rebased()
    #expect(whole.refused.isEmpty)
    // And once more where it is merged: the third finds the version that it expects, because the second is refused.
    try store.execute(.take(7, "Eve"), on: Hall["main"])
    let conflicts = #expect(throws: Branch.MergeError.self) { try whole.branch.merge() }
    #expect(conflicts?.refused.map(\.command.number) == [2])
  }

  @Test func `a transaction of a branch expects its streams as they were before it, also where it is merged`() throws {
    let store: any EventStore = MemoryEventStore()
    try store.execute(.take(1, "Ann"), on: Hall["main"])
    let outer = try store.branch()
    let draft = try outer.branch()
    try draft.transaction { transaction in
      for seat in 2...3 {
        try transaction.execute(.take(seat, "Bob"), on: Hall["main", expecting: .exact(1)])
      }
    }
    try draft.transaction { transaction in
      for seat in 4...5 {
        try transaction.execute(.take(seat, "Bob"), on: Hall["main", expecting: .exact(3)])
      }
    }
    #expect(try draft.rebased().refused.isEmpty)
    try draft.merge()
    #expect(try outer.rebased().refused.isEmpty)
    try outer.merge()
    #expect(try store.state(of: Hall["main"]).seats.count == 5)
  }

  @Test func `what a refused transaction had decided is nothing that later commands are decided on`() throws {
    let store: any EventStore = MemoryEventStore()
    let draft = try store.branch()
    try draft.execute(.take(7, "Bob"), on: Hall["main"])
    try draft.transaction { transaction in
      for seat in [2, 1] { try transaction.execute(.take(seat, "Bob"), on: Hall["main"]) }
    }
    try draft.execute(.leave(2), on: Hall["main"])
    try draft.execute(.leave(7), on: Hall["main"])
    try store.execute(.take(1, "Eve"), on: Hall["main"])
    let conflicts = #expect(throws: Branch.MergeError.self) { try draft.merge() }
    #expect(conflicts?.refused.map(\.command.number) == [2, 3])
    #expect(try draft.rebased().refused.map(\.command.number) == [2, 3])
  }

  @Test func `a branch from the beginning has no versions, also of a base that was compacted`() throws {
    let store: any EventStore = MemoryEventStore()
    for seat in 1...3 { try store.execute(.take(seat, "Ann"), on: Hall["main"]) }
    for seat in 1...2 { try store.execute(.leave(seat), on: Hall["main"]) }
    try store.compact(compaction)
    let draft = try store.branch(at: 0)
    #expect(try draft.version(of: "Hall-main") == 0)
    #expect(try draft.execute(.take(9, "Bob"), on: Hall["main", expecting: .exact(0)]).position == 1)
  }

  @Test func `a branch that is discarded during a refused merge is closed, and its draft is deleted`() throws {
    let store: any EventStore = MemoryEventStore()
    let draft = try store.draft(named: "form", deciders: .of(Interrupting.self))
    for branch in [try store.branch(), draft] {
      try branch.execute(.interrupt, on: Interrupting["x"])
      Interrupting.action.withLock {
        $0 = {
          branch.discard()
          throw Interrupting.Refused()
        }
      }
      #expect(throws: Branch.MergeError.self) { try branch.merge() }
      #expect(#expect(throws: EventStoreError.self) { try branch.merge() }?.code == .closed)
    }
    #expect(try store.savedDrafts().isEmpty)
  }

  @Test func `a command is dropped although another command was added in the meantime`() throws {
    let draft = try (MemoryEventStore() as any EventStore).branch()
    try draft.execute(.take(1, "Ann"), on: Hall["main"])
    try draft.execute(.interrupt, on: Interrupting["x"])
    Interrupting.action.withLock { $0 = { try draft.execute(.take(2, "Bob"), on: Hall["main"]) } }
    #expect(try draft.drop(draft.commands[0]).isEmpty)
    #expect(draft.commands.map(\.number) == [2, 3])
    #expect(try draft.state(of: Hall["main"]).seats == [2: "Bob"])
  }

  @Test func `events of a refused command are absent when the merge decides the next command`() throws {
    let store: any EventStore = MemoryEventStore()
    let draft = try store.branch()
    var event = NewEvent(type: "SeatTaken", payload: #"{"seat":1,"name":"Ann"}"#)
    event.id = EventID(source: "test", id: "1")
    try draft.append(Append([event], to: "Hall-main"))
    try draft.execute(.take(2, "Bob"), on: Hall["main"])
    try store.append(Append([event], to: "Hall-other"))
    try store.execute(.take(3, "Cid"), on: Hall["main"])
    try draft.execute(.leave(1), on: Hall["main"])
    let conflicts = try #require(#expect(throws: Branch.MergeError.self) { try draft.merge() })
    // Seat 1 is free without the refused event, so the command that leaves it is refused, too.
    #expect(conflicts.refused.map(\.command.number) == [1, 3])
    #expect(conflicts.refused.last?.error as? Hall.Refusal == .free)
  }

  @Test func `a follower cannot stand on a branch`() throws {
    let draft = try MemoryEventStore().branch()
    #expect(draft.checkpoints == nil && draft.snapshots == nil && draft.savedLists == nil && draft.inlineLists == nil)
    #expect(draft.erasing == nil && draft.compacting == nil)
  }

  @Test @MainActor func `lists on a branch and on its base show each its own, and the base's a merge as one batch`()
    throws
  {
    let store: any EventStore = MemoryEventStore()
    try store.execute(.take(1, "Ann"), on: Hall["main"])
    let draft = try store.branch()
    let request = ListRequest<Seat>(sort: [.ascending(\.id)])
    let (shown, drafted) = (
      FetchedResultsController(store: store, projection: Seats(), request: request),
      FetchedResultsController(store: draft, projection: Seats(), request: request)
    )
    try shown.performFetch()
    try drafted.performFetch()
    var batches = 0
    let observation = shown.observe { changes in batches += changes.isEmpty ? 0 : 1 }
    defer { observation.cancel() }
    try draft.execute(.take(2, "Bob"), on: Hall["main"])
    try draft.execute(.take(3, "Cid"), on: Hall["main"])
    try store.execute(.take(9, "Eve"), on: Hall["main"])
    #expect(drafted.results.rows.map(\.id) == [1, 2, 3])
    #expect(shown.results.rows.map(\.id) == [1, 9] && batches == 1)
    try draft.merge()
    #expect(shown.results.rows.map(\.id) == [1, 2, 3, 9] && batches == 2)
    #expect(drafted.results.rows.map(\.id) == [1, 2, 3])
    try drafted.seek(to: 2)
    #expect(drafted.results.rows.map(\.id) == [1, 2])
  }

  @Test func `a merge that is awaited is the same merge`() async throws {
    let store: any EventStore = MemoryEventStore()
    let draft = try store.branch()
    try await draft.execute(.take(1, "Ann"), on: Hall["main"])
    let receipt = try await draft.merge()
    #expect(receipt.count == 1)
    #expect(try await draft.merge() == receipt.repeated())
    #expect(try store.head() == 1)
  }

  @Test @MainActor func `what is erased from the base is erased from the lists of a branch`() throws {
    let store: any EventStore = MemoryEventStore()
    try store.append([GuestEvent.came(id: 1, name: Personal("Ann", of: "ann"))], to: "guests")
    let draft = try store.branch()
    let list = FetchedResultsController(store: draft, projection: Guests(), request: ListRequest())
    try list.performFetch()
    #expect(list.results.rows.map(\.name) == ["Ann"])
    try store.erase(subject: "ann")
    #expect(list.results.rows.map(\.name) == ["-"])
  }

  @Test @MainActor func `an erasure is shown immediately by the list of a draft with commands`() throws {
    let store: any EventStore = MemoryEventStore()
    try store.append([GuestEvent.came(id: 1, name: Personal("Ann", of: "ann"))], to: "guests")
    let draft = try store.branch(floating: true)
    try draft.execute(.take(2, "Bob"), on: Hall["main"])
    let list = FetchedResultsController(store: draft, projection: Guests(), request: ListRequest())
    try list.performFetch()
    #expect(list.results.rows.map(\.name) == ["Ann"])
    try store.erase(subject: "ann")
    #expect(list.results.rows.map(\.name) == ["-"])
  }

  @Test func `a base that is compacted beyond the fork says so, and the commands are still there`() throws {
    let store: any EventStore = MemoryEventStore()
    for seat in 1...3 { try store.execute(.take(seat, "Ann"), on: Hall["main"]) }
    for seat in 1...2 { try store.execute(.leave(seat), on: Hall["main"]) }
    let branches = try [1, 3, 5].map { try store.branch(at: $0) }
    for branch in branches { try branch.execute(.take(7, "Bob"), on: Hall["main"]) }
    try store.compact(compaction)
    for branch in branches.dropLast() {
      let error = #expect(throws: EventStoreError.self) { try branch.revision() }
      #expect(error?.code == .compacted && "\(error.map { "\($0)" } ?? "")".contains("position \(branch.fork)"))
      #expect(branch.commands.count == 1)
    }
    #expect(try branches[2].state(of: Hall["main"]).seats == [3: "Ann", 7: "Bob"])
    #expect(try branches[2].merge().count == 1)
  }

  @Test @MainActor func `the code of the page on branches does what it says`() throws {
    let store: any EventStore = MemoryEventStore()
    let request = ListRequest<Seat>()
    // swift-format-ignore
    do {
      let draft = try store.branch()
      let list = FetchedResultsController(store: draft, projection: Seats(), request: request)
      try list.performFetch()

      try draft.execute(.take(2, "Bob"), on: Hall["main"])
      // The list shows Bob. Lists on the store do not.

      try draft.merge()
      // Now they do.
      #expect(list.results.rows.map(\.name) == ["Bob"])
    }
    #expect(try store.head() == 1)
    let draft = try store.branch(at: 0)
    try draft.execute(.take(2, "Ann"), on: Hall["main"])
    do {
      try draft.merge()
    } catch let conflicts as Branch.MergeError {
      for conflict in conflicts.refused { print(conflict.command, conflict.error) }
    }
    #expect(try store.head() == 1)
    do {
      let (newer, refused) = try draft.rebased()
      #expect(newer.commands.isEmpty && refused.count == 1)
      let without = try draft.rebased(draft.commands.filter { $0.number != 2 }).branch
      #expect(without.fork == 1)
    }
    // swift-format-ignore
    do {
      let draft = try store.branch(floating: true)
      try draft.execute(.take(5, "Bob"), on: Hall["main"])

      try store.execute(.take(6, "Eve"), on: Hall["main"])
      // Lists on the draft show Bob and Eve.
      #expect(try draft.state(of: Hall["main"]).seats == [2: "Bob", 5: "Bob", 6: "Eve"])
      for conflict in draft.conflicts {
        print(conflict.command.values(of: Hall.self), conflict.message)
        try draft.drop(conflict.command)
      }
      #expect(draft.commands.count == 1)

      let plan = try store.branch()
      for command in [HallCommand.take(5, "Ann"), .take(6, "Ann")] {
        try plan.propose(command, on: Hall["main"])
      }
      // Lists on the plan show Ann on seat 5, and `plan.conflicts` contains the command for seat 6.
      #expect(plan.commands.count == 2 && plan.conflicts.map(\.message) == ["taken(by: \"Eve\")"])
    }
    do {
      let draft = try store.draft(named: "form-17", deciders: .of(Hall.self))
      try draft.execute(.take(7, "Bob"), on: Hall["main"])
      // After a restart the first line opens the draft with its command.
      #expect(try store.savedDrafts().map(\.name) == ["form-17"])
    }
    let code = try String(contentsOf: URL(fileURLWithPath: #filePath), encoding: .utf8)
    let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    let page = try String(contentsOf: root.appending(path: "Docs/Branches.md"), encoding: .utf8)
    func words(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
    let blocks = page.components(separatedBy: "```swift\n").dropFirst().compactMap {
      $0.components(separatedBy: "```").first
    }
    #expect(blocks.count == 8)
    for block in blocks { #expect(words(code).contains(words(block)), "\(block)") }
  }

  @Test(arguments: 0..<120)
  func `a branch is what a store would be that had its events, whatever its base does`(_ seed: UInt64) throws {
    var chance = SplitMix64(seed: seed)
    let environment = StoreEnvironment(now: { Date(timeIntervalSince1970: 5) })
    let store: any EventStore = MemoryEventStore(source: "base", environment: environment)
    // A store with the events up to the fork.
    let twin: any EventStore = MemoryEventStore(source: "base", environment: environment)
    try randomCommands(Int.random(in: 0...12, using: &chance), on: [store, twin], &chance)
    let draft = try store.branch()
    for _ in 0..<6 {
      try randomCommands(Int.random(in: 0...3, using: &chance), on: [store], &chance)
      try randomCommands(Int.random(in: 0...3, using: &chance), on: [draft, twin], &chance)
      try expectSame(draft, twin, &chance)
    }
    // Merged, it is what its commands lead to on the base.
    let (events, commands) = (try store.head(), draft.commands.count)
    do {
      let receipt = try draft.merge()
      #expect(try receipt.position.rawValue == events.rawValue + receipt.count && store.head() == receipt.position)
    } catch let conflicts as Branch.MergeError {
      #expect(try store.head() == events && draft.commands.count == commands)
      #expect(!conflicts.refused.isEmpty)
    }
  }

  /// Leaves of the seats only that the third was taken.
  private var compaction: Compaction {
    var compaction = Compaction()
    compaction.rewrite(HallEvent.self) { _, events in
      events.filter { past in
        guard case .taken(3, _) = past.recorded.event else { return false }
        return true
      }
    }
    compaction.prove(Seats())
    return compaction
  }

  /// Executes the same random commands on stores of the same state.
  private func randomCommands(_ count: Int, on stores: [any EventStore], _ chance: inout SplitMix64) throws {
    for _ in 0..<count {
      let (seat, id) = (Int.random(in: 1...4, using: &chance), "\(Int.random(in: 0...2, using: &chance))")
      let command: HallCommand = Bool.random(using: &chance) ? .take(seat, "n") : .leave(seat)
      let commandID = Int.random(in: 0...3, using: &chance) == 0 ? "c\(Int.random(in: 0...9, using: &chance))" : nil
      let kind = Int.random(in: 0...4, using: &chance)
      var answers: [String] = []
      for store in stores {
        do {
          let receipt =
            switch kind {
            case 0: try store.execute(command, on: .boundary(AnySeat.self), commandID: commandID)
            case 1:
              try store.append(
                Append(
                  [.init(stream: "Hall-\(id)", event: NewEvent(type: "Other", payload: "{}", tags: ["seat:\(seat)"]))],
                  expectations: ["Hall-\(id)": .exact(seat)], commandID: commandID))
            default: try store.execute(command, on: Hall[id], commandID: commandID)
            }
          answers.append(
            "\(receipt.position) \(receipt.count) \(receipt.isRepeated) \(receipt.transaction ?? 0) "
              + receipt.versions.sorted { $0.key < $1.key }.map { "\($0) \($1)" }.joined())
        } catch {
          answers.append("\(error)")
        }
      }
      #expect(Set(answers).count == 1, "\(answers)")
    }
  }

  private func expectSame(_ branch: Branch, _ twin: any EventStore, _ chance: inout SplitMix64) throws {
    let head = try twin.head()
    #expect(try branch.head() == head)
    let queries: [EventQuery] = [
      .all, .stream("Hall-1"), .tagged("seat:2"), .types(["SeatLeft"]), .types(["Other", "SeatTaken"]),
    ]
    for query in queries {
      let ends = (0...1).map { _ in Position(Int.random(in: 0...head.rawValue + 1, using: &chance)) }.sorted()
      let limit = Int.random(in: 1...9, using: &chance)
      for through in [nil, ends[1]] as [Position?] {
        #expect(
          try branch.events(query, after: ends[0], through: through, limit: limit).map(\.plain)
            == twin.events(query, after: ends[0], through: through, limit: limit).map(\.plain))
        #expect(
          try branch.eventsBackwards(query, after: ends[0], through: through, limit: limit).map(\.plain)
            == twin.eventsBackwards(query, after: ends[0], through: through, limit: limit).map(\.plain))
      }
    }
    for id in 0...2 {
      #expect(try branch.version(of: "Hall-\(id)") == twin.version(of: "Hall-\(id)"))
      #expect(try branch.state(of: Hall["\(id)"]).seats == twin.state(of: Hall["\(id)"]).seats)
    }
    for number in 0...9 {
      #expect(try branch.receipt(ofCommand: "c\(number)")?.position == twin.receipt(ofCommand: "c\(number)")?.position)
    }
  }
}

extension StoredEvent {
  /// All but the identity, which is another in each store.
  fileprivate var plain: String {
    "\(position) \(transaction) \(stream) \(version) \(type) \(payload ?? "") \(tags.map(\.text).sorted()) \(time)"
  }
}

private enum HallEvent: Event {
  case taken(seat: Int, name: String)
  case left(seat: Int)

  static var typePrefix: String { "Seat" }

  var tags: Set<EventTag> {
    switch self {
    case .taken(let seat, _), .left(let seat): ["seat:\(seat)"]
    }
  }
}

private enum HallCommand: Codable, Sendable {
  case take(Int, String)
  case leave(Int)
}

private struct Hall: Decider {
  enum Refusal: Error, Equatable {
    case taken(by: String), free
  }

  var seats: [Int: String] = [:]

  func decide(_ command: HallCommand) throws(Refusal) -> [HallEvent] {
    switch command {
    case .take(let seat, let name):
      if let other = seats[seat] { throw .taken(by: other) }
      return [.taken(seat: seat, name: name)]
    case .leave(let seat):
      guard seats[seat] != nil else { throw .free }
      return [.left(seat: seat)]
    }
  }

  mutating func evolve(_ event: HallEvent) {
    switch event {
    case .taken(let seat, let name): seats[seat] = name
    case .left(let seat): seats[seat] = nil
    }
  }
}

/// The same seats in all halls: a boundary.
private struct AnySeat: BoundaryDecider {
  var hall = Hall()

  static func boundary(for command: HallCommand) -> EventQuery {
    switch command {
    case .take(let seat, _), .leave(let seat): .tagged(EventTag("seat:\(seat)")) && .types("SeatTaken", "SeatLeft")
    }
  }

  func decide(_ command: HallCommand) throws(Hall.Refusal) -> [HallEvent] { try hall.decide(command) }
  mutating func evolve(_ event: HallEvent) { hall.evolve(event) }
}

private struct Seat: Row {
  var id: Int
  var name: String
}

private struct Seats: Projection {
  func project(_ event: HallEvent, into rows: inout Rows<Seat>) {
    switch event {
    case .taken(let seat, let name): rows.insert(Seat(id: seat, name: name))
    case .left(let seat): rows[seat] = nil
    }
  }
}

private enum GuestEvent: Event {
  case came(id: Int, name: Personal<String>)
}

private struct Guest: Row {
  var id: Int
  var name: String
}

private struct Guests: Projection {
  func project(_ event: GuestEvent, into rows: inout Rows<Guest>) {
    switch event {
    case .came(let id, let name): rows.insert(Guest(id: id, name: name.value ?? "-"))
    }
  }
}

/// Runs a closure once while it decides, as another thread could at that moment.
private struct Interrupting: Decider {
  enum Command: Codable { case interrupt }
  struct Refused: Error {}
  static let action = Mutex<(@Sendable () throws -> Void)?>(nil)

  func decide(_ command: Command) throws -> [HallEvent] {
    let action = Self.action.withLock { action in
      let found = action
      action = nil
      return found
    }
    try action?()
    return []
  }

  mutating func evolve(_ event: HallEvent) {}
}
