import Annals
import AnnalsTesting
import Foundation
import Observation
import Synchronization
import Testing

/// Each sentence of "Delivery" in `Docs/ChangeSemantics.md`.
@Suite struct DeliveryTests {
  private let store = MemoryEventStore()

  private func attach(_ controller: FetchedResultsController<Item>) -> MirrorDelegate<Item> {
    let delegate = MirrorDelegate(controller.results)
    controller.delegate = delegate
    return delegate
  }

  private func expectInStep(_ delegate: MirrorDelegate<Item>, _ controller: FetchedResultsController<Item>) {
    #expect(delegate.violations == [])
    #expect(delegate.table.shows(controller.results))
  }

  @Test func `the first fetch builds the list and doesn't notify the delegate`() throws {
    try store.put(.put(Item("a", "x", 1)))
    let controller = FetchedResultsController(store: store, projection: Items(), request: .byGroup)
    let delegate = attach(controller)
    #expect(controller.results.rows.isEmpty)
    try controller.performFetch()
    #expect(controller.fetchedObjects.map(\.id) == ["a"])
    #expect(delegate.calls == [])
    try controller.performFetch()
    #expect(delegate.calls == [])
  }

  @Test func `setting the delegate doesn't call it`() throws {
    try store.put(.put(Item("a", "x", 1)))
    let controller = try controller(store)
    #expect(attach(controller).calls == [])
  }

