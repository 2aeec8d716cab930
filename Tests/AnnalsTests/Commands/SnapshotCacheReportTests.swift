import Annals
import AnnalsTesting
import Foundation
import Testing

/// States that can be saved, and the reports about those that cannot.
@Suite struct SnapshotReportTests {
  /// Keeps no states in memory, so that those that were saved are found.
  private let store = MemoryEventStore(environment: StoreEnvironment(stateBudget: 0))

  private func run<D: SnapshotDecider>(_ decider: D.Type, _ count: Int = 30) throws -> CacheReport
  where D.Command == String {
    for number in 0..<count { try store.execute("c\(number)", on: decider["a"]) }
    return store.cacheReport(of: decider)
  }

  @Test func `a state with sets is kept and gone on from`() throws {
    let report = try run(Shelves.self)
    #expect(report.saveCount == 2 && report.problem == nil && report.loadCount > 10)
    let state = try store.state(of: Shelves["a"])
    #expect(state.titles.count == 30 && state.byPlace.count == 30 && state.nested.count == 30)
    try Shelves.ensureSnapshotsHold((0..<12).map { .happened(name: "c\($0)") })
  }

  @Test func `a number that JSON cannot hold keeps a state from being kept, which says so`() throws {
    let report = try run(Measuring.self)
    #expect(report.saveCount == 0 && report.loadCount == 0)
    let problem = try #require(report.problem)
    #expect(problem.hasPrefix("the state of stream \"Measuring-a\" after version "))
    #expect(problem.contains("the state cannot be encoded as JSON") && problem.contains("nan"))
    #expect(try store.state(of: Measuring["a"]).count == 30)
    let error = #expect(throws: Unmet.self) { try Measuring.ensureSnapshotsHold([.happened(name: "x")]) }
    #expect(error?.description.contains("the state cannot be encoded as JSON") == true)
  }

  @Test func `a coding that leaves something out is found`() throws {
    let problem = try #require(try run(Lossy.self).problem)
    #expect(problem.contains("the state changes when it is decoded. Before decoding, it was encoded as {\"count\":"))
    let error = #expect(throws: Unmet.self) { try Lossy.ensureSnapshotsHold([.happened(name: "x")]) }
    #expect(error?.description.contains("the state changes when it is decoded") == true)
  }

  @Test func `a coding that does not read what it writes is found, also in the state after the last event`() throws {
    let problem = try #require(try run(Unreadable.self).problem)
    #expect(problem.contains("the state was encoded as ") && problem.contains(", but cannot be decoded: "))
    try Unreadable.ensureSnapshotsHold([])
    #expect(throws: Unmet.self) { try Unreadable.ensureSnapshotsHold([.happened(name: "x")]) }
  }

  @Test func `a state that can be kept again takes the report back`() throws {
    #expect(try run(Measuring.self).problem != nil)
    try store.execute("back", on: Measuring["a"])
    try store.execute("more", on: Measuring["a"])
    #expect(
      store.cacheReport(of: Measuring.self).problem == nil && store.cacheReport(of: Measuring.self).saveCount == 1)
  }

  @Test func `a state that cannot be saved is tried again after as many events as a state is saved after`() throws {
    let store = MemoryEventStore()
    for number in 0..<35 { try store.execute("c\(number)", on: Measuring["a"]) }
    #expect(store.cacheReport(of: Measuring.self).problem != nil)
    try store.execute("back", on: Measuring["a"])
    for _ in 0..<10 { try store.execute("more", on: Measuring["a"]) }
    let report = store.cacheReport(of: Measuring.self)
    #expect(report.problem == nil && report.saveCount == 1 && report.loadCount == 0)
  }

  @Test func `reports are a store's own, and a decider's`() throws {
    _ = try run(Measuring.self)
    #expect(store.cacheReport(of: Measuring.self).problem != nil)
    #expect(store.cacheReport(of: Shelves.self).problem == nil)
    // Also if another store was at the same address before.
    for _ in 0..<50 { #expect(MemoryEventStore().cacheReport(of: Measuring.self).problem == nil) }
  }

  @Test func `a store that keeps no states says so`() throws {
    let store = FailingStore()
    for _ in 0..<12 { try store.execute("c", on: Shelves["a"]) }
    let problem = store.cacheReport(of: Shelves.self).problem
    #expect(problem?.hasPrefix("FailingStore does not support snapshots") == true)
  }
}

