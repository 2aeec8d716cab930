import Annals
import AnnalsLog
import AnnalsTesting
import Foundation
import Testing

/// A draft is kept by its store, with its commands, until it is merged or given up.
@Suite struct KeptDraftTests {
  private let store: any EventStore = MemoryEventStore()

  private func open(_ store: (any EventStore)? = nil, _ name: String = "form") throws -> Branch {
    try (store ?? self.store).draft(named: name, deciders: .of(Desk.self), .of(AnyDesk.self))
  }

  private func state(_ store: any EventStore, _ id: String = "1") throws -> [Int: String] {
    try store.state(of: Desk[id]).names
  }

  @Test func `a draft that is opened again has its commands, decided on what the log has by then`() throws {
    let first = try open()
    try first.execute(.put(1, "Ann"), on: Desk["1"])
    try first.execute(.put(2, "Bob"), on: Desk["1"], commandID: "two")
    try first.execute(.put(3, "Cid"), on: .boundary(AnyDesk.self))
    try first.transaction { transaction in
      try transaction.execute(.put(4, "Dan"), on: Desk["1"])
      try transaction.execute(.put(5, "Eve"), on: Desk["2"])
    }
    try first.drop(first.commands[0])
    try store.execute(.put(2, "Zoe"), on: Desk["1"])
    let second = try open()
    #expect(second.isFloating && second.commands.map(\.number) == [2, 3, 4])
    #expect(second.conflicts.map(\.command.number) == [2])
    #expect(second.conflicts.first?.error as? Desk.Refusal == .taken(by: "Zoe"))
    #expect(try state(second) == [2: "Zoe", 4: "Dan"])
    #expect(try state(second, "2") == [5: "Eve"] && state(second, "any") == [3: "Cid"])
    #expect(second.commands.map(\.description) == first.commands.map(\.description))
    #expect(second.commands.first?.commandID == "two")
    // A number is not used again, also after a restart.
    try second.drop(second.commands[2])
    let third = try open()
    try third.execute(.put(9, "Fay"), on: Desk["9"])
    #expect(third.commands.map(\.number) == [2, 3, 5])
    try third.reorder([third.commands[2], third.commands[0], third.commands[1]])
    #expect(try open().commands.map(\.number) == [5, 2, 3])
  }

  @Test func `a draft that nothing was done in leaves no trace, and one that is ended is gone`() throws {
    let draft = try open()
    #expect(try store.savedDrafts().isEmpty)
    try draft.execute(.put(1, "Ann"), on: Desk["1"])
    #expect(try store.savedDrafts().map(\.name) == ["form"] && store.savedDrafts().map(\.count) == [1])
    draft.discard()
    #expect(try store.savedDrafts().isEmpty && open().commands.isEmpty && store.head() == 0)
    let other = try open()
    try other.execute(.put(1, "Ann"), on: Desk["1"])
    try other.merge()
    #expect(try store.savedDrafts().isEmpty && open().commands.isEmpty && store.head() == 1)
    let third = try open(store, "third")
    try third.execute(.put(2, "Ann"), on: Desk["1"])
    let summary = try #require(try store.savedDrafts().first)
    #expect(try store.deleteDraft(summary) && !store.deleteDraft(summary))
    let error = #expect(throws: EventStoreError.self) { try third.execute(.put(3, "Ann"), on: Desk["1"]) }
    #expect(error?.code == .closed && third.commands.count == 1)
  }

