import Annals
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// Views of a draft, while the draft gets more commands.
@Suite(.serialized) struct BranchViewTests {
  @Test func `a view of a draft shows none of the later commands`() throws {
    let store: any EventStore = MemoryEventStore()
    let draft = try store.branch()
    for number in 0..<40 { try draft.execute(.add(number), on: Tally["\(number % 3)"], commandID: "\(number)") }
    let before = try draft.events(.all, after: 0, through: nil, limit: 100)
    try draft.read { view in
      for number in 40..<80 { try draft.execute(.add(number), on: Tally["\(number % 4)"], commandID: "\(number)") }
      #expect(try view.head() == 40)
      #expect(try view.events(.all, after: 0, through: nil, limit: 100) == before)
      #expect(try view.version(of: "Tally-1") == 13 && view.version(of: "Tally-3") == 0)
      #expect(try view.events(.stream("Tally-1"), after: 0, through: nil, limit: 100).count == 13)
      #expect(try view.events(.stream("Tally-3"), after: 0, through: nil, limit: 100).isEmpty)
      #expect(try view.receipt(ofCommand: "39")?.position == 40 && view.receipt(ofCommand: "40") == nil)
      let later = try #require(try draft.events(.all, after: 40, through: nil, limit: 1).first)
      #expect(try view.position(of: later.id) == nil && draft.position(of: later.id) == 41)
    }
    #expect(try draft.version(of: "Tally-1") == 23 && draft.version(of: "Tally-3") == 10)
    // All commands are decided anew, which changes no view of the former decision.
    try draft.read { view in
      try draft.drop(draft.commands[1])
      #expect(try view.head() == 80 && view.version(of: "Tally-1") == 23)
      #expect(try view.events(.stream("Tally-1"), after: 0, through: nil, limit: 100).count == 23)
    }
    #expect(try draft.head() == 79 && draft.version(of: "Tally-1") == 22)
  }

  @Test func `a refused command leaves no trace in the queries of a draft`() throws {
    let store: any EventStore = MemoryEventStore()
    let draft = try store.branch()
    for number in 0..<40 { try draft.execute(.add(number), on: Tally["a"]) }
    // The first command of the transaction is decided, and the second one is refused.
    #expect(throws: Tally.Refused.self) {
      try draft.transaction { transaction in
        try transaction.execute(.add(40), on: Tally["b"])
        try transaction.execute(.add(40), on: Tally["b"])
      }
    }
    #expect(try draft.propose(.add(7), on: Tally["a"]) != nil)
    #expect(try draft.head() == 40 && draft.version(of: "Tally-b") == 0 && draft.commands.count == 41)
    try store.execute(.add(3), on: Tally["a"])
    #expect(try draft.rebase().count == 2)
    #expect(try draft.head() == 40 && draft.version(of: "Tally-a") == 40)
    let numbers = try draft.events(.stream("Tally-a"), after: 0, through: nil, limit: 100).map(\.version)
    #expect(numbers == Array(1...40))
    try draft.execute(.add(99), on: Tally["b"])
    #expect(try draft.events(.stream("Tally-b"), after: 0, through: nil, limit: 100).map(\.position) == [41])
  }

  @Test func `events of a transaction with repeated streams and types keep their identities`() throws {
    let store: any EventStore = MemoryEventStore()
    let draft = try store.branch()
    try draft.transaction { transaction in
      for number in 0..<30 { try transaction.execute(.add(number), on: Tally["\(number % 2)"]) }
    }
    let before = try draft.events(.all, after: 0, through: nil, limit: 100)
    try store.execute(.add(100), on: Tally["other"])
    try draft.rebase()
    let after = try draft.events(.all, after: 1, through: nil, limit: 100)
    #expect(after.map(\.id) == before.map(\.id) && after.map(\.time) == before.map(\.time))
    #expect(after.map(\.payload) == before.map(\.payload))
  }

  @Test @MainActor func `a commit on the base leaves the commands of a draft to another thread`() async throws {
    let store: any EventStore = MemoryEventStore(environment: .quiet)
    let draft = try store.branch(floating: true)
    // Without `await`, as in a function that isn't `async`.
    func fill() throws { for number in 0..<3 { try draft.execute(.add(number), on: Tally["a"]) } }
    func append(_ number: Int) throws { try store.append([TallyEvent.added(number: number)], to: "Tally-b") }
    try fill()
    let list = FetchedResultsController(store: draft, projection: Tallies(), request: ListRequest())
    try list.performFetch()
    let sequence = list.changes
    Tally.decisions.withLock { $0 = [] }
    try append(7)
    let early = Tally.decisions.withLock { $0 }
    #expect(list.results.rows.map(\.id) == [0, 1, 2] && !early.contains(true))
    for await changes in sequence {
      #expect(changes.new.rows.map(\.id) == [0, 1, 2, 7] && changes.cause.contains(.rebase))
      break
    }
    #expect(list.results.rows.map(\.id) == [0, 1, 2, 7] && draft.fork == 1)
    let decisions = Tally.decisions.withLock { $0 }
    #expect(!decisions.isEmpty && !decisions.contains(true))
    // A caller that needs the list now doesn't wait for the other thread.
    try append(8)
    list.refresh()
    #expect(list.results.rows.map(\.id) == [0, 1, 2, 7, 8])
  }
}

private enum TallyEvent: Event {
  case added(number: Int)

  static var typePrefix: String { "Tally" }
}

/// Numbers that can be added once.
private struct Tally: Decider {
  struct Refused: Error {}
  enum Command: Sendable { case add(Int) }

  /// For every decision, true if it was made on the main thread.
  static let decisions = Mutex<[Bool]>([])

  var numbers: Set<Int> = []

  func decide(_ command: Command) throws(Refused) -> [TallyEvent] {
    Self.decisions.withLock { $0.append(Thread.isMainThread) }
    guard case .add(let number) = command, !numbers.contains(number) else { throw Refused() }
    return [.added(number: number)]
  }

  mutating func evolve(_ event: TallyEvent) {
    switch event {
    case .added(let number): numbers.insert(number)
    }
  }
}

private struct TallyRow: Row {
  var id: Int
}

private struct Tallies: Projection {
  func project(_ event: TallyEvent, into rows: inout Rows<TallyRow>) {
    switch event {
    case .added(let number): rows.insert(TallyRow(id: number))
    }
  }
}
