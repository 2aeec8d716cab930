import Annals
import AnnalsLog
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Synchronization
import Testing
@testable import AnnalsRemote

/// Two replicas of a log beside a plain array: one in memory, one in a file.
///
/// The file is closed and opened again. The network and the replicas' stores fail, values of persons are erased, events
/// are cut and replaced, and the server is restored from a backup. Copies are replaced with the server's log.
@Suite struct ReplicaMachineTests {
  @Test func `replicas have whole transactions of the remote log at every moment, and notice another history`()
    async throws
  {
    let counts = Mutex<[String: Int]>([:])
    try await check(ReplicaStep.several, settings: CheckSettings(examples: 400)) { steps in
      let run = try ReplicaRun()
      defer { run.close() }
      for step in steps {
        let outcome = try await run.take(step)
        counts.withLock { $0[outcome, default: 0] += 1 }
      }
    }
    // What is rarer does not come of each run; it comes of the steps below.
    let found = counts.withLock { $0 }
    for outcome in ["current", "cut", "copied", "erased", "compacted", "recloned", "same"] {
      #expect(isQuickLook || found[outcome] ?? 0 > 0, "\(outcome): \(found)")
    }
  }

  @Test func `each thing that can come of a step comes of one of these, as the array says`() async throws {
    let run = try ReplicaRun()
    defer { run.close() }
    let three = [0, 0, 0]
    let steps: [(step: ReplicaStep, outcome: String)] = [
      // The third event has a value of a person.
      (.append(three), "done"), (.catchUp(0), "current"), (.backUp, "done"),
      (.erase(1), "erased"), (.compact([true], from: 0, before: 0), "compacted"), (.catchUp(0), "current"),
      (.write([1], through: 0), "copied"), (.restore, "done"), (.catchUp(0), "went back"),
      (.write([1], through: 0), "not copied"), (.clone(0), "done"),
      (.catchUp(0), "current"), (.append([2]), "done"), (.catchUp(0), "current"), (.restore, "done"),
      (.append([2]), "done"), (.catchUp(0), "differs"), (.reopen, "done"),
      (.append(three), "done"), (.append(three), "done"), (.append(three), "done"),
      (.catchUpCut(1, after: 0), "cut"), (.catchUpCut(1, after: 3), "cut in the middle"),
      (.catchUpFaulty(1, .append, at: 0, answerLost: false), "cut"), (.catchUp(1), "current"),
      (.reclone(1, .none), "same"), (.backUp, "done"), (.append([2]), "done"), (.catchUp(1), "current"),
      (.restore, "done"), (.append([2]), "done"), (.reclone(1, .none), "recloned"), (.reclone(1, .none), "same"),
      (.append([2]), "done"), (.catchUp(1), "current"), (.restore, "done"),
      (.reclone(1, .store(.compaction, at: 0, answerLost: false)), "cut"), (.reopen, "done"),
      (.reclone(1, .none), "recloned"), (.catchUp(1), "current"),
      // The new copy has a replaced event, whose former identity it has never known.
      (.append([0, 0]), "done"), (.backUp, "done"), (.append([0]), "done"),
      (.compact([true], from: 0, before: 0), "compacted"), (.clone(1), "done"), (.catchUp(1), "current"),
      (.restore, "done"), (.reclone(1, .none), "recloned"),
    ]
    for (number, (step, outcome)) in steps.enumerated() {
      let found = try await run.take(step)
      #expect(found == outcome, "step \(number): \(step)")
    }
  }
}

private enum ReplicaStep {
  /// Appends a transaction, with one event for each of the streams.
  case append([Int])
  /// Erases a person's values, or none.
  case erase(Int)
  /// Cuts and replaces events of the server, as bits say, up to so many transactions before its end.
  case compact([Bool], from: Int, before: Int)
  /// Appends through a replica.
  case write([Int], through: Int)
  case catchUp(Int)
  /// Catches up while the network is cut after some answers.
  case catchUpCut(Int, after: Int)
  /// Catches up while a call of the copy's store fails, from 0, or is done without an answer.
  case catchUpFaulty(Int, StoreFault.Call, at: Int, answerLost: Bool)
  /// Replaces a copy that doesn't fit the server's log.
  case reclone(Int, Fault)
  case reopen
  case backUp
  case restore
  case clone(Int)

