import Annals
import AnnalsLog
import AnnalsSQLite
import AnnalsStoreTesting
import AnnalsTesting
import Foundation
import Testing

@Suite struct StoreContractTests {
  @Test(arguments: StoreContract.rules)
  func `a store in memory keeps the contract`(rule: StoreContract.Rule) throws {
    try rule.check { MemoryEventStore(source: "memory", environment: $0) }
  }

  @Test(arguments: StoreContract.rules)
  func `a store in an SQLite file keeps the contract`(rule: StoreContract.Rule) throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("contract-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    var number = 0
    try rule.check { environment in
      number += 1
      return try SQLiteEventStore(
        path: directory.appendingPathComponent("\(number).log").path, environment: environment)
    }
  }

  @Test(arguments: StoreContract.rules)
  func `a branch keeps the contract`(rule: StoreContract.Rule) throws {
    try rule.check { try MemoryEventStore(source: "memory", environment: $0).branch() }
    // And a branch of a branch.
    try rule.check { try MemoryEventStore(source: "memory", environment: $0).branch().branch() }
    // And one that floats, on the log and on another that floats.
    try rule.check { try MemoryEventStore(source: "memory", environment: $0).branch(floating: true) }
    try rule.check {
      try MemoryEventStore(source: "memory", environment: $0).branch(floating: true).branch(floating: true)
    }
  }

  @Test(arguments: StoreContract.rules)
  func `a branch of a log in an SQLite file keeps the contract`(rule: StoreContract.Rule) throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("branch-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    var number = 0
    try rule.check { environment in
      number += 1
      let path = directory.appendingPathComponent("\(number).log").path
      return try SQLiteEventStore(path: path, environment: environment).branch()
    }
  }

  @Test func `a store that forgets something breaks a rule, and the sentence says which`() throws {
    var broken: Set<String> = []
    for mistake in ForgetfulStore.Mistake.allCases {
      let violations = StoreContract.rules.compactMap { rule -> StoreContract.Violation? in
        do {
          try rule.check { ForgetfulStore(mistake, environment: $0) }
          return nil
        } catch { return error as? StoreContract.Violation }
      }
      #expect(!violations.isEmpty, "\(mistake)")
      for violation in violations {
        #expect(violation.description.contains(violation.rule))
        broken.insert(violation.rule)
      }
    }
    #expect(broken.count >= 8)
  }

  @Test func `events backwards that are of another moment than the rest of a read are found`() throws {
    let rule = try #require(
      StoreContract.rules.first { $0.sentence.hasPrefix("all results of a read come from a snapshot") })
    #expect(throws: StoreContract.Violation.self) {
      try rule.check { ForgetfulStore(.backwards, environment: $0) }
    }
  }

  @Test func `an event that has the schema of the one before it does not come back as it went in`() throws {
    let rule = try #require(StoreContract.rules.first { $0.sentence == "an event is read exactly as it was appended" })
    let violation = #expect(throws: StoreContract.Violation.self) {
      try rule.check { ForgetfulStore(.schema, environment: $0) }
    }
    #expect(violation?.description.contains("expected 1, found 3") == true, "\(violation.map { "\($0)" } ?? "")")
  }

  @Test func `the list of events that a store is compared with finds by itself what is forgotten`() throws {
    let rule = try #require(
      StoreContract.rules.first { $0.sentence.hasPrefix("for any appends and queries, a store returns") })
    for mistake in [.expectations, .conditions, .tags, .limit, .after, .head, .version, .identity]
      as [ForgetfulStore.Mistake]
    {
      let violation = #expect(throws: StoreContract.Violation.self, "\(mistake)") {
        try rule.check { ForgetfulStore(mistake, environment: $0) }
      }
      let failure = violation?.error as? PropertyFailure
      #expect(failure?.input.count ?? 99 <= 4, "\(failure.map { "\($0)" } ?? "")")
    }
  }
}

/// A store in memory with a bug.
private final class ForgetfulStore: EventStore {
  enum Mistake: CaseIterable {
    case expectations, conditions, tags, limit, after, through, head, version, identity, metadata, moment, backwards,
      schema
  }

  private let store: MemoryEventStore
  private let mistake: Mistake

  init(_ mistake: Mistake, environment: StoreEnvironment) {
    self.mistake = mistake
    store = MemoryEventStore(source: "forgetful", environment: environment)
  }

  var source: String { store.source }
  var environment: StoreEnvironment { store.environment }
  var runtime: StoreRuntime { store.runtime }

  func commit(_ append: Append) throws -> Receipt {
    var append = append
    if mistake == .expectations { append.expectations = [:] }
    if mistake == .conditions { append.conditions = [] }
    for place in append.entries.indices {
      if mistake == .tags { append.entries[place].event.tags = [] }
      if mistake == .schema { append.entries[place].event.schema = append.entries[0].event.schema }
      if mistake == .metadata { append.entries[place].event.metadata = [:] }
    }
    return try store.commit(append)
  }

  func read<T>(_ body: (any EventLog) throws -> T) throws -> T {
    // One that forgets to stand still answers what is there when it is asked.
    if mistake == .moment { return try body(Log(store, mistake, store)) }
    return try store.read { try body(Log($0, mistake, store)) }
  }

  private struct Log: EventLog {
    private let log: any EventLog
    private let mistake: Mistake

    /// The store as it is now, and not at the moment of the read.
    private let now: any EventLog

    init(_ log: any EventLog, _ mistake: Mistake, _ now: any EventLog) {
      (self.log, self.mistake, self.now) = (log, mistake, now)
    }

    func head() throws -> Position { mistake == .head ? 1 : try log.head() }

    func version(of stream: StreamName) throws -> Int { mistake == .version ? 0 : try log.version(of: stream) }

    func position(of id: EventID) throws -> Position? { mistake == .identity ? nil : try log.position(of: id) }

    func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent] {
      try log.events(
        query, after: mistake == .after ? 0 : after, through: mistake == .through ? nil : through,
        limit: mistake == .limit && limit < .max ? limit + 1 : limit)
    }

    func eventsBackwards(
      _ query: EventQuery, after: Position, through: Position?, limit: Int
    ) throws -> [StoredEvent] {
      guard mistake == .backwards else {
        return try events(query, after: after, through: through, limit: .max).suffix(limit).reversed()
      }
      return try now.eventsBackwards(query, after: after, through: through, limit: limit)
    }
  }
}
