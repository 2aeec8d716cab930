import Annals
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// Two replicas of a log beside a plain array: one in memory, one in a file.
///
/// The file is closed and opened again. The network and the replicas' stores fail, and the server is restored from a
/// backup.
@Suite struct ReplicaMachineTests {
  @Test func `replicas have whole transactions of the remote log at every moment, and notice another history`()
    async throws
  {
    let counts = Mutex<[String: Int]>([:])
    try await check(ReplicaStep.several, settings: CheckSettings(examples: 200)) { steps in
      let run = try ReplicaRun()
      defer { run.close() }
      for step in steps {
        let outcome = try await run.take(step)
        counts.withLock { $0[outcome, default: 0] += 1 }
      }
    }
    let found = counts.withLock { $0 }
    for outcome in ["current", "differs", "cut", "cut in the middle", "copied", "not copied"] {
      #expect(isQuickLook || found[outcome] ?? 0 > 0, "\(outcome): \(found)")
    }
  }
}

private enum ReplicaStep {
  /// Appends a transaction, with one event for each of the streams.
  case append([Int])
  /// Appends through a replica.
  case write([Int], through: Int)
  case catchUp(Int)
  /// Catches up while the network is cut after some answers.
  case catchUpCut(Int, after: Int)
  /// Catches up while an append to the copy fails, from 0, or is done without an answer.
  case catchUpFaulty(Int, at: Int, answerLost: Bool)
  case reopen
  case backUp
  case restore
  case clone(Int)

  static let several = Generator<[ReplicaStep]>.array(of: one, count: 1...40)

  private static let one = Generator<ReplicaStep> { draw in
    func replica() throws -> Int { try draw(.int(in: 0...1)) }
    func streams() throws -> [Int] { try draw(.array(of: .int(in: 0...2), count: 1...7)) }
    return switch try draw(.int(in: 0...22)) {
    case 0...6: .append(try streams())
    case 7, 8, 20, 21, 22: .write(try streams(), through: try replica())
    case 9...11: .catchUp(try replica())
    case 12, 13: .catchUpCut(try replica(), after: try draw(.int(in: 0...3)))
    case 14, 15: .catchUpFaulty(try replica(), at: try draw(.int(in: 0...2)), answerLost: try draw(.bool(0.5)))
    case 16: .reopen
    case 17: .backUp
    case 18: .restore
    default: .clone(try replica())
    }
  }
}

private final class ReplicaRun {
  private let remote = DistantStore()
  private let path = FileManager.default.temporaryDirectory.appending(path: "annals-\(UUID().uuidString)").path
  private var locals: [any EventStore] = []
  private var made = 0
  /// The events of the remote log, of its backup, and of the copies.
  private var expected: [StoredEvent] = []
  private var backup: [StoredEvent] = []
  private var copies: [[StoredEvent]] = [[], []]

  struct Wrong: Error, CustomStringConvertible {
    let description: String
  }

  init() throws {
    locals = [MemoryEventStore(), try Self.open(path)]
  }

  private static func open(_ path: String) throws -> SQLiteEventStore {
    try SQLiteEventStore(path: path, durability: .process, hearsOtherWriters: false)
  }

  func close() {
    (locals[1] as? SQLiteEventStore)?.close()
    for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
  }

  /// Takes a step, and compares everything with the arrays.
  ///
  /// - Returns: What came of it, in a word.
  func take(_ step: ReplicaStep) async throws -> String {
    var outcome = "done"
    switch step {
    case .append(let streams): try Self.commit(transaction(streams), to: remote.log)
    case .write(let streams, let number):
      let append = transaction(streams)
      let fits = fits(number)
      do {
        try await Replica(of: remote, in: locals[number], pageSize: 3).append(append)
        guard fits else { throw Wrong(description: "a replica of another history has copied") }
        copies[number] = expected
        outcome = "copied"
      } catch let error as ReplicaBehind {
        guard !fits, (error.reason as? EventStoreError)?.code == .replaced else { throw error }
        outcome = "not copied"
      }
    case .catchUp(let number): outcome = try await catchUp(number, locals[number], mayFail: false)
    case .catchUpCut(let number, let answers):
      remote.cut(after: answers)
      outcome = try await catchUp(number, locals[number], mayFail: true)
      remote.cut(after: nil)
    case .catchUpFaulty(let number, let place, let answerLost):
      let faulty = FaultyStore(locals[number])
      faulty.fail(StoreFault(.append, number: place + 1, way: answerLost ? .answerLost : .notDone))
      outcome = try await catchUp(number, faulty, mayFail: true)
    case .reopen:
      (locals[1] as? SQLiteEventStore)?.close()
      locals[1] = try Self.open(path)
    case .backUp: backup = expected
    case .restore:
      let log = MemoryEventStore()
      for transaction in Self.transactions(backup) { try Self.commit(Self.append(transaction), to: log) }
      (remote.log, expected) = (log, backup)
    case .clone(let number):
      if number == 1 { close() }
      locals[number] = number == 1 ? try Self.open(path) : MemoryEventStore()
      copies[number] = []
    }
    try compare("the remote log", try Self.everything(remote.log), expected)
    for number in 0...1 { try compare("copy \(number)", try Self.everything(locals[number]), copies[number]) }
    return outcome
  }