  enum Fault {
    case none
    case network(after: Int)
    case store(StoreFault.Call, at: Int, answerLost: Bool)
  }

  static let several = Generator<[ReplicaStep]>.array(of: one, count: 1...40)

  private static let one = Generator<ReplicaStep> { draw in
    func replica() throws -> Int { try draw(.int(in: 0...1)) }
    func streams() throws -> [Int] { try draw(.array(of: .int(in: 0...2), count: 1...7)) }
    return switch try draw(.int(in: 0...39)) {
    case 34...36: .reclone(try replica(), .none)
    case 37: .reclone(try replica(), .network(after: try draw(.int(in: 0...9))))
    case 38, 39:
      .reclone(
        try replica(),
        .store(
          try draw(.element(of: [.append, .checkpoint, .compaction, .read])), at: try draw(.int(in: 0...60)),
          answerLost: try draw(.bool(0.5))))
    case 0...6: .append(try streams())
    case 7, 8, 20, 21, 22: .write(try streams(), through: try replica())
    case 9...11: .catchUp(try replica())
    case 12, 13: .catchUpCut(try replica(), after: try draw(.int(in: 0...3)))
    case 14, 15, 25, 26:
      .catchUpFaulty(
        try replica(), try draw(.element(of: [.append, .append, .checkpoint, .erasure, .compaction])),
        at: try draw(.int(in: 0...5)), answerLost: try draw(.bool(0.5)))
    case 23, 24: .erase(try draw(.int(in: 0...2)))
    case 30...33:
      .compact(
        try draw(.array(of: .bool(0.6), count: 1...12)), from: try draw(.int(in: 0...9)),
        before: try draw(.int(in: 0...2)))
    case 16: .reopen
    case 17, 27: .backUp
    // With one in 27 for each, a run of 200 cases had no replica that was beyond its remote log.
    case 18, 28, 29: .restore
    default: .clone(try replica())
    }
  }
}

/// What was done to a log, and what it reads as.
private struct ReplicaHistory {
  /// What tells one rewriting from another.
  enum Rewriting: Equatable {
    case erasure(LogErasure)
    case compaction(LogCompaction)
  }

  /// The identities of all events as they were appended.
  var ids: [EventID] = []
  /// The events that are there.
  var events: [StoredEvent] = []
  /// The transaction that ends at a position, by that.
  var ends: [Int] = []
  var versions: [StreamName: Int] = [:]
  var horizon = 0
  var rewritings: [Rewriting] = []

  mutating func append(_ transaction: [StoredEvent]) {
    events += transaction
    ids += transaction.map(\.id)
    ends.append(ids.count)
    for event in transaction { versions[event.stream] = event.version }
  }

  mutating func erase(_ erasure: LogErasure) {
    rewritings.append(.erasure(erasure))
    events = events.map { $0.without(erasure.subject) }
  }

  mutating func compact(_ changes: CompactionEdits, _ compaction: LogCompaction) {
    rewritings.append(.compaction(compaction))
    horizon = compaction.horizon.rawValue
    events = events.compactMap { event in
      switch changes[event.position] {
      case nil: event
      case .cut: nil
      case .replaced(let new):
        StoredEvent(
          position: event.position, transaction: event.transaction, stream: event.stream, version: event.version,
          id: new.id ?? event.id, type: new.type, schema: new.schema, time: event.time, tags: new.tags,
          payload: new.payload, metadata: event.metadata)
      }
    }
  }

  /// How many events, as they were appended, are those of another history.
  func common(with other: [EventID]) -> Int { zip(ids, other).prefix { $0 == $1 }.count { _ in true } }

  /// What the log had after each of its transactions that a copy can show.
  var states: [(head: Int, events: [StoredEvent])] {
    ([0] + ends).filter { $0 == 0 || $0 >= horizon }.map { end in (end, events.filter { $0.position.rawValue <= end }) }
  }
}