  @Test func `the structure is delivered in one update cycle and the content in a second`() throws {
    try store.put(.put(Item("a", "x", 1)), .put(Item("b", "x", 2)), .put(Item("c", "x", 3)), .put(Item("d", "y", 1)))
    let controller = try controller(store)
    let delegate = attach(controller)
    try store.put(
      .renamed(group: "x", title: "X"), .put(Item("a", "x", 9, "moved")), .put(Item("b", "x", 2, "new")),
      .removed(id: "d"), .put(Item("e", "z", 1)))
    expectInStep(delegate, controller)
    #expect(
      delegate.calls == [
        "will", "section delete 1", "section insert 1", "row delete [1, 0]", "row insert [1, 0]",
        "row move [0, 0] → [0, 2]", "did",
        "will", "section update 0 → 0", "row update [0, 0] → [0, 0]", "row update [0, 2] → [0, 2]", "did",
      ])
  }

  @Test func `an empty update cycle is left out`() throws {
    try store.put(.put(Item("a", "x", 1)))
    let controller = try controller(store)
    let delegate = attach(controller)
    try store.put(.put(Item("a", "x", 1, "new")))
    #expect(delegate.calls == ["will", "row update [0, 0] → [0, 0]", "did"])
    try store.put(.put(Item("b", "x", 2)))
    #expect(delegate.calls.dropFirst(3) == ["will", "row insert [0, 1]", "did"])
    expectInStep(delegate, controller)
  }

  @Test func `a batch without changes isn't delivered, but the position advances`() throws {
    try store.put(.put(Item("a", "x", 1)))
    let controller = try controller(store)
    let delegate = attach(controller)
    try store.put(.put(Item("b", "x", 2)), .removed(id: "b"), .removed(id: "a"), .put(Item("a", "x", 1)))
    #expect(delegate.calls == [])
    #expect(controller.position == 5)
  }

  @Test func `the controller shows the old list until willChange has returned, and then the new list`() throws {
    final class Reader: FetchedResultsControllerDelegate {
      var seen: [String: [String]] = [:]
      func controllerWillChangeContent(_ controller: FetchedResultsController<Item>) {
        seen["will"] = controller.fetchedObjects.map(\.id)
      }
      func controller(
        _ controller: FetchedResultsController<Item>, didChange row: Item, at indexPath: IndexPath?,
        for type: FetchedResultsChangeType, newIndexPath: IndexPath?
      ) {
        seen["row"] = controller.fetchedObjects.map(\.id)
      }
      func controllerDidChangeContent(_ controller: FetchedResultsController<Item>) {
        seen["did"] = controller.fetchedObjects.map(\.id)
      }
    }
    try store.put(.put(Item("a", nil, 1)))
    let controller = try controller(store)
    let reader = Reader()
    controller.delegate = reader
    try store.put(.put(Item("b", nil, 0)))
    #expect(reader.seen == ["will": ["a"], "row": ["b", "a"], "did": ["b", "a"]])
  }

  @Test func `the content cycle shows the new list throughout`() throws {
    final class Reader: FetchedResultsControllerDelegate {
      var seen: [String] = []
      func controllerWillChangeContent(_ controller: FetchedResultsController<Item>) {
        seen.append(controller.object(at: IndexPath(RowPath(section: 0, row: 0))).name)
      }
      func controller(
        _ controller: FetchedResultsController<Item>, didChange row: Item, at indexPath: IndexPath?,
        for type: FetchedResultsChangeType, newIndexPath: IndexPath?
      ) {
        #expect(indexPath == newIndexPath)
        if let indexPath { seen.append(controller.object(at: indexPath).name) }
      }
    }
    try store.put(.put(Item("a", nil, 1, "old")))
    let controller = try controller(store)
    let reader = Reader()
    controller.delegate = reader
    try store.put(.put(Item("a", nil, 1, "new")))
    #expect(reader.seen == ["new", "new"])
  }

  @Test func `moves that the controller doesn't report as moves are delivered as deletions and insertions`() throws {
    let request = ListRequest<Item>(sort: [.ascending(\.rank)], section: .by(\.group, order: .byNumber))
    let start: [ItemEvent] = [
      .put(Item("a", "x", 1)), .put(Item("b", "x", 2)), .put(Item("c", "y", 1)), .numbered(group: "x", number: 1),
      .numbered(group: "y", number: 2),
    ]
    let moveRow: [ItemEvent] = [.put(Item("a", "x", 3, "moved"))]
    let moveSection: [ItemEvent] = [.numbered(group: "y", number: 0), .put(Item("c", "y", 1, "new"))]
    let all: [(MoveReporting?, [String], [String])] = [
      (
        nil, ["will", "row move [0, 0] → [0, 1]", "did", "will", "row update [0, 1] → [0, 1]", "did"],
        ["will", "section delete 1", "section insert 0", "row delete [1, 0]", "row insert [0, 0]", "did"]
      ),
      (
        [], ["will", "row delete [0, 0]", "row insert [0, 1]", "did"],
        ["will", "section delete 1", "section insert 0", "row delete [1, 0]", "row insert [0, 0]", "did"]
      ),
      (
        [.rows, .sections],
        ["will", "row move [0, 0] → [0, 1]", "did", "will", "row update [0, 1] → [0, 1]", "did"],
        ["will", "section move 1 → 0", "did", "will", "row update [0, 0] → [0, 0]", "did"]
      ),
    ]
    for (moves, rowCalls, sectionCalls) in all {
      let store = MemoryEventStore()
      try store.put(start)
      let controller = try controller(store, request)
      if let moves { controller.reportedMoves = moves } else { #expect(controller.reportedMoves == .rows) }
      let delegate = attach(controller)
      try store.put(moveRow)
      #expect(delegate.calls == rowCalls)
      try store.put(moveSection)
      #expect(Array(delegate.calls.dropFirst(rowCalls.count)) == sectionCalls)
      expectInStep(delegate, controller)
    }
  }

  @Test func `a command inside a callback commits immediately and is delivered after the update cycle`() throws {
    let controller = try controller(store)
    let delegate = attach(controller)
    var heads: [Position] = []
    delegate.inBracket = { [store] in
      guard heads.count < 3 else { return }
      _ = try? store.put(.put(Item("\(heads.count)", "x", heads.count)))
      heads.append(store.head())
    }
    try store.put(.put(Item("first", "x", -1)))
    #expect(heads == [2, 3, 4])
    #expect(controller.position == 4)
    expectInStep(delegate, controller)
    #expect(delegate.calls.filter { $0 == "will" }.count == 4)
  }

  @Test func `seeks and changed requests inside a callback wait for the end of the cycle too`() throws {
    try store.put(.put(Item("a", "x", 1)))
    let controller = try controller(store)
    let delegate = attach(controller)
    var done = false
    delegate.inBracket = {
      if done { return }
      done = true
      #expect(throws: Never.self) { try controller.seek(to: 0) }
      #expect(throws: Never.self) { try controller.update { $0.limit = 1 } }
      #expect(controller.results.rows.count == 2)
    }
    try store.put(.put(Item("b", "x", 2)))
    expectInStep(delegate, controller)
    #expect(controller.position == 0)
    #expect(controller.isSeeking)
  }

  @Test func `several commands in one transaction are one batch`() throws {
    let controller = try controller(store)
    let delegate = attach(controller)
    try store.put(.put(Item("a", "x", 1)), .put(Item("b", "y", 1)), .put(Item("c", "x", 0)))
    #expect(delegate.calls.filter { $0 == "will" }.count == 1)
    expectInStep(delegate, controller)
  }

  @Test func `an observer of changes gets every batch after the delegate`() throws {
    let controller = try controller(store)
    let delegate = attach(controller)
    var heard: [Changes<Item>] = []
    let observation = controller.observe { changes in
      #expect(delegate.calls.last == "did")
      #expect(controller.results == changes.new)
      heard.append(changes)
    }
    try store.put(.put(Item("a", "x", 1)))
    try store.put(.put(Item("a", "x", 1)))
    try store.put(.removed(id: "a"))
    #expect(heard.map(\.from) == [0, 1])
    #expect(heard.map(\.to) == [1, 3])
    #expect(heard.allSatisfy { $0.cause == .events })
    observation.cancel()
    try store.put(.put(Item("b", "x", 1)))
    #expect(heard.count == 2)
  }

  @Test func `observers are notified of the first fetch`() throws {
    try store.put(.put(Item("a", "x", 1)))
    let controller = FetchedResultsController(store: store, projection: Items(), request: .byGroup)
    var heard: [Changes<Item>] = []
    let observation = controller.observe { heard.append($0) }
    try controller.performFetch()
    #expect(heard.map(\.to) == [1])
    observation.cancel()
  }

  @Test func `a slow reader of the asynchronous sequence gets one exact batch`() async throws {
    let controller = try controller(store)
    let sequence = controller.changes
    var reader = sequence.makeAsyncIterator()
    try store.put(.put(Item("a", "x", 1)), .put(Item("b", "x", 2)))
    let first = try #require(await reader.next(isolation: nil))
    #expect((first.from, first.to) == (0, 2))
    try store.put(.put(Item("c", "x", 3)))
    try store.put(.removed(id: "c"))
    try store.put(.put(Item("a", "x", 1, "new")))
    let second = try #require(await reader.next(isolation: nil))
    #expect((second.from, second.to) == (2, 5))
    #expect(second.rows.count == 1)
    var table = MirrorTable(first.new)
    try table.apply(second)
    #expect(table.shows(controller.results))
  }

  @Test(.timeLimit(.minutes(60))) func `a reader of the sequence misses no change while another thread writes`()
    async throws
  {
    let rounds = Generator.array(of: .array(of: .itemTransaction, count: 0...2), count: 50...80)
    try await check(rounds, settings: CheckSettings(examples: 4)) { rounds in
      let store = MemoryEventStore()
      let controller = try controller(store)
      let sequence = controller.changes
      let (seen, report) = AsyncStream.makeStream(of: Int.self)
      let reading = Task.detached {
        defer { report.finish() }
        var table = MirrorTable(Results(ListRequest<Item>.byGroup, of: Rows(), at: 0))
        var last: Position = 0
        for await changes in sequence {
          guard changes.from == last else { return "a gap from \(last) to \(changes.from)" }
          do { try table.apply(changes) } catch { return "\(error)" }
          guard table.shows(changes.new) else { return "another list" }
          last = changes.to
          if let mark = changes.new.row(forID: "mark") { report.yield(mark.rank) }
        }
        return "ended"
      }
      var marks = seen.makeAsyncIterator()
      // In each round the reader may be busy when the last change comes; it must still read that change.
      for (round, transactions) in rounds.enumerated() {
        for events in transactions { try store.put(events) }
        try store.put(.put(Item("mark", "x", round)))
        while let mark = await marks.next(), mark != round {}
      }
      reading.cancel()
      try ensureEqual(await reading.value, "ended")
    }
  }

  @Test func `a batch without changes doesn't wake a reader, and a sequence ends with its controller`() async throws {
    var live: FetchedResultsController<Item>? = try controller(store)
    let sequence = try #require(live).changes
    var reader = sequence.makeAsyncIterator()
    try store.put(.put(Item("c", "x", 3)))
    try store.put(.removed(id: "c"))
    live = nil
    let end = await reader.next(isolation: nil)
    #expect(end == nil)
  }

  @Test func `observation reports a new list`() throws {
    final class Counter: @unchecked Sendable {  // Used only in the test's own thread.
      var count = 0
    }
    let controller = try controller(store)
    let counter = Counter()
    withObservationTracking {
      _ = controller.results
    } onChange: {
      counter.count += 1
    }
    try store.put(.put(Item("a", "x", 1)))
    #expect(counter.count == 1)
  }

  @Test func `a successful commit doesn't notify observers of the controller's failure`() throws {
    let controller = try controller(store)
    let isReported = Mutex(false)
    withObservationTracking {
      _ = controller.failure
    } onChange: {
      isReported.withLock { $0 = true }
    }
    try store.put(.put(Item("a", "x", 1)))
    #expect(controller.failure == nil && !isReported.withLock { $0 })
  }

  @Test func `a successful first fetch doesn't notify observers of the controller's failure`() throws {
    try store.put(.put(Item("a", "x", 1)))
    let controller = FetchedResultsController(store: store, projection: Items(), request: .byGroup)
    let isReported = Mutex(false)
    withObservationTracking {
      _ = controller.failure
    } onChange: {
      isReported.withLock { $0 = true }
    }
    try controller.performFetch()
    #expect(controller.results.rows.count == 1 && !isReported.withLock { $0 })
  }

  @Test func `a delegate removed inside a callback gets no more calls for the batch`() throws {
    let controller = try controller(store)
    let delegate = attach(controller)
    delegate.inBracket = { controller.delegate = nil }
    try store.put(.put(Item("a", "x", 1)))
    #expect(delegate.calls.last == "did")
    #expect(delegate.snapshots.isEmpty)
    try store.put(.put(Item("b", "x", 1)))
    #expect(delegate.calls.count { $0 == "did" } == 1)
    #expect(controller.results.rows.count == 2)
  }

  @Test func `a delegate and a controller can be released inside a callback`() throws {
    final class Owner: FetchedResultsControllerDelegate {
      var controller: FetchedResultsController<Item>?
      func controllerWillChangeContent(_ controller: FetchedResultsController<Item>) { self.controller = nil }
    }
    var owner: Owner? = Owner()
    owner?.controller = try controller(store)
    owner?.controller?.delegate = owner
    let observation = owner?.controller?.observe { _ in owner = nil }
    try store.put(.put(Item("a", "x", 1)))
    #expect(owner == nil)
    try store.put(.put(Item("b", "x", 1)))
    observation?.cancel()
  }

  @Test func `an observation canceled inside a callback is no longer called`() throws {
    let controller = try controller(store)
    var tokens: [ChangeObservation] = []
    var heard: [Int] = []
    for number in 0..<3 {
      tokens.append(
        controller.observe { _ in
          heard.append(number)
          if number == 0 { tokens[1].cancel() }
        })
    }
    try store.put(.put(Item("a", "x", 1)))
    #expect(heard == [0, 2])
    tokens = []
    try store.put(.put(Item("b", "x", 1)))
    #expect(heard == [0, 2])
  }

  @Test func `suspended delivery resumes with one batch`() throws {
    let controller = try controller(store)
    let delegate = attach(controller)
    controller.suspendDelivery()
    try store.put(.put(Item("a", "x", 1)))
    try store.put(.put(Item("b", "x", 2)))
    try store.put(.removed(id: "a"))
    #expect(controller.isDeliverySuspended)
    #expect(delegate.calls == [] && controller.results.rows.isEmpty)
    controller.resumeDelivery()
    #expect(delegate.calls == ["will", "section insert 0", "row insert [0, 0]", "did"])
    expectInStep(delegate, controller)
  }

  @Test func `all controllers of a store deliver a commit before any of them delivers the next commit`() throws {
    let one = try controller(store)
    let other = try controller(store, ListRequest(sort: [.descending(\.rank)]))
    var heard: [String] = []
    let observations = [
      one.observe { [store] changes in
        heard.append("one \(changes.to)")
        if changes.to == 1 { _ = try? store.put(.put(Item("b", "x", 1))) }
      },
      other.observe { heard.append("other \($0.to)") },
    ]
    try store.put(.put(Item("a", "x", 1)))
    #expect(heard == ["one 1", "other 1", "one 2", "other 2"])
    observations.forEach { $0.cancel() }
  }

  @Test func `a fetch inside another controller's callback returns after the list is built`() throws {
    let outer = try controller(store)
    var counts: [Int] = []
    let observation = outer.observe { [store] _ in
      if let inner = try? controller(store) { counts.append(inner.results.rows.count) }
    }
    try store.put(.put(Item("a", "x", 1)))
    #expect(counts == [1])
    observation.cancel()
  }

  @Test func `a changed request is delivered as an ordinary batch`() throws {
    try store.put(.put(Item("a", "x", 1)), .put(Item("b", "y", 2)), .put(Item("c", "x", 3)))
    let controller = try controller(store)
    let delegate = attach(controller)
    var causes: [ChangeCause] = []
    let observation = controller.observe { causes.append($0.cause) }
    try controller.update { $0.filter = .where("odd") { $0.rank % 2 == 1 } }
    expectInStep(delegate, controller)
    try controller.update { $0.section = nil }
    expectInStep(delegate, controller)
    try controller.update {
      $0 = ListRequest(
        filter: .matching(#Predicate { $0.rank < 3 }), sort: [.descending(\.rank)], section: .by(\.name))
    }
    expectInStep(delegate, controller)
    #expect(controller.fetchedObjects.map(\.id) == ["b", "a"])
    #expect(causes == [.request, .request, .request])
    #expect(controller.request.filter?.name == nil)
    observation.cancel()
  }

  @Test func `limit and offset always apply`() throws {
    try store.put((0..<6).map { .put(Item("\($0)", "x", $0)) })
    let controller = try controller(store, ListRequest(sort: [.ascending(\.rank)], limit: 3, offset: 1))
    let delegate = attach(controller)
    #expect(controller.fetchedObjects.map(\.id) == ["1", "2", "3"])
    try store.put(.put(Item("new", "x", -1)))
    #expect(controller.fetchedObjects.map(\.id) == ["0", "1", "2"])
    #expect(delegate.calls == ["will", "row delete [0, 2]", "row insert [0, 0]", "did"])
    expectInStep(delegate, controller)
  }

  @Test func `the delegate gets the snapshot and the difference after the update cycles`() throws {
    try store.put(.put(Item("a", "x", 1)), .put(Item("b", "x", 2)), .put(Item("c", "y", 3)))
    let controller = try controller(store)
    let delegate = attach(controller)
    let old = controller.fetchedObjects.map(\.id)
    try store.put(.put(Item("a", "x", 5)), .put(Item("d", "z", 1)), .put(Item("b", "x", 2, "new")))
    #expect(delegate.snapshots == [controller.results])
    #expect(old.applying(try #require(delegate.differences.first)) == controller.fetchedObjects.map(\.id))
  }

  @Test func `an unsectioned list has one section, which is never reported to the delegate`() throws {
    let controller = try controller(store, ListRequest(sort: [.ascending(\.rank)]))
    let delegate = attach(controller)
    #expect(controller.sections.map(\.key) == [.null] && controller.sections.map(\.title) == [""])
    try store.put(.put(Item("a", "x", 1)))
    try store.put(.removed(id: "a"))
    #expect(delegate.calls == ["will", "row insert [0, 0]", "did", "will", "row delete [0, 0]", "did"])
    expectInStep(delegate, controller)
  }
}