  /// Each call that a merge makes fails in turn, in each way, and then the process ends and another one goes on.
  @Test(arguments: StoreFault.Way.allCases, [StoreFault.Call.append, .read])
  func `a merge that is cut short anywhere is done once`(way: StoreFault.Way, call: StoreFault.Call) throws {
    var count = 0
    for number in 1... {
      let store: any EventStore = MemoryEventStore()
      let faulty = FaultyStore(store)
      let draft = try open(faulty)
      try draft.execute(.put(1, "Ann"), on: Desk["1"])
      try draft.execute(.count(5), on: Desk["1"])
      faulty.fail(StoreFault(call, number: number, way: way))
      let receipt = try? draft.merge()
      let failed = faulty.failed
      count += failed
      faulty.mend()
      #expect(receipt == nil || receipt?.count == 2)
      // If it was answered, there is nothing left to merge.
      if receipt != nil { #expect(try store.savedDrafts().isEmpty) }
      let again = try open(store)
      #expect(again.conflicts.isEmpty)
      if receipt == nil, !again.commands.isEmpty { try again.merge() }
      #expect(try store.head() == 2 && state(store) == [1: "Ann"] && store.savedDrafts().isEmpty)
      #expect(try open(store).commands.isEmpty && store.drafts?.draft(named: "form") == nil)
      if failed == 0 { break }
    }
    #expect(count > 0)
  }

  @Test func `of two that have a draft open, the second to change it is refused, and a merge is done once`() throws {
    let first = try open()
    try first.execute(.count(1), on: Desk["1"])
    let second = try open()
    #expect(second.commands.count == 1)
    try second.execute(.count(2), on: Desk["1"])
    for change in [
      { _ = try first.execute(.count(4), on: Desk["1"]) }, { _ = try first.drop(first.commands[0]) },
      { _ = try first.merge(commandID: "own") }, { _ = try first.merge() },
    ] {
      let error = #expect(throws: EventStoreError.self, performing: change)
      #expect(error?.code == .closed && "\(error.map { "\($0)" } ?? "")".contains("reopen the draft"))
    }
    #expect(try first.commands.count == 1 && store.head() == 0 && second.merge().count == 2)
    // What the first one had is merged, and is not merged again.
    #expect(try first.merge().isRepeated && store.state(of: Desk["1"]).total == 3)
  }

  @Test func `a command that cannot be kept is refused, and nothing of it is in the draft`() throws {
    let draft = try store.draft(named: "form", deciders: .of(Desk.self), .of(Forgetful.self))
    func refused(_ body: () throws -> Void) -> Branch.DraftError? {
      #expect(throws: Branch.DraftError.self, performing: body)
    }
    let unknown = refused { try draft.execute(.put(1, "Ann"), on: .boundary(AnyDesk.self)) }
    #expect(unknown?.code == .unknownDecider)
    #expect(unknown?.message.contains("was opened with only the deciders Desk, Forgetful. Add AnyDesk to") == true)
    let forgetful = refused { try draft.execute(Forgetful.Wish(hidden: 7), on: Forgetful["1"]) }
    #expect(forgetful?.code == .unwritable && forgetful?.message.contains("7") == true)
    let history = UndoHistory(draft, of: "ann", deciders: [UndoDesk.self])
    let kept = try store.draft(named: "undo", deciders: .of(UndoDesk.self))
    let undo = UndoHistory(kept, of: "ann", deciders: [UndoDesk.self])
    try undo.execute(3, on: UndoDesk["1"])
    #expect(refused { try undo.undo() }?.code == .unwritable)
    #expect(kept.commands.count == 1)
    #expect(refused { try history.execute(3, on: UndoDesk["1"]) }?.code == .unknownDecider)
    #expect(try draft.commands.isEmpty && draft.head() == 0 && store.savedDrafts().map(\.name) == ["undo"])
    let nameless = #expect(throws: EventStoreError.self) { try store.draft(named: "") }
    #expect(nameless?.code == .invalidAppend)
    let none = #expect(throws: EventStoreError.self) { try store.branch().draft(named: "form") }
    #expect(none?.capability == "drafts")
  }

  @Test func `a command that cannot be read any more is a conflict, and is kept until it is dropped`() throws {
    let draft = try open()
    try draft.execute(.put(1, "Ann"), on: Desk["1"])
    try draft.execute(.put(2, "Bob"), on: .boundary(AnyDesk.self))
    let without = try store.draft(named: "form", deciders: .of(Desk.self))
    #expect(without.commands.count == 2 && without.conflicts.map(\.command.number) == [2])
    #expect((without.conflicts.first?.error as? Branch.DraftError)?.code == .unknownDecider)
    #expect(try state(without) == [1: "Ann"])
    let conflicts = #expect(throws: Branch.MergeError.self) { try without.merge() }
    #expect(conflicts?.refused.count == 1)
    let changed = try store.draft(named: "form", deciders: .of(NewDesk.self), .of(AnyDesk.self))
    #expect((changed.conflicts.first?.error as? Branch.DraftError)?.code == .unreadable)
    #expect(
      "\(changed.conflicts)".contains(#"command 1 of the draft "form" can no longer be read as a command of Desk"#))
    #expect(changed.commands.first.map { "\($0)" }?.contains("Ann") == true)
    // Nothing is lost by any of that.
    #expect(try open().conflicts.isEmpty && open().commands.count == 2)
    try changed.drop(changed.commands[0])
    #expect(try open().commands.map(\.number) == [2] && changed.merge().count == 1)
  }

  @Test func `a text that another version wrote is a conflict`() throws {
    let drafts = try #require(store.drafts)
    for (index, text) in ["", "{}", #"{"calls":[{"decider":"Desk","stream":"s","expecting":"maybe"}]}"#, "é"]
      .enumerated()
    {
      let place = DraftVersion(name: "form", id: "i", edition: index)
      _ = try drafts.add(.init(number: index + 1, content: .text(text)), to: place, at: Date())
    }
    let damaged = KeptDraft.Command(number: 5, content: .damaged("a bit fell over"))
    _ = try drafts.add(damaged, to: DraftVersion(name: "form", id: "i", edition: 4), at: Date())
    let draft = try open()
    #expect(
      draft.conflicts.compactMap { ($0.error as? Branch.DraftError)?.code }
        == [.unreadable, .unreadable, .unreadable, .unreadable, .damaged])
    for command in draft.commands { try draft.drop(command) }
    #expect(try draft.conflicts.isEmpty && open().commands.isEmpty)
  }

  @Test func `what is expected, ids, metadata and events that were appended survive`() throws {
    let draft = try open()
    let time = Date(timeIntervalSince1970: 1_234_567.25)
    let event = NewEvent(
      type: "Noted", schema: 3, payload: #"{"a":1.50}"#, tags: ["t", "u"], metadata: ["n": "m"],
      id: EventID(source: "elsewhere", id: "7"), time: time)
    try draft.append(Append([event, NewEvent(type: "Noted", payload: nil)], to: "notes"))
    try draft.execute(.count(1), on: Desk["1", expecting: .doesNotExist], metadata: ["actor": "ann"])
    try draft.transaction { transaction in
      try transaction.execute(.count(2), on: Desk["1", expecting: .exact(1)])
      try transaction.execute(.count(3), on: Desk["1", expecting: .exact(1)])
      try transaction.execute(.count(4), on: Desk["1", expecting: .exists])
    }
    let again = try open()
    #expect(again.conflicts.isEmpty, "\(again.conflicts)")
    func plain(_ store: any EventStore) throws -> [String] {
      try store.events(.all, after: 0, through: nil, limit: 20).map {
        "\($0.stream) \($0.version) \($0.type) \($0.schema) \($0.payload ?? "-") \($0.tags.map(\.text).sorted()) "
          + "\($0.metadata.json) \($0.type == "Noted" && $0.schema == 3 ? "\($0.id) \($0.time)" : "")"
      }
    }
    #expect(try plain(again) == plain(draft))
    #expect(try plain(again).first?.contains(#"{"a":1.50} ["t", "u"]"#) == true)
    try store.append(Append([NewEvent(type: "Noted", payload: nil)], to: "Desk-1"))
    let late = try open()
    #expect(late.conflicts.map(\.command.number) == [2])
    #expect((late.conflicts.first?.error as? EventStoreError)?.code == .versionConflict)
  }

  @Test func `an erasure takes the commands that say something of the subject, and the draft says so`() throws {
    let draft = try store.draft(named: "form", deciders: .of(Guests.self))
    try draft.execute(.init(name: Personal("Ann Smith", of: "g1")), on: Guests["1"])
    try draft.execute(.init(name: Personal("Bob Brown", of: "g2")), on: Guests["1"])
    #expect(try store.drafts?.draft(named: "form")?.commands.map(\.subjects) == [["g1"], ["g2"]])
    #expect(try store.erase(subject: "g1").fields == 1)
    let again = try store.draft(named: "form", deciders: .of(Guests.self))
    #expect(again.commands.count == 2 && again.conflicts.map(\.command.number) == [1])
    #expect((again.conflicts.first?.error as? Branch.DraftError)?.code == .erased)
    #expect(!"\(again.commands)\(again.conflicts)".contains("Smith"))
    try again.drop(again.commands[0])
    #expect(try again.merge().count == 1)
  }

  @Test func `a command that the store cannot keep is not in the draft`() throws {
    let faulty = FaultyStore(store)
    let draft = try open(faulty)
    try draft.execute(.count(1), on: Desk["1"])
    faulty.fail(StoreFault(.draft, number: 1, way: .notDone))
    #expect(throws: (any Error).self) { try draft.execute(.count(2), on: Desk["1"]) }
    faulty.mend()
    #expect(try draft.commands.count == 1 && draft.head() == 1)
    try draft.execute(.count(4), on: Desk["1"])
    #expect(try open().state(of: Desk["1"]).total == 5)
    // What was kept and not answered is there after a restart; this branch does not know it, and goes no further.
    faulty.fail(StoreFault(.draft, number: 1, way: .answerLost))
    #expect(throws: (any Error).self) { try draft.execute(.count(8), on: Desk["1"]) }
    faulty.mend()
    let error = #expect(throws: EventStoreError.self) { try draft.execute(.count(16), on: Desk["1"]) }
    #expect(error?.code == .closed)
    #expect(try open().state(of: Desk["1"]).total == 13)
  }

  @Test func `a branch of a kept draft merges its commands into it, and they are kept`() throws {
    let draft = try open()
    try draft.execute(.count(1), on: Desk["1"])
    let inner = try draft.branch(floating: true)
    try inner.execute(.count(2), on: Desk["1"])
    try inner.execute(.put(1, "Ann"), on: .boundary(AnyDesk.self))
    #expect(try open().commands.count == 1)
    try inner.merge()
    let again = try open()
    #expect(try again.commands.map(\.number) == [1, 2] && state(again, "any") == [1: "Ann"])
    #expect(try again.state(of: Desk["1"]).total == 3)
  }
}

private enum DeskEvent: Event {
  case put(place: Int, name: String)
  case counted(Int)

  static var typePrefix: String { "Desk" }

  var tags: Set<EventTag> { if case .put(let place, _) = self { ["place:\(place)"] } else { [] } }
}

private enum DeskCommand: Codable, Sendable {
  case put(Int, String)
  case count(Int)
}

private struct Desk: Decider {
  enum Refusal: Error, Equatable { case taken(by: String) }

  var names: [Int: String] = [:]
  var total = 0

  func decide(_ command: DeskCommand) throws(Refusal) -> [DeskEvent] {
    switch command {
    case .put(let place, let name):
      if let other = names[place] { throw .taken(by: other) }
      return [.put(place: place, name: name)]
    case .count(let amount): return [.counted(amount)]
    }
  }

  mutating func evolve(_ event: DeskEvent) {
    switch event {
    case .put(let place, let name): names[place] = name
    case .counted(let amount): total += amount
    }
  }
}

private struct AnyDesk: BoundaryDecider {
  var desk = Desk()

  static func boundary(for command: DeskCommand) -> EventQuery {
    if case .put(let place, _) = command { .tagged(EventTag("place:\(place)")) } else { .types("DeskCounted") }
  }

  static func stream(for command: DeskCommand) -> StreamName { "Desk-any" }

  func decide(_ command: DeskCommand) throws(Desk.Refusal) -> [DeskEvent] { try desk.decide(command) }
  mutating func evolve(_ event: DeskEvent) { desk.evolve(event) }
}

/// The desk of a later version, whose commands are others.
private struct NewDesk: Decider {
  struct Wish: Codable, Sendable { let seat: Int }

  static var category: String { "Desk" }

  func decide(_ wish: Wish) -> [DeskEvent] { [] }
  mutating func evolve(_ event: DeskEvent) {}
}

/// A command whose Codable leaves something out.
private struct Forgetful: Decider {
  struct Wish: Codable, Sendable {
    var hidden: Int

    init(hidden: Int) { self.hidden = hidden }

    init(from decoder: any Decoder) throws { hidden = 0 }

    func encode(to encoder: any Encoder) throws { try hidden.encode(to: encoder) }
  }

  func decide(_ wish: Wish) -> [DeskEvent] { [.counted(wish.hidden)] }
  mutating func evolve(_ event: DeskEvent) {}
}

private struct UndoDesk: UndoableDecider {
  func decide(_ amount: Int) -> [DeskEvent] { [.counted(amount)] }
  mutating func evolve(_ event: DeskEvent) {}
  func undoing(_ events: [DeskEvent]) -> [Int]? {
    events.map { if case .counted(let amount) = $0 { -amount } else { 0 } }
  }
}

private enum GuestEvent: Event { case came(name: Personal<String>) }

private struct Guests: Decider {
  struct Wish: Codable, Sendable { let name: Personal<String> }

  func decide(_ wish: Wish) -> [GuestEvent] { [.came(name: wish.name)] }
  mutating func evolve(_ event: GuestEvent) {}
}