extension StoredEvent {
  fileprivate func without(_ subject: String) -> StoredEvent {
    guard let payload, payload.contains("\"\(subject)\"") else { return self }
    return StoredEvent(
      position: position, transaction: transaction, stream: stream, version: version, id: id, type: type,
      schema: schema, time: time, tags: tags, payload: #"{"p":{"$personal":"\#(subject)"}}"#, metadata: metadata)
  }
}

private final class ReplicaRun {
  /// A copy: its events, and what was done to the history that it has or is about to have.
  private struct Copy {
    /// The identities of all events that it has, also of those that it does not show yet.
    var ids: [EventID] = []
    /// What it shows, and up to where.
    var events: [StoredEvent] = []
    var head = 0
    var rewritings: [ReplicaHistory.Rewriting] = []
    /// How many of them are surely done: one that was about to be done, and failed, is done by the next catching up,
    /// also by one that finds another history then.
    var done = 0

    init() {}

    /// A copy that has all of a history.
    init(_ history: ReplicaHistory) {
      (ids, events, head) = (history.ids, history.events, history.ids.count)
      (rewritings, done) = (history.rewritings, history.rewritings.count)
    }
  }

  private let remote = MemoryRemoteStore()
  private let path = FileManager.default.temporaryDirectory.appending(path: "annals-\(UUID().uuidString)").path
  private var locals: [any EventStore] = []
  private var made = 0
  private var expected = ReplicaHistory()
  private var backup: (history: ReplicaHistory, server: MemoryRemoteServer.Backup)
  private var copies = [Copy(), Copy()]

  struct Wrong: Error, CustomStringConvertible {
    let description: String
  }

  init() throws {
    backup = (expected, remote.server.backup())
    locals = [MemoryEventStore(), try Self.open(path)]
  }

  private static func open(_ path: String) throws -> SQLiteEventStore {
    try SQLiteEventStore(path: path, durability: .process, observesExternalWriters: false)
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
    case .append(let streams): try Self.commit(transaction(streams), to: remote.server)
    case .erase(let person):
      let known = remote.server.rewritings.erasures.count
      try await remote.server.erase(subject: "p\(person)")
      for erasure in remote.server.rewritings.erasures.dropFirst(known) {
        expected.erase(erasure)
        outcome = "erased"
      }
    case .compact(let bits, let from, let before):
      if try compact(bits, from: from, before: before) { outcome = "compacted" }
    case .write(let streams, let number):
      let append = transaction(streams)
      let fits = fits(number)
      do {
        try await Replica(of: remote, in: locals[number], pageSize: 3).append(append)
        guard fits else { throw Wrong(description: "a replica of another history has copied") }
        copies[number] = Copy(expected)
        outcome = "copied"
      } catch let error as Replica.BehindError {
        guard !fits, (error.reason as? EventStoreError)?.code == .replaced else { throw error }
        try look(number)
        outcome = "not copied"
      }
    case .catchUp(let number): outcome = try await catchUp(number, locals[number], mayFail: false)
    case .catchUpCut(let number, let answers):
      remote.fail(StoreFault(number: answers + 1, way: .notDone))
      outcome = try await catchUp(number, locals[number], mayFail: true)
      remote.mend()
    case .catchUpFaulty(let number, let call, let place, let answerLost):
      let faulty = FaultyStore(locals[number])
      faulty.fail(StoreFault(call, number: place + 1, way: answerLost ? .answerLost : .notDone))
      outcome = try await catchUp(number, faulty, mayFail: true)
    case .reclone(let number, let fault): outcome = try await reclone(number, fault)
    case .reopen:
      (locals[1] as? SQLiteEventStore)?.close()
      locals[1] = try Self.open(path)
    case .backUp: backup = (expected, remote.server.backup())
    case .restore:
      remote.server.restore(backup.server)
      expected = backup.history
    case .clone(let number):
      if number == 1 { close() }
      locals[number] = number == 1 ? try Self.open(path) : MemoryEventStore()
      copies[number] = Copy()
    }
    try compare("the remote log", try Self.everything(remote.server), expected.events)
    for number in 0...1 { try compare("copy \(number)", try shown(number), copies[number].events) }
    return outcome
  }

