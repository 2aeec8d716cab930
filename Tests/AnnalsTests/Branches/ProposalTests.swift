import Annals
import AnnalsLog
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// A proposed command is executed on the branch, or kept as a conflict of the branch.
@Suite struct ProposalTests {
  private let store: any EventStore = MemoryEventStore()

  private func draft(_ store: (any EventStore)? = nil) throws -> Branch {
    try (store ?? self.store).draft(named: "plan", deciders: .of(Bench.self))
  }

  @Test func `a refused proposal is returned, and stays among the commands and conflicts`() throws {
    try store.execute(.take(1, "Ann"), on: Bench["a"])
    let plan = try store.branch()
    #expect(try plan.propose(.take(2, "Bob"), on: Bench["a"]) == nil)
    let conflict = try #require(try plan.propose(.take(1, "Cid"), on: Bench["a"]))
    #expect(conflict.command.number == 2 && conflict.command.events == nil)
    #expect(conflict.command.values(of: Bench.self) == [.take(1, "Cid")])
    #expect(conflict.error as? Bench.Refusal == .taken(by: "Ann"))
    #expect(conflict.message == "The seat is taken by Ann.")
    #expect("\(conflict)" == "2 Bench: take(1, \"Cid\"): The seat is taken by Ann.")
    #expect(try plan.propose(.take(3, "Dan"), on: Bench["a"]) == nil)
    #expect(plan.commands.map(\.number) == [1, 2, 3] && plan.conflicts.map(\.command.number) == [2])
    #expect(try plan.state(of: Bench["a"]).seats == [1: "Ann", 2: "Bob", 3: "Dan"])
    // The merge refuses the same command, with the same sentence.
    let error = try #require(#expect(throws: Branch.MergeError.self) { try plan.merge() })
    #expect(error.refused.map(\.message) == [conflict.message])
    #expect("\(error)".hasSuffix("2 Bench: take(1, \"Cid\"): The seat is taken by Ann."))
    try plan.drop(conflict.command)
    #expect(try plan.merge().count == 2 && plan.conflicts.isEmpty)
  }

  @Test func `a command contains the typed commands of every decider`() throws {
    let plan = try store.branch()
    try plan.transaction { transaction in
      try transaction.execute(.take(1, "Ann"), on: Bench["a"])
      try transaction.execute(5, on: Till["main"])
      try transaction.execute(.leave(1), on: Bench["a"])
    }
    try plan.append(Append([NewEvent(type: "TillCounted", payload: "{}")], to: "Till-main"))
    let command = try #require(plan.commands.first)
    #expect(command.values(of: Bench.self) == [.take(1, "Ann"), .leave(1)] && command.values(of: Till.self) == [5])
    #expect(plan.commands.last?.values(of: Bench.self) == [] && plan.commands.last?.values(of: Till.self) == [])
  }

  @Test func `a conflict of a named draft has its typed command and sentence after a restart`() throws {
    try store.execute(.take(1, "Ann"), on: Bench["a"])
    let before = try #require(try draft().propose(.take(1, "Cid"), on: Bench["a"], commandID: "c"))
    #expect(try store.savedDrafts().map(\.count) == [1])
    let second = try draft()
    let after = try #require(second.conflicts.first)
    #expect(after.command.values(of: Bench.self) == [.take(1, "Cid")] && after.message == before.message)
    #expect(after.command.commandID == "c" && second.commands.count == 1)
    // The command's id is still used, so that a repeated proposal isn't kept twice.
    #expect(try second.propose(.take(1, "Cid"), on: Bench["a"], commandID: "c")?.command.number == 1)
    try store.execute(.leave(1), on: Bench["a"])
    #expect(try second.state(of: Bench["a"]).seats == [1: "Cid"] && second.conflicts.isEmpty)
    #expect(try second.propose(.take(1, "Cid"), on: Bench["a"], commandID: "c") == nil && second.commands.count == 1)
  }

