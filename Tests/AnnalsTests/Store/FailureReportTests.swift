import Annals
import AnnalsLog
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// What a program's log gets of lists, followers and saves that stop.
@Suite struct StopReportTests {
  /// A store that collects its reports.
  private struct Collected {
    let reports: Reports
    let store: MemoryEventStore

    init() {
      let reports = Reports()
      self.reports = reports
      store = MemoryEventStore(source: "urn:test", environment: StoreEnvironment(report: { reports.add($0) }))
    }

    final class Reports: Sendable {
      private let list = Mutex<[FailureReport]>([])

      func add(_ report: FailureReport) { list.withLock { $0.append(report) } }

      var all: [FailureReport] { list.withLock { $0 } }
    }

    /// Some reports are made on another thread.
    func reports(_ count: Int) async throws -> [FailureReport] {
      for _ in 0..<1_000 where reports.all.count < count { try await Task.sleep(for: .milliseconds(2)) }
      // One too many would come now.
      try await Task.sleep(for: .milliseconds(20))
      return reports.all
    }

    func items() -> FetchedResultsController<Item> {
      FetchedResultsController(store: store, projection: Items(), request: .byGroup)
    }
  }

  /// A way for an event not to fit, which quotes a person's value.
  private enum Poison: CaseIterable {
    case refused, unknown, undecodable, newer