private enum NameEvent: Event {
  case happened(name: String)
}

private struct Spot: Codable, Hashable {
  var row: Int
  var name: String
}

private struct Shelves: SnapshotDecider, Equatable {
  static let snapshotInterval = 10
  var titles: Set<String> = []
  var byPlace: [Spot: Set<String>] = [:]
  var nested: [String: [Set<Spot>]] = [:]

  func decide(_ command: String) -> [NameEvent] { [.happened(name: command)] }
  mutating func evolve(_ event: NameEvent) {
    guard case .happened(let name) = event else { return }
    titles.insert(name)
    byPlace[Spot(row: titles.count, name: name)] = titles.filter { $0.hasSuffix("1") }
    nested[name] = [Set(titles.map { Spot(row: 0, name: $0) })]
  }
}

private struct Measuring: SnapshotDecider, Equatable {
  static let snapshotInterval = 10
  var count = 0
  var last: Double = 0

  func decide(_ command: String) -> [NameEvent] { [.happened(name: command)] }
  mutating func evolve(_ event: NameEvent) {
    if case .happened(let name) = event { last = name == "back" ? 0 : name == "more" ? 1 : .nan }
    count += 1
  }
}

private struct Lossy: SnapshotDecider, Equatable {
  static let snapshotInterval = 10
  var count = 0

  init() {}
  init(from decoder: any Decoder) throws {
    count = try decoder.container(keyedBy: Key.self).decode(Int.self, forKey: .count) / 2
  }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(count, forKey: .count)
  }
  enum Key: CodingKey { case count }

  func decide(_ command: String) -> [NameEvent] { [.happened(name: command)] }
  mutating func evolve(_ event: NameEvent) { count += 1 }
}

private struct Unreadable: SnapshotDecider, Equatable {
  static let snapshotInterval = 10
  var count = 0

  init() {}
  init(from decoder: any Decoder) throws {
    count = try decoder.singleValueContainer().decode(Int.self)
    if count > 0 { throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "no")) }
  }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(count)
  }

  func decide(_ command: String) -> [NameEvent] { [.happened(name: command)] }
  mutating func evolve(_ event: NameEvent) { count += 1 }
}

/// States whose own decoder ends the program at a text that no event had.
@Suite struct StateShapeTests {
  enum Mood: Hashable, Codable {
    case fine, tired

    init(from decoder: any Decoder) throws {
      switch try decoder.singleValueContainer().decode(String.self) {
      case "fine": self = .fine
      case "tired": self = .tired
      case let text: fatalError("a mood that no event had: \(text)")
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(self == .fine ? "fine" : "tired")
    }
  }

  enum DayEvent: Event {
    case passed(hours: Int)
  }

  struct Day: SnapshotDecider {
    enum Command { case pass(Int) }

    static let snapshotInterval = 2
    var mood = Mood.fine
    var hours = 0

    func decide(_ command: Command) -> [DayEvent] {
      switch command {
      case .pass(let hours): [.passed(hours: hours)]
      }
    }

    mutating func evolve(_ event: DayEvent) {
      guard case .passed(let passed) = event else { return }
      hours += passed
      mood = hours > 8 ? .tired : .fine
    }
  }

  @Test func `a state is kept and found again without a look at values that no event led to`() throws {
    let store = MemoryEventStore(environment: StoreEnvironment(stateBudget: 0))
    for hours in 0..<20 { try store.execute(.pass(hours % 3), on: Day["monday"]) }
    let state = try store.state(of: Day["monday"])
    #expect(state.hours == 19 && state.mood == .tired)
    let report = store.cacheReport(of: Day.self)
    #expect(report.saveCount > 3 && report.loadCount > 3 && report.problem == nil)
  }
}