  @Test func `an id of a conflict can't be used for another command`() throws {
    let plan = try store.branch()
    #expect(try plan.propose(.leave(1), on: Bench["a"], commandID: "x") != nil)
    let error = #expect(throws: EventStoreError.self) {
      try plan.propose(.leave(2), on: Bench["a"], commandID: "x")
    }
    #expect(error?.code == .commandReused && plan.commands.count == 1)
    try plan.propose(.take(1, "Ann"), on: Bench["a"], commandID: "y")
    #expect(throws: EventStoreError.self) { try plan.propose(.leave(9), on: Bench["a"], commandID: "y") }
    #expect(plan.commands.count == 2)
  }

  @Test func `an error that isn't a refusal is thrown, and keeps no command`() throws {
    let plan = try draft()
    #expect(try plan.propose(.leave(1), on: Bench["a"]) != nil)
    // The draft was opened without the till.
    let error = #expect(throws: Branch.DraftError.self) { try plan.propose(-1, on: Till["main"]) }
    #expect(error?.code == .unknownDecider && plan.commands.count == 1 && plan.conflicts.count == 1)
    try store.append(Append([NewEvent(type: "BenchSeatTaken", payload: "[]")], to: "Bench-b"))
    #expect(throws: EventCodingError.self) { try plan.propose(.leave(1), on: Bench["b"]) }
    #expect(plan.commands.count == 1)
    plan.discard()
    let closed = #expect(throws: EventStoreError.self) { try plan.propose(.leave(1), on: Bench["a"]) }
    #expect(closed?.code == .closed && plan.commands.count == 1)
  }

  @Test func `a proposal that expects another version is a conflict`() throws {
    try store.execute(.take(1, "Ann"), on: Bench["a"])
    let plan = try store.branch(floating: true)
    let conflict = try plan.propose(.take(2, "Bob"), on: Bench["a", expecting: .exact(2)])
    #expect((conflict?.error as? EventStoreError)?.code == .versionConflict)
    try store.execute(.take(3, "Cid"), on: Bench["a"])
    #expect(try plan.state(of: Bench["a"]).seats.count == 3 && plan.conflicts.isEmpty)
  }

  @Test func `a proposal that another command overtakes is decided a second time`() throws {
    let plan = Mutex<Branch?>(nil)
    // While the first proposal decides, another thread of the app empties the seat on the same branch.
    let environment = StoreEnvironment(hook: { step in
      guard case .didRead = step, let branch = plan.withLock({ $0.take() }) else { return }
      try branch.execute(.leave(1), on: Bench["a"])
    })
    let store: any EventStore = MemoryEventStore(environment: environment)
    try store.execute(.take(1, "Ann"), on: Bench["a"])
    let branch = try store.branch()
    plan.withLock { $0 = branch }
    #expect(try branch.propose(.take(1, "Bob"), on: Bench["a"]) == nil)
    #expect(try branch.state(of: Bench["a"]).seats == [1: "Bob"] && branch.conflicts.isEmpty)
  }

  @Test func `an awaited proposal does the same on the store's threads`() async throws {
    let plan = try store.branch()
    #expect(try await plan.propose(.take(1, "Ann"), on: Bench["a"]) == nil)
    #expect(try await plan.propose(.take(1, "Bob"), on: Bench["a"])?.message == "The seat is taken by Ann.")
    #expect(plan.commands.count == 2 && plan.conflicts.count == 1)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await plan.propose(.leave(7), on: Bench["a"])
    }
    await #expect(throws: (any Error).self) { _ = try await task.value }
  }

  /// Compares a draft with a model that decides all commands in order on the current base.
  @Test(arguments: [true, false])
  func `the conflicts are the commands that a model refuses`(isNamed: Bool) throws {
    let report = try check(.array(of: .int(in: 0...9_999), count: 1...30), settings: CheckSettings(examples: 200)) {
      numbers in
      let store: any EventStore = MemoryEventStore()
      var plan = try isNamed ? draft(store) : store.branch(floating: true)
      var commands: [(number: Int, command: BenchCommand)] = []
      var next = 1
      for number in numbers {
        let command = BenchCommand.of(number / 10)
        switch number % 10 {
        case 0...5:
          let expected = try Self.decided(commands + [(next, command)], on: store).conflicts[next]
          let found = try plan.propose(command, on: Bench["a"])
          try ensureEqual(found?.error as? Bench.Refusal, expected)
          tally(found == nil ? "accepted" : "refused")
          commands.append((next, command))
          next += 1
        case 6, 7: _ = try? store.execute(command, on: Bench["a"])
        case 8:
          guard !commands.isEmpty else { continue }
          let index = number / 10 % commands.count
          let dropped = commands.remove(at: index).number
          try plan.drop(plan.commands[index])
          try ensure(!plan.commands.contains { $0.number == dropped })
        default:
          if isNamed {
            plan = try draft(store)
            tally("reopened")
          } else {
            try plan.rebase()
          }
        }
        let (state, conflicts) = try Self.decided(commands, on: store)
        try ensureEqual(plan.state(of: Bench["a"]), state)
        try ensureEqual(plan.commands.map(\.number), commands.map(\.number))
        try ensureEqual(plan.commands.flatMap { $0.values(of: Bench.self) }, commands.map(\.command))
        try ensureEqual(
          plan.conflicts.map { $0.error as? Bench.Refusal },
          commands.compactMap { conflicts[$0.number] }.map { Optional($0) })
      }
      if try Self.decided(commands, on: store).conflicts.isEmpty {
        try plan.merge()
        try ensureEqual(store.state(of: Bench["a"]), plan.state(of: Bench["a"]))
      } else {
        do {
          try plan.merge()
          try ensure(false)
        } catch is Branch.MergeError {}
      }
    }
    #expect(report.occurrences["refused"] ?? 0 > 0 && report.occurrences["accepted"] ?? 0 > 0)
  }

  private static func decided(
    _ commands: [(number: Int, command: BenchCommand)], on store: any EventStore
  ) throws -> (state: Bench, conflicts: [Int: Bench.Refusal]) {
    var (state, conflicts) = (try store.state(of: Bench["a"]), [Int: Bench.Refusal]())
    for (number, command) in commands {
      do throws(Bench.Refusal) {
        for event in try state.decide(command) { state.evolve(event) }
      } catch {
        conflicts[number] = error
      }
    }
    return (state, conflicts)
  }
}

