import Annals
import AnnalsLog
import AnnalsRemote
import AnnalsTesting
import Synchronization
import Testing

/// Concurrent commands of several connections on one stream, with faults and cancellations, compared with a decider
/// that gets the log's commands one after another.
@Suite(.timeLimit(.minutes(60))) struct HotStreamMachineTests {
  @Test func `concurrent commands have the results of commands that are executed one after another`() async throws {
    let counts = Mutex<[String: Int]>([:])
    try await check(HotRound.several, settings: CheckSettings(examples: 100)) { rounds in
      let run = HotRun()
      for round in rounds { try await run.take(round) }
      let words = try run.finish()
      counts.withLock { $0.merge(words) { $0 + $1 } }
    }
    let found = counts.withLock { $0 }
    // A shortened check doesn't reach every outcome.
    if found.values.reduce(0, +) < 1_000 { return }
    for outcome in ["added", "repeated", "full", "cancelled", "busy", "unreachable", "unknownOutcome", "grouped"] {
      #expect(found[outcome] ?? 0 > 0, "\(outcome): \(found)")
    }
  }
}

/// Commands that are executed at the same time.
private struct HotRound {
  struct Command: Hashable {
    let amount: Int
    let connection: Int
    /// The command's id, which other commands with the same amount can have, too.
    let id: Int?
    let isCancelled: Bool
  }

  let commands: [Command]
  let faults: [StoreFault?]

  static let several = Generator<[HotRound]>.array(of: one, count: 1...6)

  private static let one = Generator<HotRound> { draw in
    var commands: [Command] = []
    for _ in 0..<(try draw(.int(in: 1...16))) {
      commands.append(
        Command(
          amount: try draw(.int(in: 0...6)), connection: try draw(.int(in: 0...3)) == 0 ? 1 : 0,
          id: try draw(.bool(0.3)) ? try draw(.int(in: 0...5)) : nil, isCancelled: try draw(.bool(0.1))))
    }
    var faults: [StoreFault?] = []
    for _ in 0...1 {
      faults.append(
        try draw(.bool(0.4))
          ? StoreFault(
            number: try draw(.int(in: 1...4)), way: try draw(.element(of: StoreFault.Way.allCases)),
            lasts: try draw(.bool(0.2))) : nil)
    }
    return HotRound(commands: commands, faults: faults)
  }
}

/// A room for 60 guests.
private struct HotRoom: Decider {
  struct Full: Error {}

  static let size = 60

  var count = 0

  func decide(_ command: Int) throws(Full) -> [HotGuests] {
    guard count + command <= Self.size else { throw Full() }
    // Some commands have no events, and some have several.
    return (0..<command).map { .arrived(number: count + $0) }
  }

  mutating func evolve(_ event: HotGuests) { count += 1 }
}

private enum HotGuests: Event, Equatable {
  /// The number of guests that had already arrived.
  case arrived(number: Int)
}

private final class HotRun: Sendable {
  private struct Ended {
    let command: HotRound.Command
    let result: Result<Receipt, any Error>
  }

  private let server: MemoryRemoteServer
  private let connections: [MemoryRemoteStore]
  private let ended = Mutex<[Ended]>([])
  private let appendCalls = Mutex(0)

  init() {
    let server = MemoryRemoteServer(environment: StoreEnvironment(report: { _ in }))
    self.server = server
    connections = [MemoryRemoteStore(server), MemoryRemoteStore(server)]
    for connection in connections {
      connection.onCalls { [weak self] call, leg in
        if call == .append, leg == .request { self?.appendCalls.withLock { $0 += 1 } }
      }
    }
  }

  func take(_ round: HotRound) async throws {
    for (connection, fault) in zip(connections, round.faults) { connection.fail(fault) }
    await withTaskGroup(of: Void.self) { group in
      for command in round.commands {
        group.addTask { [self] in
          let task = Task { [connection = connections[command.connection]] in
            try await connection.execute(
              command.amount, on: HotRoom["a"], commandID: command.id.map { "\($0) \(command.amount)" },
              metadata: ["number": "\(command.amount)"])
          }
          if command.isCancelled { task.cancel() }
          let result = await task.result
          ended.withLock { $0.append(Ended(command: command, result: result)) }
        }
      }
    }
    for connection in connections { connection.mend() }
  }

  /// Compares the log with the results, and returns the number of results by their words.
  func finish() throws -> [String: Int] {
    let events = try server.events(.all, after: 0, through: nil, limit: 1_000)
    // A decider that gets the events one after another has decided exactly these events.
    for (index, event) in try server.events(of: HotGuests.self).enumerated() {
      try ensure(event.event == .arrived(number: index), "event \(index + 1) was decided on another state: \(event)")
    }
    try ensureEqual(events.map(\.version), Array(1...max(1, events.count)).prefix(events.count).map { $0 })
    try ensure(events.count <= HotRoom.size, "the room has \(events.count) guests")
    var (counts, taken): ([String: Int], Set<Position>) = ([:], [])
    for ended in ended.withLock({ $0 }) {
      let command = ended.command
      var word: String
      switch ended.result {
      case .success(let receipt) where receipt.isRepeated:
        word = "repeated"
        try ensure(command.id != nil, "a command without an id was repeated")
      case .success(let receipt):
        word = "added"
        try ensureEqual(receipt.count, command.amount)
        for event in events where receipt.events?.contains(event.position) == true {
          try ensure(taken.insert(event.position).inserted, "two commands have the event \(event.position)")
          try ensureEqual(event.metadata["number"], "\(command.amount)")
          try ensureEqual(event.transaction, receipt.transaction)
        }
      case .failure(is HotRoom.Full):
        word = "full"
        // Guests don't leave, so a command that was refused at any time is still refused at the end.
        try ensure(
          events.count + command.amount > HotRoom.size,
          "\(command.amount) guests were refused, but only \(events.count) guests have arrived")
      case .failure(is CancellationError):
        word = "cancelled"
        try ensure(command.isCancelled, "a command was cancelled with another command")
      case .failure(let error as EventStoreError):
        word = error.code.rawValue
        try ensure(error.isTransient, "a command failed: \(error)")
      case .failure(let error): throw error
      }
      counts[word, default: 0] += 1
    }
    try ensure(
      counts["unknownOutcome"] != nil || taken.count == events.count,
      "\(events.count) events, but \(taken.count) of them were acknowledged")
    for (id, events) in Dictionary(grouping: events, by: \.metadata.causation) where id != nil {
      try ensure(Set(events.map(\.transaction)).count == 1, "the command \(id ?? "") was executed twice")
    }
    counts["grouped"] = max(0, (counts["added"] ?? 0) - appendCalls.withLock { $0 })
    return counts
  }
}
