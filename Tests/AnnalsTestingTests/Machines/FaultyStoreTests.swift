import Annals
import AnnalsStoreTesting
import AnnalsTesting
import Synchronization
import Testing

private enum TrayEvent: Event {
  case laid(Int)
}

private struct Tray: Decider {
  enum Rejection: Error {}

  var sum = 0

  func decide(_ command: Int) throws(Rejection) -> [TrayEvent] { [.laid(command)] }

  mutating func evolve(_ event: TrayEvent) {
    if case .laid(let count) = event { sum += count }
  }
}

/// A decider that refuses what is already on the tray.
private struct Once: Decider {
  struct Twice: Error {}

  var laid: Set<Int> = []

  func decide(_ command: Int) throws(Twice) -> [TrayEvent] {
    if laid.contains(command) { throw Twice() }
    return [.laid(command)]
  }

  mutating func evolve(_ event: TrayEvent) {
    if case .laid(let count) = event { laid.insert(count) }
  }
}

private struct TrayRow: Row, Equatable {
  let id: Int
}

private struct TrayRows: Projection {
  func project(_ event: TrayEvent, into rows: inout Rows<TrayRow>) {
    if case .laid(let count) = event { rows.insert(TrayRow(id: count)) }
  }
}

/// An app with a list, rightly written or with a mistake.
private final class TrayApp {
  enum Mistake { case none, swallowsErrors, hasNoCommandIDs, countsBefore, keepsItsList, triesThrice, refusesRepeats }

  let store: FaultyStore
  let mistake: Mistake
  let list: FetchedResultsController<TrayRow>
  var counted = 0

  init(_ store: FaultyStore, _ mistake: Mistake) throws {
    (self.store, self.mistake) = (store, mistake)
    list = FetchedResultsController(store: store, projection: TrayRows(), cacheName: "tray")
    try list.performFetch()
  }

  func lay(_ count: Int) throws {
    if mistake == .countsBefore { counted += count }
    let id = mistake == .hasNoCommandIDs ? nil : "lay \(count)"
    if mistake == .triesThrice {
      for _ in 0..<3 { if (try? store.execute(count, on: Tray["a"], commandID: id)) != nil { return } }
    } else if mistake == .refusesRepeats {
      try store.execute(count, on: Once["a"])
    } else if mistake == .swallowsErrors {
      _ = try? store.execute(count, on: Tray["a"], commandID: id)
    } else {
      try store.execute(count, on: Tray["a"], commandID: id)
    }
  }

  func shown() throws -> [Int] {
    if mistake != .keepsItsList { list.refresh() }
    let sum = try store.state(of: Tray["a"]).sum
    return [mistake == .countsBefore ? counted : sum] + list.results.rows.map(\.id)
  }
}

@Suite struct FaultyStoreTests {
  private func check(
    _ mistake: TrayApp.Mistake, ways: [StoreFault.Way] = StoreFault.Way.allCases
  ) throws -> FaultyStore.Report {
    try FaultyStore.check(
      ways: ways,
      steps: [
        .init("lay 1") { try $0.lay(1) }, .init("save") { try $0.list.saveCache() }, .init("lay 2") { try $0.lay(2) },
      ]
    ) { store in
      try TrayApp(store, mistake)
    } answer: { app in
      try app.shown()
    }
  }

  @Test func `an app that tries again with a command id holds, whichever call fails`() throws {
    let report = try check(.none)
    #expect(report.calls > 10)
    #expect(report.faults > 4 * report.calls)
  }

