import Annals
import AnnalsLog
import AnnalsTesting
import Dispatch
import Foundation
import Synchronization
import Testing

/// What a controller does on another thread, and what its isolation does meanwhile.
@MainActor @Suite(.serialized) struct BackgroundTests {
  private let store = MemoryEventStore(environment: .quiet)
  private let watch = ThreadWatch()

  private nonisolated func lines(_ numbers: Range<Int>) -> [LineEvent] {
    numbers.map { .wrote(id: "line \($0)", text: Personal("text \($0)", of: "writer \($0 % 3)")) }
  }

  private func put(_ numbers: Range<Int>) throws { try store.append(append(numbers)) }

  private nonisolated func append(_ numbers: Range<Int>) throws -> Append {
    let coder = try EventCoder<LineEvent>()
    return Append(try lines(numbers).map { try coder.encode($0) }, to: "lines")
  }

  private func controller(_ request: ListRequest<Line> = ListRequest()) throws -> FetchedResultsController<Line> {
    let list = FetchedResultsController(store: store, projection: Lines(watch: watch), request: request)
    try list.performFetch()
    return list
  }

  /// Lets others in the main actor have their turn until something holds.
  private func turns(until holds: () -> Bool) async throws {
    for _ in 0..<200_000 where !holds() { try await Task.sleep(for: .microseconds(50)) }
    #expect(holds())
  }

  @Test func `many events of another isolation are folded while the main actor goes on`() async throws {
    let list = try controller()
    let heard = MirrorDelegate(list.results)
    list.delegate = heard
    watch.hold()
    let append = try append(0..<500)
    try await Task.detached { [store] in _ = try await store.append(append) }.value
    try await turns { watch.isHeld }
    // The events are being folded, and the main actor reads the list that was.
    #expect(list.results.rows.isEmpty && list.results.position == 0)
    watch.letGo()
    try await turns { list.results.position == 500 }
    #expect(list.results.rows.count == 500 && heard.violations.isEmpty && heard.table.shows(list.results))
    #expect(watch.onMain == 0 && watch.elsewhere == 500)
  }

  @Test func `a few events of another isolation are folded at once`() async throws {
    let list = try controller()
    let append = try append(0..<3)
    try await Task.detached { [store] in _ = try await store.append(append) }.value
    try await turns { list.results.position == 3 }
    #expect(watch.onMain == 3 && watch.elsewhere == 0)
  }

  @Test func `a command that is not awaited waits for what is folded, and its lists have both`() async throws {
    let list = try controller()
    let other = try controller(ListRequest(filter: .where { $0.id.hasSuffix("7") }))
    watch.hold()
    let append = try append(0..<200)
    try await Task.detached { [store] in _ = try await store.append(append) }.value
    try await turns { watch.isHeld }
    Thread.detachNewThread { [watch] in
      Thread.sleep(forTimeInterval: 0.02)
      watch.letGo()
    }
    try put(200..<210)
    #expect(list.results.position == 210 && list.results.rows.count == 210)
    #expect(other.results.position == 210 && other.results.rows.count == 21)
  }

  @Test func `awaited commits of many events are folded elsewhere, and the lists have them on return`() async throws {
    let list = try controller()
    let receipt = try await store.append(append(0..<5_000))
    #expect(receipt.count == 5_000)
    #expect(list.results.position == 5_000 && list.results.rows.count == 5_000)
    #expect(watch.onMain == 0)
  }

  @Test func `a transaction is delivered in one batch, however many events it has`() async throws {
    let list = try controller()
    var batches: [(from: Int, to: Int)] = []
    let observation = list.observe { batches.append(($0.from.rawValue, $0.to.rawValue)) }
    for range in [0..<700, 700..<1_400, 1_400..<6_000, 6_000..<6_001] {
      let append = try append(range)
      try await Task.detached { [store] in _ = try await store.append(append) }.value
    }
    try await turns { list.results.position == 6_001 }
    let ends: Set<Int> = [0, 700, 1_400, 6_000, 6_001]
    #expect(batches.allSatisfy { ends.contains($0.from) && ends.contains($0.to) }, "\(batches)")
    #expect(batches.first?.from == 0 && batches.last?.to == 6_001)
    withExtendedLifetime(observation) {}
  }

  @Test func `a fetch that is awaited folds and cuts on another thread`() async throws {
    try put(0..<3_000)
    let filtered = ThreadWatch()
    let list = FetchedResultsController(
      store: store, projection: Lines(watch: watch),
      request: ListRequest(
        filter: .where { _ in
          filtered.note()
          return true
        }))
    try await list.performFetch { _ in }
    #expect(list.results.rows.count == 3_000)
    #expect(watch.onMain == 0 && filtered.onMain == 0 && filtered.elsewhere > 0)
  }

