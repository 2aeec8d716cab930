import Annals
import AnnalsTesting
import Foundation
import Testing

@testable import AnnalsSQLite

/// Drafts in a log's file: over restarts, sudden ends, damage, copies, erasures and compactions.
@Suite struct DraftFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var path: String { folder.path("log") }

  private func open(_ name: String = "log") throws -> SQLiteEventStore {
    try SQLiteEventStore(path: folder.path(name), durability: .process)
  }

  private func draft(_ store: SQLiteEventStore, _ name: String = "form") throws -> Branch {
    try store.draft(named: name, deciders: .of(Till.self))
  }

  private func say(_ amounts: [Int], to branch: Branch) throws {
    for amount in amounts { try branch.execute(.init(amount: amount, note: nil), on: Till["1"]) }
  }

  private func total(_ branch: Branch) throws -> Int { try branch.state(of: Till["1"]).total }

  /// The files of the log that contain some bytes.
  private func files(with text: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path("")).filter { name in
      try Data(contentsOf: URL(fileURLWithPath: folder.path(name))).range(of: Data(text.utf8)) != nil
    }
  }

  @Test func `a draft is there after the store was closed, and a log without one has no tables for it`() throws {
    let first = try open()
    _ = try draft(first)
    first.close()
    #expect(try TestDatabase(path).int("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'draft%'") == 0)
    let second = try open()
    try say([1, 2, 4], to: draft(second))
    second.close()
    let third = try open()
    let draft = try draft(third)
    #expect(try draft.commands.map(\.number) == [1, 2, 3] && total(draft) == 7 && third.head() == 0)
    try draft.merge()
    #expect(try third.head() == 3 && third.savedDrafts().isEmpty && third.verify().problems.isEmpty)
    #expect(try TestDatabase(path).int("SELECT count(*) FROM draft_command") == 0)
  }

  #if os(macOS) || os(Linux)
    @Test func `after a crash, a draft contains all acknowledged commands`() throws {
      var last = 0
      for round in 0..<12 {
        let child = try ChildProcess("draft", path, "1", "1000000")
        var said = Data()
        if round % 4 > 0 { said = child.firstWords() }
        usleep(UInt32.random(in: 0...40_000))
        child.kill()
        let (rest, talk, _) = child.finish()
        #expect(talk == "")
        let lines = (String(decoding: said, as: UTF8.self) + rest.joined(separator: "\n")).split(separator: "\n")
        last = max(last, lines.compactMap { $0.hasPrefix("ack ") ? Int($0.dropFirst(4)) : nil }.max() ?? 0)
        let store = try open()
        let kept = try #require(store.drafts).draft(named: "child")
        let count = kept?.commands.count ?? 0
        #expect(count == last || count == last + 1, "\(count) of \(last)")
        #expect(kept?.commands.map(\.number) ?? [] == Array(1..<(count + 1)))
        last = count
        store.close()
      }
      #expect(last > 10)
      let store = try open()
      let draft = try store.draft(named: "child", deciders: .of(ChildTill.self))
      #expect(draft.commands.count == last && draft.conflicts.isEmpty)
      try draft.merge()
      #expect(try store.head().rawValue == last && store.verify().problems.isEmpty)
    }
  #endif

  @Test func `nothing of an erased subject is in any file, and the other commands are`() throws {
    let store = try open()
    let draft = try draft(store)
    let secret = "SECRET-\(UUID().uuidString)"
    for (number, subject) in ["g1", "g2", "g1"].enumerated() {
      let note = Personal("\(secret) of \(subject)", of: subject)
      try draft.execute(.init(amount: number, note: note), on: Till["1"])
    }
    try draft.drop(draft.commands[2])
    #expect(try !files(with: "\(secret) of g1").isEmpty)
    let receipt = try store.erase(subject: "g1")
    #expect(receipt.fields == 1 && receipt.isComplete)
    #expect(try files(with: "\(secret) of g1").isEmpty && !files(with: "\(secret) of g2").isEmpty)
    #expect(try store.erase(subject: "nobody").fields == 0)
    store.close()
    let again = try self.draft(open())
    #expect(again.conflicts.compactMap { ($0.error as? Branch.DraftError)?.code } == [.erased])
    #expect(again.commands.map(\.number) == [1, 2])
  }

  @Test func `a damaged command is found, named, and may be dropped; the others are decided`() throws {
    let store = try open()
    try say([1, 2, 4], to: draft(store))
    store.close()
    do {
      let raw = try TestDatabase(path)
      try raw.execute("UPDATE draft_command SET text = replace(text, '2', '3') WHERE number = 2")
    }
    let again = try open()
    let problems = try again.verify().problems.map(\.description)
    #expect(
      problems.count == 1 && problems[0].contains(#"the checksum of command 2 of the draft "form""#), "\(problems)")
    let draft = try draft(again)
    #expect(try draft.conflicts.map(\.command.number) == [2] && total(draft) == 5)
    #expect((draft.conflicts.first?.error as? Branch.DraftError)?.code == .damaged)
    try draft.drop(draft.commands[1])
    #expect(try again.verify().problems.isEmpty && self.draft(again).commands.map(\.number) == [1, 3])
    again.close()
    do {
      let raw = try TestDatabase(path)
      try raw.execute("DELETE FROM draft")
    }
    let headless = try open().verify().problems.map(\.description)
    #expect(
      headless.count == 2 && headless[0].contains(#"stored for the draft "form", but the draft is missing"#),
      "\(headless)")
  }

  @Test func `copies and salvaged logs have the drafts, and a log that is read only shows them`() throws {
    let store = try open()
    let first = try draft(store)
    try say([1, 2, 4], to: first)
    try first.reorder([first.commands[2], first.commands[0], first.commands[1]])
    try say([8], to: draft(store, "other"))
    try store.backUp(to: folder.path("copy"))
    let id = try store.drafts?.draft(named: "form")?.version.id
    store.close()
    let report = try SQLiteEventStore.salvage(path, to: folder.path("salvaged"))
    #expect(report.drafts == 2)
    for name in ["copy", "salvaged"] {
      let copy = try open(name)
      #expect(try copy.savedDrafts().map(\.name) == ["form", "other"])
      #expect(try draft(copy).commands.map(\.number) == [3, 1, 2] && total(draft(copy)) == 7)
      #expect(try copy.drafts?.draft(named: "form")?.version.id == id)
      copy.close()
    }
    let reader = try SQLiteEventStore(readingFrom: path)
    let read = try draft(reader)
    #expect(try total(read) == 7 && reader.savedDrafts().count == 2)
    let error = #expect(throws: EventStoreError.self) { try say([1], to: read) }
    #expect(error?.code == .readOnly && read.commands.count == 3)
    read.discard()
    #expect(try reader.savedDrafts().count == 2)
  }

  @Test func `a compaction leaves drafts as they are`() throws {
    let store = try open()
    for amount in 1...9 { try store.execute(.init(amount: amount, note: nil), on: Till["1"]) }
    try say([100], to: draft(store))
    var compaction = Compaction()
    compaction.rewrite(TillEvent.self) { _, events in
      var till = Till()
      for event in events { till.evolve(event.event) }
      return events.first.map { [$0.replaced(by: .paid(amount: till.total, note: nil))] } ?? []
    }
    compaction.prove(Till.self)
    try store.compact(compaction)
    #expect(try store.head() == 9 && total(draft(store)) == 145)
    store.close()
    let draft = try draft(open())
    #expect(try total(draft) == 145 && draft.conflicts.isEmpty)
  }

  @Test func `a branch whose base is gone says so, and has its commands`() throws {
    let store = try open()
    let (kept, plain) = (try draft(store), try store.branch())
    try say([1, 2], to: kept)
    try say([4], to: plain)
    store.close()
    for branch in [kept, plain] {
      let count = branch.commands.count
      for body in [
        { _ = try branch.head() }, { _ = try branch.merge() }, { try say([8], to: branch) },
        { _ = try branch.drop(branch.commands[0]) }, { _ = try branch.rebase() },
      ] {
        let error = #expect(throws: EventStoreError.self, performing: body)
        #expect(error?.code == .closed)
      }
      #expect(branch.commands.count == count)
      branch.discard()
    }
    #expect(try total(draft(open())) == 3)
  }

  @Test func `two programs that have a draft open do not mix their commands`() throws {
    let (one, other) = (try open(), try open())
    let (first, second) = (try draft(one), try draft(other))
    try say([1], to: first)
    let begun = #expect(throws: EventStoreError.self) { try say([2], to: second) }
    #expect(begun?.code == .closed)
    let third = try draft(other)
    try say([4], to: third)
    let late = #expect(throws: EventStoreError.self) { try first.merge() }
    #expect(late?.code == .closed)
    #expect(try one.head() == 0 && third.merge().count == 2)
    #expect(try first.merge().isRepeated && one.head() == 2)
  }
}

private enum TillEvent: Event {
  case paid(amount: Int, note: Personal<String>?)

  static var typePrefix: String { "Till" }
}

private struct Till: Decider, Equatable {
  struct Wish: Codable, Sendable {
    let amount: Int
    let note: Personal<String>?
  }

  var total = 0

  func decide(_ wish: Wish) -> [TillEvent] { [.paid(amount: wish.amount, note: wish.note)] }

  mutating func evolve(_ event: TillEvent) {
    if case .paid(let amount, _) = event { total += amount }
  }
}

/// The decider of `StoreChild draft`.
private struct ChildTill: Decider {
  enum ChildEvent: Annals.Event {
    case counted(Int)

    static var typePrefix: String { "ChildTill" }
  }

  typealias Event = ChildEvent

  func decide(_ amount: Int) -> [ChildEvent] { [.counted(amount)] }
  mutating func evolve(_ event: ChildEvent) {}
}
