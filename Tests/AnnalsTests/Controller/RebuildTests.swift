import Annals
import AnnalsTesting
import Foundation
import Testing

/// Long rebuilds: their progress, and how to stop them early.
@Suite struct RebuildTests {
  private let store = CountingStore()

  private struct Enough: Error {}

  private func fill(_ transactions: [Int]) throws {
    var number = 0
    for size in transactions {
      try store.put((0..<size).map { .put(Item("item \(number + $0)", "g\($0 % 3)", number)) })
      number += size
    }
  }

  private func controller(isolation: isolated (any Actor)? = #isolation) -> FetchedResultsController<Item> {
    FetchedResultsController(store: store, projection: Items(), request: .byGroup)
  }

  @Test func `a long fetch says how far it is, between transactions, and ends at the log's end`() throws {
    // The second transaction reaches past the end of the first slice, and so does the fourth.
    try fill([4_000, 900, 3_000, 9_000, 10])
    var reports: [Position] = []
    let list = controller()
    try list.performFetch { progress in
      reports.append(progress.position)
      #expect(progress.end == 16_910 && abs(progress.fraction - Double(progress.position.rawValue) / 16_910) < 1e-9)
    }
    #expect(reports == [4_900, 16_900, 16_910])
    #expect(list.results.rows.count == 16_910 && list.results.defects == [])
  }

  @Test func `a fetch that is ended early shows nothing, and the next goes on where it was`() throws {
    try fill([5_000, 5_000, 5_000])
    let list = controller()
    #expect(throws: Enough.self) { try list.performFetch { if $0.position == 5_000 { throw Enough() } } }
    #expect(list.results.isEmpty && list.results.position == 0)
    let before = store.read
    try list.performFetch()
    #expect(list.results.rows.count == 15_000)
    // Folded events are not read again; the end of a slice is found in a page.
    #expect(store.read - before < 13_000)
  }

  @Test func `a request that changes while a fetch is ended early is the one that is shown`() throws {
    try fill([5_000, 5_000])
    let list = controller()
    #expect(throws: Enough.self) { try list.performFetch { _ in throw Enough() } }
    try list.update {
      $0.section = .by(\.group, order: .byFirstAppearance)
      $0.filter = .where { $0.rank > 0 }
    }
    try list.performFetch()
    let other = FetchedResultsController(store: store, projection: Items(), request: list.request)
    try other.performFetch()
    #expect(list.results == other.results && list.results.rows.count == 5_000)
  }

  @Test @MainActor func `a fetch that waits lets others have their turn, and shows what came meanwhile`() async throws {
    try fill([5_000, 5_000, 5_000])
    let list = controller()
    let other = Task { @MainActor in
      var turns = 0
      while list.results.isEmpty {
        turns += 1
        if turns == 2 { try store.put(.put(Item("new", "g1", 1))) }
        await Task.yield()
      }
      return turns
    }
    try await list.performFetch { _ in }
    #expect(try await other.value >= 2)
    #expect(list.results.rows.count == 15_001)
    try await list.performFetch { _ in }
    #expect(list.results.rows.count == 15_001)
  }

  @Test @MainActor func `a fetch that is cancelled shows nothing, and the next goes on where it was`() async throws {
    try fill([5_000, 5_000, 5_000])
    let list = controller()
    let fetch = Task { @MainActor in try await list.performFetch { _ in } }
    await Task.yield()
    fetch.cancel()
    await #expect(throws: CancellationError.self) { try await fetch.value }
    #expect(list.results.isEmpty)
    let before = store.read
    try await list.performFetch { _ in }
    #expect(list.results.rows.count == 15_000 && store.read - before <= 15_000 + 1_500)
  }

  @Test func `an event that cannot be folded ends a long fetch at the transaction before it`() throws {
    try fill([5_000])
    try store.put((0..<50).map { .put(Item("late \($0)", nil, 0)) } + [.refused(reason: "no")])
    try fill([100])
    let list = controller()
    var reports: [Position] = []
    let error = #expect(throws: ProjectionError.self) {
      try list.performFetch { reports.append($0.position) }
    }
    #expect(error?.event.position == 5_051 && reports == [5_000])
    #expect(list.results.position == 5_000 && list.results.rows.count == 5_000)
  }
}