  @Test func `a request that is changed and awaited is cut on another thread`() async throws {
    try put(0..<300)
    let list = try controller()
    let delegate = MirrorDelegate(list.results)
    list.delegate = delegate
    let filtered = ThreadWatch()
    try await list.update {
      $0.filter = .where { line in
        filtered.note()
        return line.id.hasSuffix("5")
      }
    }
    #expect(list.results.rows.count == 30 && filtered.onMain == 0)
    #expect(delegate.violations.isEmpty && delegate.table.shows(list.results))
  }

  @Test func `of two requests the last one is shown, and the list of the first never`() async throws {
    try put(0..<300)
    let list = try controller()
    var counts: [Int] = []
    let observation = list.observe { counts.append($0.new.rows.count) }
    watch.hold()
    let held = watch
    let first = Task { @MainActor in
      try await list.update {
        $0.filter = .where { line in
          held.pass()
          return line.id.hasSuffix("1")
        }
      }
    }
    try await turns { watch.isHeld }
    let second = Task { @MainActor in try await list.update { $0.filter = .where { $0.id.hasSuffix("22") } } }
    try await turns { list.request.filter != nil }
    await Task.yield()
    watch.letGo()
    try await first.value
    #expect(list.results.rows.count == 3)
    try await second.value
    #expect(list.results.rows.count == 3 && counts == [3])
    withExtendedLifetime(observation) {}
  }

  @Test func `an erasure elsewhere is folded again on another thread`() async throws {
    try put(0..<300)
    let list = try controller()
    let before = watch.onMain
    var causes: [ChangeCause] = []
    let observation = list.observe { causes.append($0.cause) }
    try await Task.detached { [store] in
      try await Task.sleep(for: .milliseconds(1))
      _ = try await store.erase(subject: "writer 1")
    }.value
    try await turns { list.results.rows.first { $0.id == "line 1" }?.text == "erased" }
    #expect(watch.onMain == before && watch.elsewhere == 300)
    #expect(causes.contains { $0.contains(.erasure) })
    withExtendedLifetime(observation) {}
  }

  @Test func `an event that cannot be folded stops a list elsewhere as it does here`() async throws {
    let list = try controller()
    let coder = try EventCoder<LineEvent>()
    let good = try append(0..<100)
    let bad = Append(
      try (lines(100..<150) + [.torn] + lines(150..<200)).map { try coder.encode($0) }, to: "lines")
    try await Task.detached { [store] in
      _ = try await store.append(good)
      _ = try await store.append(bad)
    }.value
    try await turns { list.failure != nil }
    #expect((list.failure as? ProjectionError)?.event.position == 151)
    #expect(list.results.position == 100 && list.results.rows.count == 100)
  }

  @Test(.timeLimit(.minutes(60)))
  func `a store that cannot be read is not asked again until the next commit`() async throws {
    let failing = UnreadableStore()
    let list = FetchedResultsController(store: failing, projection: Lines(watch: watch))
    try list.performFetch()
    let other = FetchedResultsController(store: failing, projection: Lines(watch: ThreadWatch()))
    try other.performFetch()
    let delegate = MirrorDelegate(list.results)
    list.delegate = delegate
    failing.fails(true)
    // It returns, though its lists cannot have it.
    try await failing.append(append(0..<100))
    #expect(list.failure is EventStoreError && list.results.position == 0)
    // The round has an end of its own, which looks once more.
    try await Task.sleep(for: .milliseconds(50))
    let asked = failing.asked
    for _ in 0..<50 { try await Task.sleep(for: .milliseconds(1)) }
    #expect(failing.asked == asked)
    failing.fails(false)
    try await failing.append(append(100..<200))
    #expect(list.failure == nil && list.results.position == 200 && list.results.rows.count == 200)
    #expect(other.results.position == 200 && delegate.table.shows(list.results))
  }

