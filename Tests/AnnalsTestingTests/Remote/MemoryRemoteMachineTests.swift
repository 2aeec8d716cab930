import Annals
import AnnalsLog
import AnnalsRemote
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// Random commands of two connections with faults, with a replica and a follower, compared with a plain array.
@Suite(.timeLimit(.minutes(60))) struct MemoryRemoteMachineTests {
  @Test func `no acknowledged command is lost, and no repeated command is executed twice`() async throws {
    let counts = Mutex<[String: Int]>([:])
    try await check(RemoteStep.several, settings: CheckSettings(examples: 150)) { steps in
      let run = RemoteRun()
      for step in steps {
        let outcome = try await run.take(step)
        counts.withLock { $0[outcome, default: 0] += 1 }
      }
      try await run.finish()
    }
    let found = counts.withLock { $0 }
    // A shortened check doesn't reach every outcome.
    if found.values.reduce(0, +) < 1_000 { return }
    for outcome in ["added", "repeated", "full", "busy", "unreachable", "unknownOutcome", "overtaken", "copied"] {
      #expect(found[outcome] ?? 0 > 0, "\(outcome): \(found)")
    }
  }
}

private struct RemoteCommand: Hashable {
  let amount: Int
  let purse: Int
  /// A number that distinguishes commands with the same amount.
  ///
  /// Equal commands are the same command, which is repeated.
  let number: Int

  var id: String { "\(amount) to \(purse), number \(number)" }
}

private enum RemoteStep {
  case execute(RemoteCommand, on: Int, StoreFault?)
  /// Executes a command on one connection, while the append of another connection's command is on its way.
  case overtake(RemoteCommand, by: RemoteCommand)
  case copy(StoreFault?)
  case follow(StoreFault?)

  static let several = Generator<[RemoteStep]>.array(of: one, count: 1...30)

  private static let one = Generator<RemoteStep> { draw in
    func command() throws -> RemoteCommand {
      RemoteCommand(
        amount: try draw(.int(in: 1...4)), purse: try draw(.int(in: 0...1)), number: try draw(.int(in: 0...1)))
    }
    func fault() throws -> StoreFault? {
      guard try draw(.bool(0.6)) else { return nil }
      return StoreFault(
        number: try draw(.int(in: 1...3)), way: try draw(.element(of: StoreFault.Way.allCases)),
        lasts: try draw(.bool(0.3)))
    }
    return switch try draw(.int(in: 0...9)) {
    case 0...5: .execute(try command(), on: try draw(.int(in: 0...1)), try fault())
    case 6, 7: .overtake(try command(), by: try command())
    case 8: .copy(try fault())
    default: .follow(try fault())
    }
  }
}

private final class RemoteRun: Sendable {
  private enum Outcome: Equatable {
    case added, repeated, full
    case failed(EventStoreError.Code)

    var name: String {
      if case .failed(let code) = self { code.rawValue } else { "\(self)" }
    }
  }

  private struct Model {
    /// The executed commands, in the order of the log.
    var log: [RemoteCommand] = []
    /// The commands that threw an error, in the order in which they were first executed.
    var failed: [RemoteCommand] = []
  }

  private let clock = ManualClock()
  private let server: MemoryRemoteServer
  private let connections: [MemoryRemoteStore]
  private let local = MemoryEventStore()
  private let handled = Mutex<[StreamName: [Int]]>([:])
  private let model = Mutex(Model())

  init() {
    let environment = StoreEnvironment(
      now: { [clock] in clock.now }, sleep: { _ in await Task.yield() }, report: { _ in })
    let server = MemoryRemoteServer(environment: environment)
    self.server = server
    connections = (0...2).map { _ in MemoryRemoteStore(server) }
  }