  @Test func `an app that swallows an error is seen to lose what it says is done`() throws {
    let failure = try #require(#expect(throws: Unmet.self) { _ = try check(.swallowsErrors) })
    #expect(
      failure.description.contains("after the step lay 1 returned without an error, `answer` must return "),
      "\(failure)")
  }

  @Test func `an app that tries three times and then swallows the error is seen where a fault lasts`() throws {
    let failure = try #require(#expect(throws: Unmet.self) { _ = try check(.triesThrice) })
    #expect(
      failure.description.contains("after the step lay 1 returned without an error, `answer` must return "),
      "\(failure)")
  }

  @Test func `a command without an id is done twice when its answer is lost`() throws {
    let failure = try #require(#expect(throws: Unmet.self) { _ = try check(.hasNoCommandIDs) })
    #expect(failure.description.contains("(append) succeeds but its result is lost"), "\(failure)")
    #expect(failure.description.contains("was repeated, `answer` must return "), "\(failure)")
    // If no answer is lost, nothing is done twice.
    _ = try check(.hasNoCommandIDs, ways: [.notDone, .busy])
  }

  @Test func `a command without an id that is refused after its answer was lost is found`() throws {
    let failure = try #require(#expect(throws: Unmet.self) { _ = try check(.refusesRepeats) })
    #expect(
      failure.description.contains(
        "but it was refused when it was repeated: Twice(). Execute the step's command with a `commandID`"), "\(failure)"
    )
    _ = try check(.refusesRepeats, ways: [.busy])
  }

  @Test func `a check of faults reports no failure of a list`() throws {
    let reports = Mutex(0)
    let environment = StoreEnvironment(report: { _ in reports.withLock { $0 += 1 } })
    try FaultyStore.check(
      on: { MemoryEventStore(environment: environment) }, steps: [.init("lay 1") { try $0.lay(1) }]
    ) { store in
      try TrayApp(store, .none)
    } answer: { app in
      try app.shown()
    }
    #expect(reports.withLock { $0 } == 0)
    // Without the check, the same store reports.
    let store = FaultyStore(MemoryEventStore(environment: environment))
    let app = try TrayApp(store, .none)
    try app.lay(1)
    store.fail(StoreFault(.read, number: 1, way: .notDone, lasts: true))
    app.list.refresh()
    #expect(reports.withLock { $0 } == 1)
  }

  @Test func `an app that counts before it appends shows what is not there`() throws {
    let failure = try #require(#expect(throws: Unmet.self) { _ = try check(.countsBefore) })
    #expect(failure.description.contains("the step lay 1 threw an error "), "\(failure)")
  }

  @Test func `a list that is not refreshed after its store failed is seen to be old`() throws {
    let failure = try #require(#expect(throws: Unmet.self) { _ = try check(.keepsItsList) })
    #expect(failure.description.contains("[1, 1], but it returned [1]"), "\(failure)")
  }

  @Test func `a program that calls nothing of its store, or that fails by itself, is refused`() {
    let idle = #expect(throws: CheckError.self) {
      try FaultyStore.check(steps: [.init("nothing") { _ in }]) { _ in
        1
      } answer: {
        $0
      }
    }
    #expect(idle?.description.hasPrefix("the system made no call to the store") == true)
    let failing = #expect(throws: CheckError.self) {
      try FaultyStore.check(steps: [.init("fail") { _ in throw AskedTooMuch() }]) { store in
        store
      } answer: {
        try $0.head()
      }
    }
    #expect(failing?.description.contains("in the step fail") == true, "\(failing as Any)")
  }

  private struct AskedTooMuch: Error {}

  @Test func `each capability of a store fails when it is asked to, and is as before afterwards`() throws {
    let store = FaultyStore(MemoryEventStore())
    try store.append(Append([NewEvent(type: "T", payload: "{}")], to: "s"))
    func fails(_ call: StoreFault.Call, _ body: () throws -> Void) throws {
      store.fail(StoreFault(call, number: 1, way: .busy))
      let error = #expect(throws: EventStoreError.self) { try body() }
      #expect(error?.code == .busy)
      #expect(store.failed == 1 && store.calls.last == call)
      try body()
    }
    try fails(.append) { try store.append(Append([NewEvent(type: "T", payload: "{}")], to: "s")) }
    try fails(.read) { _ = try store.head() }
    try fails(.checkpoint) { _ = try store.checkpoints?.checkpoint(named: "a") }
    try fails(.snapshot) { _ = try store.snapshots?.snapshot(of: "s", decider: "d") }
    try fails(.savedList) { _ = try store.savedLists?.list(named: "l", fingerprint: "f") }
    try fails(.erasure) { _ = try store.erasing?.hasPersonalValues() }
    var compaction = Compaction()
    compaction.rewrite(TrayEvent.self) { _, events in events }
    compaction.prove(TrayRows())
    try fails(.compaction) { try store.compact(compaction) }
    #expect(try store.head() == 2)
    // The answer of what was done is lost.
    store.fail(StoreFault(.append, number: 1, way: .answerLost, lasts: true))
    #expect(throws: EventStoreError.self) { try store.append(Append([NewEvent(type: "T", payload: "{}")], to: "s")) }
    #expect(throws: EventStoreError.self) { try store.head() }
    store.mend()
    #expect(try store.head() == 3)
  }

  @Test(arguments: StoreContract.rules)
  func `a faulty store without a fault keeps the contract`(rule: StoreContract.Rule) throws {
    try rule.check { environment in FaultyStore(MemoryEventStore(environment: environment)) }
  }
}
