import Annals
import AnnalsLog
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// Saved states of deciders, compared with states that are folded from all events.
@Suite struct SnapshotTests {
  private let store = SnapshotCountingStore(budget: 0)

  @Test func `a command on a long stream reads the events since the state was kept, and no others`() throws {
    for number in 1...100 { try store.execute(.add(number), on: Counter["a"]) }
    store.read.withLock { $0 = 0 }
    try store.execute(.add(1), on: Counter["a"])
    #expect(store.read.withLock { $0 } <= 20)
    #expect(try store.state(of: Counter["a"]).sum == 5_051)
    #expect(try store.state(of: Counter["b"]).sum == 0)
  }

  @Test func `a state that was kept leads to the decisions that all events lead to, whatever became of it`() throws {
    enum Step: Sendable {
      case add(stream: Int, Int)
      case several([Int])
      case drop
      case damage
      case other
    }
    let step: Generator<Step> = .frequency(
      (10, zip(.int(in: 0...1), .int(in: -3...9)).map { .add(stream: $0, $1) }),
      (2, Generator<[Int]>.array(of: .int(in: 0...9), count: 1...4).map { .several($0) }), (1, .constant(.drop)),
      (1, .constant(.damage)), (1, .constant(.other)))
    try check(
      zip(.array(of: step, count: 10...80), .element(of: [0, 1, 2, 100])), settings: CheckSettings(examples: 200)
    ) { steps, budget in
      let store = SnapshotCountingStore(budget: budget)
      var sums = [0, 0]
      for step in steps {
        switch step {
        case .add(let stream, let number):
          do {
            try store.execute(.add(number), on: Counter["\(stream)"])
            try ensure(number >= 0, "a negative number was taken")
            sums[stream] += number
          } catch is Counter.Negative {
            try ensure(number < 0, "a number was refused")
          }
        case .several(let numbers):
          try store.transaction { transaction in
            for number in numbers {
              try transaction.execute(.add(number), on: Counter["0"])
              try transaction.execute(.add(number), on: PlainCounter["0"])
            }
          }
          sums[0] += 2 * numbers.reduce(0, +)
        case .drop: try store.deleteSnapshots()
        case .damage: store.isWrong.withLock { $0.toggle() }
        case .other:
          let event = NewEvent(type: "Other", payload: nil)
          try store.append(Append([event], to: "others"))
        }
        for stream in 0...1 {
          try ensureEqual(try store.state(of: Counter["\(stream)"]).sum, sums[stream])
          try ensureEqual(try store.state(of: PlainCounter["\(stream)"]).sum, sums[stream])
        }
      }
    }
  }

  @Test func `a state of another version, or of other properties, is not taken`() throws {
    for _ in 0..<50 { try store.execute(.add(1), on: Counter["a"]) }
    #expect(store.kept?.fingerprint.hasPrefix("1 ") == true)
    try store.change {
      DeciderSnapshot(
        fingerprint: "2" + $0.fingerprint.dropFirst(), version: $0.version, position: $0.position, state: #"{"sum":7}"#)
    }
    #expect(try store.state(of: Counter["a"]).sum == 50)
    // A state from fewer events than the stream has is continued; one from more events is not.
    try store.change {
      DeciderSnapshot(fingerprint: "1" + $0.fingerprint.dropFirst(), version: 70, position: 70, state: #"{"sum":7}"#)
    }
    #expect(try store.state(of: Counter["a"]).sum == 50)
  }

  @Test func `a state that its coding does not keep is not kept`() throws {
    for _ in 0..<50 { try store.execute(.add(1), on: Forgetting["a"]) }
    #expect(try store.state(of: Forgetting["a"]).sum == 50)
    #expect(store.kept == nil)
  }

  @Test func `an expected version counts the events that were not read`() throws {
    for _ in 0..<50 { try store.execute(.add(1), on: Counter["a"]) }
    #expect(throws: Never.self) { try store.execute(.add(1), on: Counter["a", expecting: .exact(50)]) }
    let error = #expect(throws: EventStoreError.self) {
      try store.execute(.add(1), on: Counter["a", expecting: .exact(50)])
    }
    #expect(error?.isConflict == true)
  }
}

private enum CounterEvent: Event {
  case added(Int)
}

private enum CounterCommand {
  case add(Int)
}

private struct Counter: SnapshotDecider {
  struct Negative: Error {}
  static let snapshotInterval = 10
  static let category = "Counter"
  var sum = 0

  func decide(_ command: CounterCommand) throws -> [CounterEvent] {
    guard case .add(let number) = command, number >= 0 else { throw Negative() }
    return [.added(number)]
  }

  mutating func evolve(_ event: CounterEvent) { if case .added(let number) = event { sum += number } }
}

/// The same on the same streams, from all events.
private struct PlainCounter: Decider {
  static let category = "Counter"
  var sum = 0

  func decide(_ command: CounterCommand) -> [CounterEvent] {
    if case .add(let number) = command { [.added(number)] } else { [] }
  }
  mutating func evolve(_ event: CounterEvent) { if case .added(let number) = event { sum += number } }
}

/// A state whose coding writes a different number from the one that it reads.
private struct Forgetting: SnapshotDecider {
  static let snapshotInterval = 10
  var sum = 0

  init() {}
  init(from decoder: any Decoder) throws { sum = try decoder.singleValueContainer().decode(Int.self) + 1 }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(sum)
  }

  func decide(_ command: CounterCommand) -> [CounterEvent] {
    if case .add(let number) = command { [.added(number)] } else { [] }
  }
  mutating func evolve(_ event: CounterEvent) { if case .added(let number) = event { sum += number } }
}

/// A store in memory that counts the events that are read, and can change saved states.
private final class SnapshotCountingStore: StoreAroundMemory {
  let memory: MemoryEventStore
  let read = Mutex(0)
  let isWrong = Mutex(false)
  private let last = Mutex<(snapshot: DeciderSnapshot, decider: String)?>(nil)

  /// - Parameter budget: How many states are kept in memory.
  init(budget: Int) { memory = MemoryEventStore(environment: StoreEnvironment(stateBudget: budget)) }

  var kept: DeciderSnapshot? { last.withLock { $0?.snapshot } }
  var snapshots: (any SnapshotStore)? { States(store: self) }

  func events(
    in log: any EventLog, _ query: EventQuery, after: Position, through: Position?, limit: Int
  ) throws -> [StoredEvent] {
    let found = try log.events(query, after: after, through: through, limit: limit)
    read.withLock { $0 += found.count }
    return found
  }

  /// Changes the state that was saved last.
  func change(_ body: (DeciderSnapshot) -> DeciderSnapshot) throws {
    guard let (kept, decider) = last.withLock({ $0 }) else { return }
    try memory.snapshots?.save(body(kept), of: Counter.stream("a"), decider: decider, revision: .original)
  }

  private struct States: SnapshotStore {
    let store: SnapshotCountingStore

    func snapshot(of stream: StreamName, decider: String) throws -> DeciderSnapshot? {
      if store.isWrong.withLock({ $0 }) { throw EventStoreError(.io, "the disk does not answer") }
      return try store.memory.snapshots?.snapshot(of: stream, decider: decider)
    }

    func save(_ snapshot: DeciderSnapshot, of stream: StreamName, decider: String, revision: LogRevision) throws {
      if store.isWrong.withLock({ $0 }) { throw EventStoreError(.io, "the disk is full") }
      store.last.withLock { $0 = (snapshot, decider) }
      try store.memory.snapshots?.save(snapshot, of: stream, decider: decider, revision: revision)
    }

    func deleteSnapshots() throws { try store.memory.deleteSnapshots() }
  }
}
