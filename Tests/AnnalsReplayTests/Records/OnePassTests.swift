import Annals
import AnnalsLog
import AnnalsReplay
import Synchronization
import Testing

/// What is asked of a list reads the log once, and still finds a second collection.
@Suite struct OnePassTests {
  private let tool: ToolRunner

  init() throws { tool = try ToolRunner() }

  /// A tool over a store in memory that counts the events which it hands out.
  private func counting(_ store: CountingStore) -> ReplayTool {
    ReplayTool(
      ReplayRecords(), ReplayList(Wares(), request: ListRequest(sort: [.ascending(\.price)])),
      ReplayStore { _, _ in store }, name: "tool")
  }

  /// A record of a collection.
  private func record(_ number: Int, _ collection: String = "ware") -> NewEvent {
    NewEvent(type: "RecordInserted", payload: #"{"collection":"\#(collection)","id":"r\#(number)","fields":{"n":1}}"#)
  }

  private func fill(_ store: CountingStore, _ events: [NewEvent]) throws {
    for event in events { try store.append(Append([event], to: "s")) }
  }

  @Test(arguments: [
    ["show"], ["show", "900"], ["diff", "900..1000"], ["diff", "900..", "--each"],
    ["why", "r7"], ["why", "r7.n"], ["why", "r7.n.x.y"],
  ])
  func `an answer about records does not look for collections before it folds them`(words: [String]) throws {
    let store = CountingStore()
    try fill(store, (1...1_000).map { record($0) })
    tool.tool = counting(store)
    func count(_ words: [String]) -> (answer: ToolRunner.Answer, count: Int) {
      store.count.store(0, ordering: .relaxed)
      let answer = tool.run(words)
      return (answer, store.count.load(ordering: .relaxed))
    }
    let found = count([words[0], "log"] + words.dropFirst())
    // With a name, it is looked for whether the log has such a collection.
    let named = count([words[0], "log", "--list", "ware"] + words.dropFirst())
    #expect(found.answer.output == named.answer.output && found.answer.status == named.answer.status)
    let end = words == ["show", "900"] ? 900 : 1_000
    let begin = words.contains("--each") ? 100 : 0
    // It reads the first event to know its collection, and those that come after something is printed.
    #expect(named.count - found.count == end - begin - 1, "\(words) read \(found.count), \(named.count)")
  }

  @Test func `a field of a row of an app's list is found in one fold`() throws {
    let store = CountingStore()
    let wares = (1...500).map {
      NewEvent(type: "WareInserted", payload: #"{"id":"a.\#($0)","price":\#($0),"shelf":"x"}"#)
    }
    let later = [
      NewEvent(type: "WareRepriced", payload: #"{"id":"a.7","to":9.5}"#),
      NewEvent(type: "WareDeleted", payload: #"{"id":"a.8"}"#),
      NewEvent(type: "WareBundled", payload: #"{"ids":["a.7","a.9"],"to":3}"#),
    ]
    try fill(store, wares + later)
    tool.tool = counting(store)
    store.count.store(0, ordering: .relaxed)
    let answer = tool.run("why", "log", "a.7.price", "--each", "--time", "utc")
    try #require(answer.lines.count == 3, "\(answer.lines) \(answer.talk)")
    #expect(answer.lines.map { String($0.prefix(18)) }.allSatisfy { $0.hasPrefix(".price  ") })
    #expect(answer.lines[1].contains("9.5, was 7"), "\(answer.lines)")
    #expect(answer.lines[2].contains("3, was 9.5") && answer.lines[2].contains("  503  "), "\(answer.lines)")
    let count = store.count.load(ordering: .relaxed)
    // A store without an index of types is read once for them.
    #expect(count < 2 * 503 + 20, "it read \(count)")
    #expect(tool.run("why", "log", "a.8").output.contains("deleted by   502"))
    #expect(tool.run("why", "log", "a.8.price").lines.last?.contains("  502  ") ?? false)
    #expect(tool.run("why", "log", "a.0.price").status == 1)
  }

  @Test(arguments: [2, 400, 950, 1_000])
  func `a second collection is found before anything is printed, wherever it begins`(place: Int) throws {
    let store = CountingStore()
    try fill(store, (1...1_000).map { $0 == place ? record($0, "other") : record($0) })
    tool.tool = counting(store)
    for words in [
      ["show", "log"], ["diff", "log", "900..1000"], ["diff", "--each", "log", "900.."],
      ["diff", "--each", "log"], ["diff", "--each", "log", "900..", "--with-list"], ["why", "log", "r7"],
      ["why", "log", "r7.n"], ["diff", "log", "1000..1"],
    ] {
      let answer = tool.run(words)
      #expect(answer.status == 2 && answer.output == "", "\(words)")
      #expect(
        answer.talk.contains("the log has 2 collections; choose one with --list: \"other\", \"ware\""),
        "\(words): \(answer.talk)")
      #expect(tool.run(words + ["--list", "ware"]).output != "", "\(words)")
    }
    // Up to the place that is shown there is one.
    let first = tool.run("show", "log", "\(place - 1)")
    #expect(first.status == 0 && first.output.hasPrefix("position \(place - 1): \(place - 1) row"), "\(first.talk)")
  }
}

/// A store in memory that counts the events that are read.
final class CountingStore: EventStore {
  private let base = MemoryEventStore()
  let count = Atomic(0)

  var source: String { base.source }
  var environment: StoreEnvironment { base.environment }
  var runtime: StoreRuntime { base.runtime }

  func commit(_ append: Append) throws -> Receipt { try base.commit(append) }

  func read<T>(_ body: (any EventLog) throws -> T) throws -> T {
    try base.read { try body(CountingLog(base: $0, store: self)) }
  }
}

private struct CountingLog: EventLog {
  let base: any EventLog
  let store: CountingStore

  func head() throws -> Position { try base.head() }
  func revision() throws -> LogRevision { try base.revision() }
  func version(of stream: StreamName) throws -> Int { try base.version(of: stream) }
  func position(of id: EventID) throws -> Position? { try base.position(of: id) }
  func receipt(ofCommand commandID: String) throws -> Receipt? { try base.receipt(ofCommand: commandID) }

  func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent] {
    let found = try base.events(query, after: after, through: through, limit: limit)
    store.count.add(found.count, ordering: .relaxed)
    return found
  }

  func eventsBackwards(
    _ query: EventQuery, after: Position, through: Position?, limit: Int
  ) throws -> [StoredEvent] {
    let found = try base.eventsBackwards(query, after: after, through: through, limit: limit)
    store.count.add(found.count, ordering: .relaxed)
    return found
  }
}