private enum BenchEvent: Event {
  case seatTaken(seat: Int, name: String)
  case seatLeft(seat: Int)

  static var typePrefix: String { "Bench" }
}

private enum BenchCommand: Codable, Hashable, Sendable {
  case take(Int, String)
  case leave(Int)

  static func of(_ number: Int) -> BenchCommand {
    number % 3 == 0 ? .leave(number % 4) : .take(number % 4, ["Ann", "Bob", "Cid"][number / 4 % 3])
  }
}

private struct Bench: Decider, Equatable {
  enum Refusal: Error, Hashable, LocalizedError {
    case taken(by: String), free

    var errorDescription: String? {
      switch self {
      case .taken(let name): "The seat is taken by \(name)."
      case .free: "The seat is free."
      }
    }
  }

  var seats: [Int: String] = [:]

  func decide(_ command: BenchCommand) throws(Refusal) -> [BenchEvent] {
    switch command {
    case .take(let seat, let name):
      if let other = seats[seat] { throw .taken(by: other) }
      return [.seatTaken(seat: seat, name: name)]
    case .leave(let seat):
      if seats[seat] == nil { throw .free }
      return [.seatLeft(seat: seat)]
    }
  }

  mutating func evolve(_ event: BenchEvent) {
    switch event {
    case .seatTaken(let seat, let name): seats[seat] = name
    case .seatLeft(let seat): seats[seat] = nil
    }
  }
}

private enum TillEvent: Event {
  case counted(Int)

  static var typePrefix: String { "Till" }
}

/// A till, whose commands are amounts.
private struct Till: Decider {
  enum Refusal: Error { case negative }

  func decide(_ command: Int) throws(Refusal) -> [TillEvent] {
    if command < 0 { throw .negative }
    return [.counted(command)]
  }

  mutating func evolve(_ event: TillEvent) {}
}