  /// What someone sees of a copy.
  private func shown(_ number: Int) throws -> [StoredEvent] { try Self.everything(Replica.copy(in: locals[number])) }

  private func reclone(_ number: Int, _ fault: ReplicaStep.Fault) async throws -> String {
    let (before, fits) = (copies[number], fits(number))
    let (common, removals) = (expected.common(with: before.ids), try locals[number].revision().rebases)
    // If an event was replaced before the copy received it, the copy doesn't know the event's former identity.
    let replaced = try Self.everything(locals[number]).first { event in
      event.position.rawValue <= common && event.id != before.ids[event.position.rawValue - 1]
    }
    let least = replaced.map { $0.position.rawValue - 1 } ?? common
    let faulty = FaultyStore(locals[number])
    switch fault {
    case .none: break
    case .network(let calls): remote.fail(StoreFault(number: calls + 1, way: .notDone))
    case .store(let call, let place, let answerLost):
      faulty.fail(StoreFault(call, number: place + 1, way: answerLost ? .answerLost : .notDone))
    }
    defer { remote.mend() }
    do {
      let position = try await Replica(of: remote, in: faulty, pageSize: 3).reclone()
      let found = try Replica(of: remote, in: locals[number]).common(since: removals)
      guard (found == nil) == fits, position.rawValue == expected.ids.count,
        try Self.everything(locals[number]) == expected.events
      else {
        throw Wrong(description: "the position is \(position), and the common position \(found, default: "none")")
      }
      if let found {
        // Positions whose events were removed from the old copy count as common.
        let others = before.events.filter { $0.position.rawValue > common && $0.position <= found }
        guard found.rawValue >= least, others.isEmpty else {
          throw Wrong(description: "expected the last common position \(least) to \(common), found \(found)")
        }
      }
      copies[number] = Copy(expected)
      return found == nil ? "same" : "recloned"
    } catch let error where !(error is Wrong) {
      if case .none = fault { throw error }
      if try locals[number].revision().rebases != removals {
        copies[number] = Copy(expected)
        return "whole"
      }
      try look(number)
      return "cut"
    }
  }

  private func compact(_ bits: [Bool], from: Int, before: Int) throws -> Bool {
    guard let horizon = expected.ends.dropLast(before).last, horizon >= expected.horizon else { return false }
    var changes = CompactionEdits()
    let first = max(0, horizon - 12 - from)
    for event in expected.events where event.position.rawValue <= horizon {
      let place = event.position.rawValue - 1 - first
      guard place >= 0, bits[place % bits.count] else { continue }
      made += 1
      let new = NewEvent(
        type: "MachineRest", schema: 1,
        payload: made % 2 == 0 ? #"{"p":{"$personal":"p\#(made % 3)","value":\#(made)}}"# : #"{"rest":\#(made)}"#,
        tags: made % 3 == 0 ? ["rest:\(made)"] : [], id: EventID(source: "urn:machine", id: "\(made)"))
      changes.add(made % 5 < 3 ? .cut : .replaced(by: new), at: event.position)
    }
    if changes.isEmpty { return false }
    let done = try remote.server.compact(
      RemoteCompaction(
        id: "\(made)", revision: remote.server.revision(), horizon: Position(horizon), changes: changes))
    expected.compact(changes, done)
    return true
  }

  private func catchUp(_ number: Int, _ local: any EventStore, mayFail: Bool) async throws -> String {
    let (before, fits) = (copies[number], fits(number))
    let common = expected.common(with: before.ids)
    do {
      let position = try await Replica(of: remote, in: local, pageSize: 3).catchUp()
      guard fits else { throw Wrong(description: "a replica of another history has caught up") }
      guard position.rawValue == expected.ids.count, try locals[number].head() == position else {
        throw Wrong(description: "it answered \(position)")
      }
      for (stream, version) in expected.versions where try locals[number].version(of: stream) != version {
        throw Wrong(description: "the copy's \(stream) has another version than \(version)")
      }
      copies[number] = Copy(expected)
      return "current"
    } catch let error as EventStoreError where error.code == .replaced {
      guard !fits else { throw error }
      try look(number)
      guard let position = error.position else { return "went back" }
      // Where events were cut from the copy, they are the same for all that it knows.
      let others = before.events.filter { $0.position.rawValue > common && $0.position <= position }
      guard position.rawValue >= common, others.isEmpty else {
        throw Wrong(description: "expected the last common position \(common): \(error)")
      }
      return "differs"
    } catch let error where mayFail && !(error is Wrong) {
      try look(number)
      return copies[number].events == before.events ? "cut" : "cut in the middle"
    }
  }

