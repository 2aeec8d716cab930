import Annals
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Testing

/// Undo on drafts, and on logs that were erased from, compacted, or written by another program.
@Suite struct UndoRewritingTests {
  private func history(_ store: any EventStore, _ actor: String = "ann") -> UndoHistory {
    UndoHistory(store, of: actor, deciders: [Drawer.self, Locker.self, Patients.self])
  }

  @Test func `what a draft undoes is undone in its base when it is merged`() throws {
    let store: any EventStore = MemoryEventStore()
    try history(store).execute(.put(1, "pen"), on: Drawer["1"], named: "Put Pen")
    let draft = try store.branch()
    try history(draft).undo()
    try history(draft).execute(.put(1, "cup"), on: Drawer["1"])
    try history(draft).undo()
    #expect(try history(store).stacks().undo.count == 1)
    try draft.merge()
    let ann = history(store)
    #expect(try ann.stacks().undo.isEmpty && ann.stacks().redo.count == 1)
    #expect(try store.state(of: Drawer["1"]) == Drawer())
    try ann.redo()
    #expect(try store.state(of: Drawer["1"]).slots == [1: "cup"])
  }

  @Test func `a redo on a draft is merged, though another actor did something between it and the undo`() throws {
    let store: any EventStore = MemoryEventStore()
    let draft = try store.branch()
    let ann = history(draft)
    try ann.execute(.put(1, "pen"), on: Drawer["1"])
    try ann.undo()
    try history(draft, "bob").execute(.put(2, "cup"), on: Drawer["1"])
    try ann.redo()
    try draft.merge()
    #expect(try store.state(of: Drawer["1"]).slots == [1: "pen", 2: "cup"])
  }

  @Test func `a draft that undoes what its base has undone meanwhile is not merged`() throws {
    let store: any EventStore = MemoryEventStore()
    try history(store).execute(.count(5), on: Drawer["1"])
    try history(store).execute(.count(7), on: Drawer["1"])
    let draft = try store.branch()
    try history(draft).undo()
    try history(store).undo()
    let conflicts = #expect(throws: Branch.MergeError.self) { try draft.merge() }
    #expect(conflicts?.refused.map { ($0.error as? UndoError)?.code } == [.alreadyReversed])
    #expect(try store.state(of: Drawer["1"]).total == 5)
    #expect(try draft.rebased().branch.state(of: Drawer["1"]).total == 5)
  }

  @Test func `steps up to a compaction are not in the history any more, and later ones are`() throws {
    let store: any EventStore = MemoryEventStore()
    let ann = history(store)
    for label in ["a", "b", "c"] {
      let command = label == "a" ? DrawerCommand.put(1, label) : .relabel(1, label)
      try ann.execute(command, on: Drawer["1"])
    }
    var compaction = Compaction(through: 3)
    compaction.rewrite(DrawerEvent.self) { _, events in
      events.first.map { [$0.replaced(by: .put(slot: 1, label: "c"))] } ?? []
    }
    compaction.prove(Drawer.self)
    try ann.execute(.relabel(1, "d"), on: Drawer["1"])
    try store.compact(compaction)
    for ann in [ann, history(store)] {
      #expect(try ann.stacks().undo.count == 1)
      try ann.undo()
      #expect(try store.state(of: Drawer["1"]).slots == [1: "c"])
      #expect(#expect(throws: UndoError.self) { try ann.undo() }?.code == .nothingToUndo)
      try ann.redo()
    }
  }

  @Test func `half of a step that a compaction left is not undone`() throws {
    let store: any EventStore = MemoryEventStore()
    let ann = history(store)
    try ann.execute(.put(1, "a"), on: Drawer["1"], in: "both")
    try ann.execute(.put(2, "b"), on: Drawer["1"], in: "both")
    var compaction = Compaction(through: 1)
    compaction.rewrite(DrawerEvent.self) { _, events in
      events.first.map { [$0.replaced(by: .put(slot: 1, label: "a"))] } ?? []
    }
    compaction.prove(Drawer.self)
    try store.compact(compaction)
    #expect(try ann.stacks().undo.isEmpty && history(store).stacks().undo.isEmpty)
  }