  /// Takes a step, compares the log with the model, and returns the outcome in one word.
  func take(_ step: RemoteStep) async throws -> String {
    var outcome: String
    switch step {
    case .execute(let command, let number, let fault):
      connections[number].fail(fault)
      let found = await execute(command, on: number)
      connections[number].mend()
      try learn(command, found)
      outcome = found.name
    case .overtake(let command, let other):
      let between = Mutex<Outcome?>(nil)
      connections[0].onCalls { [self] call, leg in
        guard call == .append, leg == .request else { return }
        connections[0].onCalls(nil)
        let found = await execute(other, on: 1)
        between.withLock { $0 = found }
      }
      let found = await execute(command, on: 0)
      connections[0].onCalls(nil)
      if let between = between.withLock({ $0 }) { try learn(other, between) }
      try learn(command, found)
      outcome = between.withLock { $0 } == nil ? found.name : "overtaken"
    case .copy(let fault):
      outcome = try await failing(with: fault) { [self] in
        try await Replica(of: connections[2], in: local, pageSize: 2).catchUp()
        try ensureEqual(events(of: local), events(of: server))
        return "copied"
      }
    case .follow(let fault):
      outcome = try await failing(with: fault) { [self] in
        try ensureEqual(try await follower().catchUp(), try server.head())
        return "followed"
      }
    }
    try compare()
    return outcome
  }

  /// Repeats the failed commands without faults, and compares everything with the model.
  func finish() async throws {
    for command in model.withLock({ $0.failed }) { try learn(command, await execute(command, on: 0)) }
    try compare()
    _ = try await take(.copy(nil))
    _ = try await take(.follow(nil))
    let handled = handled.withLock { $0 }
    for (stream, events) in Dictionary(grouping: try events(of: server), by: \.stream) {
      try ensureEqual(handled[stream] ?? [], Array(1...events.count))
    }
  }

  private func execute(_ command: RemoteCommand, on number: Int) async -> Outcome {
    do {
      let receipt = try await connections[number].execute(
        command.amount, on: CoinPurse["\(command.purse)"], commandID: command.id)
      return receipt.isRepeated ? .repeated : .added
    } catch is CoinPurse.Full {
      return .full
    } catch let error as EventStoreError {
      return .failed(error.code)
    } catch {
      preconditionFailure("a command threw an unknown error: \(error)")
    }
  }

  /// Adds a command to the model, and compares its outcome with the model.
  private func learn(_ command: RemoteCommand, _ found: Outcome) throws {
    try model.withLock { model in
      let isDone = model.log.contains(command)
      let sum = model.log.filter { $0.purse == command.purse }.map(\.amount).reduce(0, +)
      let expected: Outcome = isDone ? .repeated : sum + command.amount > 9 ? .full : .added
      switch found {
      case .failed(.busy), .failed(.unreachable): model.failed.append(command)
      case .failed(.unknownOutcome):
        model.failed.append(command)
        try ensure(expected != .full, "a full purse took a coin")
        if expected == .added { model.log.append(command) }
      default:
        try ensureEqual(found, expected)
        if found == .added { model.log.append(command) }
      }
    }
  }

  private func failing(with fault: StoreFault?, _ body: () async throws -> String) async throws -> String {
    connections[2].fail(fault)
    defer {
      connections[2].mend()
      // A failed worker might not have released its leases.
      clock.advance(by: 7_200)
    }
    do { return try await body() } catch let error as EventStoreError where error.isTransient {
      try ensure(connections[2].failed > 0, "no call failed: \(error)")
      return error.code.rawValue
    }
  }

  private func follower() throws -> RemoteFollower<CoinEvent> {
    try RemoteFollower(
      "counter", of: CoinEvent.self, in: connections[2], startingAt: .beginning, partitions: 2, lease: .unlosable
    ) { [self] recorded, _ in
      try handled.withLock { handled in
        let done = handled[recorded.stream]?.count ?? 0
        // An event can be handled twice, but never before an earlier event of its stream.
        try ensure(recorded.version <= done + 1, "version \(recorded.version) was handled after \(done)")
        if recorded.version > done { handled[recorded.stream, default: []].append(recorded.version) }
      }
    }
  }

  private func events(of store: any EventStore) throws -> [StoredEvent] {
    try store.events(.all, after: 0, through: nil, limit: 1_000)
  }

  private func compare() throws {
    let expected = model.withLock { $0.log.map { "\(CoinPurse.stream("\($0.purse)")) \($0.id)" } }
    try ensureEqual(try events(of: server).map { "\($0.stream) \($0.metadata.causation ?? "")" }, expected)
  }
}