  @Test func `an awaited commit does not wait for what others commit meanwhile`() async throws {
    let list = try controller()
    let (store, watch) = (store, watch)
    // The number of batches that another task may commit, or nil if it ends. If it committed without a limit, it would
    // commit millions of events while a full machine runs other tests of the main actor.
    let budget = Mutex<Int?>(0)
    // The same events in every batch, because encoding them takes longer than folding them.
    let batch = try append(2_000..<2_064)
    let importer = Task.detached {
      var number = 0
      while let left = budget.withLock({ $0 }) {
        // The list never catches up with the log as long as there is a budget.
        guard left > 0, number - watch.count < 256 else {
          try await Task.sleep(for: .microseconds(left > 0 ? 50 : 1_000))
          continue
        }
        try await store.append(batch)
        number += 64
        budget.withLock { $0 = $0.map { $0 - 1 } }
      }
    }
    var isSeen = false
    for number in 0..<1_000 where number < 20 || !isSeen {
      budget.withLock { $0 = 40 }
      // The other task commits before, during and after this commit.
      try await turns { budget.withLock { $0 != 40 } }
      let receipt = try await store.append(append(number..<number + 1))
      if let left = budget.withLock({ $0 }), left > 0 { isSeen = true }
      #expect(list.results.position >= receipt.position)
    }
    #expect(isSeen, "every commit waited for all batches")
    budget.withLock { $0 = nil }
    try await importer.value
    try await turns { store.head() == list.results.position }
  }

  @Test func `two awaited first fetches of one projection leave the main actor free`() async throws {
    try put(0..<300)
    watch.hold()
    let lists = (0..<2).map { _ in FetchedResultsController(store: store, projection: Lines(watch: watch)) }
    let fetches = lists.map { list in Task { @MainActor in try await list.performFetch { _ in } } }
    try await turns { watch.isHeld }
    for _ in 0..<20 { await Task.yield() }
    watch.letGo()
    for fetch in fetches { _ = try await fetch.value }
    #expect(lists.allSatisfy { $0.results.rows.count == 300 } && watch.elsewhere == 300)
  }

  @Test func `a controller that goes while its events are folded is let go of`() async throws {
    weak var gone: FetchedResultsController<Line>?
    watch.hold()
    do {
      let list = try controller()
      gone = list
      let append = try append(0..<100)
      try await Task.detached { [store] in _ = try await store.append(append) }.value
      try await turns { watch.isHeld }
    }
    #expect(gone == nil)
    watch.letGo()
    let again = try controller()
    #expect(again.results.rows.count == 100)
  }
}

/// A store whose events cannot be read for a while.
private final class UnreadableStore: StoreAroundMemory {
  let memory = MemoryEventStore(environment: .quiet)
  private let state = Mutex((isFailing: false, asked: 0))

  var asked: Int { state.withLock { $0.asked } }

  func fails(_ isFailing: Bool) { state.withLock { $0.isFailing = isFailing } }

  func events(
    in log: any EventLog, _ query: EventQuery, after: Position, through: Position?, limit: Int
  ) throws -> [StoredEvent] {
    let isFailing = state.withLock { state in
      state.asked += 1
      return state.isFailing
    }
    // The first events can be read, and a longer stretch cannot.
    if isFailing, limit > 40 { throw EventStoreError(.io, "the disk is away") }
    return try log.events(query, after: after, through: through, limit: limit)
  }
}

private enum LineEvent: Event {
  case wrote(id: String, text: Personal<String>)
  case torn
}

private struct Line: Row {
  let id: String
  var text: String
}

private struct Torn: Error {}

private struct Lines: Projection, Equatable {
  let watch: ThreadWatch

  static func == (left: Lines, right: Lines) -> Bool { left.watch === right.watch }

  func project(_ event: LineEvent, into rows: inout Rows<Line>) throws {
    watch.pass()
    watch.note()
    guard case .wrote(let id, let text) = event else { throw Torn() }
    rows.insert(Line(id: id, text: text.value ?? "erased"))
  }
}

/// Counts on which threads something happens, and can hold it up.
private final class ThreadWatch: Sendable {
  private struct State {
    var onMain = 0
    var elsewhere = 0
    var isClosed = false
    var isHeld = false
  }

  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  private let state = Mutex(State())

  var onMain: Int { state.withLock { $0.onMain } }
  var elsewhere: Int { state.withLock { $0.elsewhere } }
  var count: Int { state.withLock { $0.onMain + $0.elsewhere } }
  /// True while something waits for `letGo()`.
  var isHeld: Bool { state.withLock { $0.isHeld } }

  func note() {
    let isOnMain = DispatchQueue.getSpecific(key: Self.key) == true
    state.withLock { if isOnMain { $0.onMain += 1 } else { $0.elsewhere += 1 } }
  }

  func hold() { state.withLock { $0.isClosed = true } }
  func letGo() { state.withLock { ($0.isClosed, $0.isHeld) = (false, false) } }

  /// Waits while it is held up.
  func pass() {
    while state.withLock({ state in
      if state.isClosed { state.isHeld = true }
      return state.isClosed
    }) { Thread.sleep(forTimeInterval: 0.000_1) }
  }
}