    func append(to store: some EventStore) throws {
      switch self {
      case .refused: try store.put(.refused(reason: "SECRET"))
      case .unknown: try store.append(Append([NewEvent(type: "ItemLost", payload: #"{"SECRET":1}"#)], to: "s"))
      case .undecodable:
        try store.append(
          Append([NewEvent(type: "ItemPut", payload: #"{"id":{"SECRET":1},"rank":"SECRET"}"#)], to: "s"))
      case .newer:
        try store.append(
          Append([NewEvent(type: "ItemRemoved", schema: 99, payload: #"{"id":"SECRET"}"#)], to: "s"))
      }
    }
  }

  @Test(arguments: Poison.allCases)
  private func `a list that stops is reported once, by a sentence without values of payloads`(poison: Poison) throws {
    let collected = Collected()
    let controller = collected.items()
    try controller.performFetch()
    try collected.store.put(.put(Item("a", "x", 1)))
    #expect(collected.reports.all.isEmpty)
    try poison.append(to: collected.store)
    for number in 0..<3 {
      try collected.store.put(.put(Item("b\(number)", "x", 1)))
      controller.refresh()
    }
    let report = try #require(collected.reports.all.first)
    #expect(collected.reports.all.count == 1)
    #expect((report.kind, report.name, report.source, report.position) == (.list, "Items", "urn:test", 2))
    #expect(report.message.hasPrefix("the list of the projection Items stopped before event 2 (Item"))
    #expect(report.message.contains(" in the log urn:test: ") && report.message.contains("`failure`"))
    #expect(!report.message.contains("SECRET"), "\(report)")
    #expect("\(report.error)" == "\(try #require(controller.failure))")
    // It is an error that does quote it, as far as there is something to quote.
    if poison == .refused { #expect("\(report.error)".contains("SECRET")) }
  }

  @Test func `a first fetch that stops is reported too, and each list of its own`() throws {
    let collected = Collected()
    try Poison.refused.append(to: collected.store)
    let controllers = (collected.items(), collected.items())
    #expect(throws: ProjectionError.self) { try controllers.0.performFetch() }
    #expect(throws: ProjectionError.self) { try controllers.0.performFetch() }
    #expect(collected.reports.all.count == 1)
    #expect(throws: ProjectionError.self) { try controllers.1.performFetch() }
    #expect(collected.reports.all.count == 2)
  }

  @Test func `a list that goes on and stops again is reported again`() throws {
    let failing = FailingStore()
    let controller = FetchedResultsController(store: failing, projection: Items(), request: .byGroup)
    try controller.performFetch()
    for number in 1...3 {
      failing.isFailing = true
      controller.refresh()
      controller.refresh()
      #expect(failing.reports.all.count == number)
      failing.isFailing = false
      controller.refresh()
      #expect(controller.failure == nil)
    }
    #expect(failing.reports.all.allSatisfy { $0.message.contains("the disk is away") && $0.position == nil })
  }

  @Test func `a follower that stops is reported once for each event`() async throws {
    let collected = Collected()
    let handled = Mutex<[Position]>([])
    let follower = try EventFollower("mail", of: ItemEvent.self, in: collected.store, startingAt: .beginning) {
      event, _ in
      if case .refused(let reason) = event.event { throw Refusal(reason: reason) }
      handled.withLock { $0.append(event.position) }
    }
    try Poison.refused.append(to: collected.store)
    try Poison.undecodable.append(to: collected.store)
    try collected.store.put(.put(Item("a", "x", 1)))
    // In a function that is not asynchronous, and in one that is.
    func catchUp() { for _ in 0..<3 { _ = try? follower.catchUp() } }
    catchUp()
    _ = try? await follower.catchUp()
    do { try await follower.run() } catch is ProjectionError {}
    #expect(collected.reports.all.map(\.position) == [1])
    #expect(collected.reports.all[0].message.hasPrefix("the follower \"mail\" stopped before event 1 (ItemRefused)"))
    try await follower.skip(1)
    for _ in 0..<3 { _ = try? await follower.catchUp() }
    catchUp()
    #expect(collected.reports.all.map(\.position) == [1, 2])
    try await follower.skip(2)
    try await follower.catchUp()
    #expect(handled.withLock { $0 } == [3])
    #expect(collected.reports.all.count == 2)
    // It has gone on since, so that the same stop is another one.
    try collected.store.forgetFollower("mail", version: 1)
    catchUp()
    #expect(collected.reports.all.map(\.position) == [1, 2, 1])
    #expect(collected.reports.all.allSatisfy { $0.kind == .follower && !$0.message.contains("SECRET") })
  }

  @Test func `a list that cannot be saved is reported, and a kept one that stops`() async throws {
    let collected = Collected()
    let controller = FetchedResultsController(
      store: collected.store, projection: Places(), request: ListRequest(), cacheName: "places")
    try collected.store.put(.put(Item("SECRET", "x", 0)))
    _ = try? controller.performFetch()
    for _ in 0..<3 { #expect(throws: (any Error).self) { try controller.saveCache() } }
    let report = try #require(try await collected.reports(1).first)
    #expect(try await collected.reports(1).count == 1)
    #expect((report.kind, report.name) == (.save, "places"))
    #expect(report.message.hasPrefix("saving the list \"places\" stopped in the log urn:test: "))
    #expect(!report.message.contains("SECRET"))

    let list = try collected.store.keepList(of: Items(), request: .byGroup, cacheName: "kept")
    for _ in 0..<3 { try Poison.refused.append(to: collected.store) }
    #expect(list.failure != nil)
    let reports = try await collected.reports(2)
    #expect(reports.map(\.kind) == [.save, .list])
    #expect(reports.last?.position == 2)
  }

  private struct Place: Row {
    let id: String
    let group: String?
    var place: String? { group }
  }

  /// A list whose sections have titles by a property without a name, which cannot be saved.
  private struct Places: Projection {
    var identity: String { "places" }

    func project(_ event: ItemEvent, into rows: inout Rows<Place>) {
      guard case .put(let item) = event else { return }
      rows.insert(Place(id: item.id, group: item.group))
      rows.renameSection(item.group, of: \.place, to: "SECRET")
    }
  }

  /// A store that cannot be read for a while.
  private final class FailingStore: ForwardingEventStore {
    let reports = Collected.Reports()
    let wrapped: any EventStore
    private let failing = Mutex(false)

    init() {
      let reports = reports
      wrapped = MemoryEventStore(environment: StoreEnvironment(report: { reports.add($0) }))
    }

    var isFailing: Bool {
      get { failing.withLock { $0 } }
      set { failing.withLock { $0 = newValue } }
    }

    func read<T>(_ body: (any EventLog) throws -> T) throws -> T {
      if isFailing { throw EventStoreError(.io, "the disk is away") }
      return try wrapped.read(body)
    }
  }
}