  /// Compares what a copy has after a failure with what it may have: whole transactions, whole erasures, and whole
  /// compactions.
  private func look(_ number: Int) throws {
    let before = copies[number]
    let found = try shown(number)
    let head = try Replica.copy(in: locals[number]).head().rawValue
    let names = ReplicaNames(try locals[number].revision())
    let claimed = try locals[number].checkpoints?.checkpoint(named: names.claimed)?.rawValue ?? 0
    // Several subjects may be erased one after the other; of each all values are gone, or none.
    var whole = [before.events]
    for case .erasure(let erasure) in expected.rewritings.dropFirst(before.done) {
      whole += whole.map { events in events.map { $0.without(erasure.subject) } }
    }
    let isSame = whole.contains(found) && head == before.head
    let isOther = fits(number) && expected.states.contains { $0.head == head && $0.events == found }
    guard head >= before.head, isSame || isOther else {
      throw Wrong(description: "after a failure the copy has \(found.map(\.position))")
    }
    if fits(number) { copies[number].ids = Array(expected.ids.prefix(try locals[number].head().rawValue)) }
    (copies[number].events, copies[number].head) = (found, head)
    // An empty copy becomes one of any history: what it had noted of another one is gone with its first event.
    if claimed != before.rewritings.count || before.ids.isEmpty {
      copies[number].rewritings = Array(expected.rewritings.prefix(claimed))
    }
  }

  /// True if a copy has nothing that the remote log has not, and everything that was done to it was done there.
  private func fits(_ number: Int) -> Bool {
    let copy = copies[number]
    if copy.ids.isEmpty { return true }
    return expected.common(with: copy.ids) == copy.ids.count && expected.rewritings.starts(with: copy.rewritings)
  }

  private func compare(_ what: String, _ found: [StoredEvent], _ expected: [StoredEvent]) throws {
    if found != expected { throw Wrong(description: "\(what): expected \(expected), found \(found)") }
  }

  /// A transaction of events with all that an event can have, which the array has too.
  private func transaction(_ streams: [Int]) -> Append {
    let (start, number) = (expected.ids.count, expected.ends.count + 1)
    var (events, versions) = ([] as [StoredEvent], expected.versions)
    for stream in streams {
      made += 1
      let name = StreamName("s\(stream)")
      let payload =
        made % 3 == 0 ? #"{"p":{"$personal":"p\#(made % 9 / 3)","value":\#(made)}}"# : "{ \"n\" :\(made)}"
      versions[name, default: 0] += 1
      events.append(
        StoredEvent(
          position: Position(start + events.count + 1), transaction: number, stream: name,
          version: versions[name] ?? 0, id: EventID(source: "urn:machine", id: "\(made)"),
          type: "MachineThing\(stream)", schema: made % 3 + 1, time: Date(timeIntervalSince1970: Double(made) / 7),
          tags: made % 2 == 0 ? [] : ["n:\(made)"], payload: made % 5 == 0 ? nil : payload,
          metadata: made % 4 == 0 ? [:] : ["who": "\(stream)"]))
    }
    expected.append(events)
    return Self.append(events)
  }

  private static func append(_ events: [StoredEvent]) -> Append {
    Append(events.map { Append.Entry(stream: $0.stream, event: NewEvent($0)) })
  }

  private static func commit(_ append: Append, to store: any EventStore) throws { try store.append(append) }

  private static func everything(_ store: any EventStore) throws -> [StoredEvent] {
    try store.events(.all, after: 0, through: nil, limit: 100_000)
  }
}