  @Test func `a personal value that was erased is not brought back, and no command of it is kept`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "annals-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "log").path
    let file = try SQLiteEventStore(path: path, durability: .process)
    let store: any EventStore = file
    let ann = history(store)
    try ann.execute(.admit("7", "Jane Placeholder"), on: Patients["1"], named: "Admit")
    try ann.execute(.rename("7", "Mary Placeholder"), on: Patients["1"], named: "Rename")
    try ann.execute(.discharge("7"), on: Patients["1"], named: "Discharge")
    try ann.undo()
    #expect(try store.state(of: Patients["1"]).names["7"]?.value == "Mary Placeholder")
    try store.erase(subject: "patient-7")
    for ann in [ann, history(store)] {
      // "Rename" would bring the first name back, which is gone.
      let error = #expect(throws: UndoError.self) { try ann.undo() }
      #expect(error?.code == .irreversible && error?.step?.title == "Rename")
      #expect(try ann.stacks().undo.map(\.title) == ["Admit", "Rename"])
    }
    file.close()
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let bytes = try Data(contentsOf: folder.appending(path: name))
      #expect(bytes.range(of: Data("Placeholder".utf8)) == nil, "\(name)")
    }
  }

  @Test func `a step whose events can no longer be read is an error that names them`() throws {
    let store: any EventStore = MemoryEventStore()
    try store.append(
      Append(
        [
          NewEvent(
            type: "DrawerPut", payload: #"{"slot":"one"}"#, tags: ["undo:ann"],
            metadata: ["actor": "ann", "undostep": "s", "undopart": "1", "undodecider": "Drawer"])
        ], to: Drawer.stream("1")))
    let ann = history(store)
    let error = #expect(throws: UndoError.self) { try ann.undo() }
    #expect(error?.code == .unreadable && error?.underlying is EventCodingError)
    #expect(try ann.stacks().undo.count == 1 && store.head() == 1)
  }

  @Test func `a command on a boundary is undone on its boundary, also after a restart`() throws {
    let store: any EventStore = MemoryEventStore()
    let ann = history(store)
    try ann.execute(.init(locker: 1, owner: "Ann"), on: .boundary(Locker.self))
    try ann.execute(.init(locker: 2, owner: "Ann"), on: .boundary(Locker.self))
    try ann.execute(.init(locker: 1, owner: nil), on: .boundary(Locker.self), named: "Clear")
    let read = { try store.events(.tagged("locker:1"), after: 0, through: nil, limit: 9).last?.payload }
    #expect(try read()?.contains("Ann") == false)
    try ann.undo()
    #expect(try read()?.contains("Ann") == true)
    let later = history(store)
    try later.redo()
    #expect(try read()?.contains("Ann") == false)
    try history(store).undo()
    try history(store).undo()
    try history(store).undo()
    #expect(try history(store).stacks().undo.isEmpty && store.head() == 8)
  }
}

/// Who has a locker; each is a boundary of its own.
private struct Locker: UndoableDecider, BoundaryDecider {
  struct Command: Sendable {
    var locker: Int
    var owner: String?
  }

  var owners: [Int: String] = [:]

  static func boundary(for command: Command) -> EventQuery { .tagged("locker:\(command.locker)") }

  func decide(_ command: Command) -> [LockerEvent] {
    owners[command.locker] == command.owner ? [] : [.given(locker: command.locker, to: command.owner ?? "")]
  }

  mutating func evolve(_ event: LockerEvent) {
    switch event {
    case .given(let locker, let owner): owners[locker] = owner.isEmpty ? nil : owner
    }
  }

  func undoing(_ events: [LockerEvent]) -> [Command]? {
    events.reversed().map { event in
      switch event {
      case .given(let locker, _): Command(locker: locker, owner: owners[locker])
      }
    }
  }
}

private enum LockerEvent: Event {
  case given(locker: Int, to: String)

  var tags: Set<EventTag> {
    switch self {
    case .given(let locker, _): ["locker:\(locker)"]
    }
  }
}

/// People whose names can be erased.
private struct Patients: UndoableDecider {
  enum Command: Sendable { case admit(String, String), rename(String, String), discharge(String) }

  var names: [String: Personal<String>] = [:]

  func decide(_ command: Command) -> [PatientEvent] {
    switch command {
    case .admit(let id, let name): [.admitted(id: id, name: Personal(name, of: "patient-\(id)"))]
    case .rename(let id, let name): [.renamed(id: id, to: Personal(name, of: "patient-\(id)"))]
    case .discharge(let id): [.discharged(id: id)]
    }
  }

  mutating func evolve(_ event: PatientEvent) {
    switch event {
    case .admitted(let id, let name), .renamed(let id, let name): names[id] = name
    case .discharged(let id): names[id] = nil
    }
  }

  func undoing(_ events: [PatientEvent]) -> [Command]? {
    var commands: [Command] = []
    for event in events.reversed() {
      switch event {
      case .admitted(let id, _): commands.append(.discharge(id))
      case .renamed(let id, _):
        guard let name = names[id]?.value else { return nil }
        commands.append(.rename(id, name))
      case .discharged(let id):
        guard let name = names[id]?.value else { return nil }
        commands.append(.admit(id, name))
      }
    }
    return commands
  }
}

private enum PatientEvent: Event {
  case admitted(id: String, name: Personal<String>)
  case renamed(id: String, to: Personal<String>)
  case discharged(id: String)
}