  private func catchUp(_ number: Int, _ local: any EventStore, mayFail: Bool) async throws -> String {
    let (before, fits, common) = (copies[number], fits(number), common(number))
    do {
      let position = try await Replica(of: remote, in: local, pageSize: 3).catchUp()
      guard fits else { throw Wrong(description: "a replica of another history has caught up") }
      guard position.rawValue == expected.count else { throw Wrong(description: "it answered \(position)") }
      copies[number] = expected
      return "current"
    } catch let error as EventStoreError where error.code == .replaced {
      guard !fits else { throw error }
      guard error.position?.rawValue == common else {
        throw Wrong(description: "expected the last common position \(common): \(error)")
      }
      return "differs"
    } catch let error where mayFail && !(error is Wrong) {
      // Some of the transactions were copied, each as a whole; what was there is there.
      let found = try Self.everything(locals[number])
      let whole = [before] + (fits ? Self.prefixes(of: expected) : [])
      guard found.count >= before.count, whole.contains(found) else {
        throw Wrong(description: "after \(error) the copy has \(found.map(\.position))")
      }
      copies[number] = found
      return found == before ? "cut" : "cut in the middle"
    }
  }

  /// True if a copy has nothing that the remote log has not.
  private func fits(_ number: Int) -> Bool { common(number) == copies[number].count }

  private func common(_ number: Int) -> Int { zip(expected, copies[number]).prefix { $0 == $1 }.count { _ in true } }

  private func compare(_ what: String, _ found: [StoredEvent], _ expected: [StoredEvent]) throws {
    if found != expected { throw Wrong(description: "\(what): expected \(expected), found \(found)") }
  }

  /// A transaction of events with all that an event can have, which the array has too.
  private func transaction(_ streams: [Int]) -> Append {
    let (start, number) = (expected.count, (expected.last?.transaction ?? 0) + 1)
    for stream in streams {
      made += 1
      let name = StreamName("s\(stream)")
      expected.append(
        StoredEvent(
          position: Position(expected.count + 1), transaction: number, stream: name,
          version: expected.count { $0.stream == name } + 1, id: EventID(source: "urn:machine", id: "\(made)"),
          type: "MachineThing\(stream)", schema: made % 3 + 1, time: Date(timeIntervalSince1970: Double(made) / 7),
          tags: made % 2 == 0 ? [] : ["n:\(made)"], payload: made % 5 == 0 ? nil : "{ \"n\" :\(made)}",
          metadata: made % 4 == 0 ? [:] : ["who": "\(stream)"]))
    }
    return Self.append(Array(expected[start...]))
  }

  private static func append(_ events: [StoredEvent]) -> Append {
    Append(
      events.map { event in
        Append.Entry(
          stream: event.stream,
          event: NewEvent(
            type: event.type, schema: event.schema, payload: event.payload, tags: event.tags, metadata: event.metadata,
            id: event.id, time: event.time))
      })
  }

  private static func commit(_ append: Append, to store: any EventStore) throws { try store.append(append) }

  private static func transactions(_ events: [StoredEvent]) -> [[StoredEvent]] {
    Dictionary(grouping: events, by: \.transaction).sorted { $0.key < $1.key }.map(\.value)
  }

  /// What a log has after each of its transactions.
  private static func prefixes(of events: [StoredEvent]) -> [[StoredEvent]] {
    var all: [[StoredEvent]] = [[]]
    for transaction in transactions(events) { all.append((all.last ?? []) + transaction) }
    return all
  }

  private static func everything(_ store: any EventStore) throws -> [StoredEvent] {
    try store.events(.all, after: 0, through: nil, limit: 100_000)
  }
}
