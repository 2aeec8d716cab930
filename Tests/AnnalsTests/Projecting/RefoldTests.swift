import AnnalsTesting
import Foundation
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsLog

/// What is folded again after an erasure: from the first event of the subject, as far as rows before it are kept.
@Suite struct RefoldTests {
  @Test func `marks are the last three multiples of a grain, and at most a twentieth of the log from its end`() {
    for end in [1, 63, 64, 65, 200, 8_191, 8_192, 8_193, 100_000, 999_999, 1_000_000, 1 << 40] {
      var (position, marks) = (0, [Int]())
      while let mark = RefoldMarks.next(after: position, through: end, finest: 64) {
        #expect(mark > position && mark <= end)
        marks.append(mark)
        position = mark
      }
      #expect(marks.count == min(3, end / 64))
      guard end >= 8_192 else { continue }
      #expect(marks[0] <= end - end / 100 && end - marks[0] <= end / 20, "\(end): \(marks)")
      // One step at a time leads to marks of the same grain.
      #expect(RefoldMarks.next(after: end - 1, through: end, finest: 64) == (marks.last == end ? end : nil))
    }
  }

  private static func store(_ count: Int, of subject: (Int) -> String) throws -> MemoryEventStore {
    let store = MemoryEventStore()
    let coder = try EventCoder<VisitEvent>()
    for start in stride(from: 1, through: count, by: 10) {
      let events = try (start..<start + 10).map { number in
        try coder.encode(.came(id: number, name: Personal("name \(number)", of: subject(number))))
      }
      try store.append(Append(events, to: "visits"))
    }
    return store
  }

  @Test func `an erasure of a late subject folds the last part alone, and the list is right`() throws {
    let store = try Self.store(10_000) { $0 > 9_950 ? "late" : "early" }
    let counter = FoldCounter()
    let list = FetchedResultsController(
      store: store, projection: Visits(counter: counter), request: ListRequest(sort: [.descending(\.id)]))
    try list.performFetch()
    #expect(counter.count == 10_000)
    try store.erase(subject: "late")
    #expect(counter.count - 10_000 <= 500, "\(counter.count)")
    #expect(list.results.rows.prefix(51).map(\.name) == Array(repeating: "(erased)", count: 50) + ["name 9950"])
    // What was kept is there for the next one too, and nothing that was erased is.
    let before = counter.count
    try store.append([VisitEvent.came(id: 20_000, name: Personal("Zoe", of: "last"))], to: "visits")
    try store.erase(subject: "last")
    #expect(counter.count - before <= 2 * 500, "\(counter.count - before)")
    #expect(list.results.rows.first?.name == "(erased)")
    let whole = counter.count
    try store.erase(subject: "early")
    #expect(counter.count - whole == 10_001)
    #expect(list.results.rows.allSatisfy { $0.name == "(erased)" })
  }

  @Test func `a list that stopped at an event stays before that event after an erasure`() throws {
    let store = try Self.store(300) { $0 > 290 ? "late" : "early" }
    let list = FetchedResultsController(
      store: store, projection: Visits(counter: FoldCounter()), request: ListRequest(sort: [.descending(\.id)]))
    try list.performFetch()
    try store.append([VisitEvent.left(id: 300)], to: "visits")
    try store.append([VisitEvent.left(id: 299), .left(id: -1)], to: "visits")
    #expect(list.failure is ProjectionError)
    #expect(list.results.position == 301)
    try store.erase(subject: "late")
    #expect(list.results.position == 301)
    #expect(list.results.rows.prefix(10).map(\.id) == [299, 298, 297, 296, 295, 294, 293, 292, 291, 290])
    #expect(list.results.rows.prefix(10).map(\.name) == Array(repeating: "(erased)", count: 9) + ["name 290"])
    #expect(list.failure is ProjectionError)
  }

  @Test func `a list that stopped goes to where it was, also if the log is rewritten again meanwhile`() throws {
    let store = try Self.store(300) { "subject \($0 / 50)" }
    try store.append([VisitEvent.left(id: 299), .left(id: -1)], to: "visits")
    let timeline = Timeline(log: store, projection: Visits(counter: FoldCounter()))
    #expect(throws: ProjectionError.self) { try timeline.advance(through: 302) }
    #expect(timeline.live.position == 300)
    try store.erase(subject: "subject 0")
    var isFirst = true
    try timeline.inOneRevision { _ in
      guard isFirst else { return }
      isFirst = false
      // It is folded from the beginning by now, and was not at its end when it had to begin again.
      try store.erase(subject: "subject 5")
      timeline.startOver()
      throw EventStoreError.rewritten
    }
    #expect(timeline.live.position == 300)
    #expect(timeline.live.rows[1]?.name == "(erased)")
    #expect(timeline.live.rows[299]?.name == "(erased)")
    #expect(timeline.live.rows[200]?.name == "name 200")
  }

  @Test func `a log without personal values keeps no rows for an erasure`() throws {
    let store = MemoryEventStore()
    for number in 1...300 { try store.append([VisitEvent.left(id: number)], to: "visits") }
    let list = FetchedResultsController(store: store, projection: Visits(counter: FoldCounter()))
    try list.performFetch()
    let timeline = Timeline(log: store, projection: Visits(counter: FoldCounter()))
    try timeline.advance(through: 300)
    #expect(timeline.shared.anchors.isEmpty)
    try store.append([VisitEvent.came(id: 1, name: Personal("Ann", of: "a"))], to: "visits")
    for number in 1...100 { try store.append([VisitEvent.left(id: number)], to: "visits") }
    try timeline.advance(through: 401)
    #expect(timeline.shared.anchors.map(\.position) == [320, 384])
  }

  @Test func `rows that are kept for an erasure say nothing that was erased`() throws {
    let store = try Self.store(10_000) { $0 == 9_900 ? "one" : "others" }
    let timeline = Timeline(log: store, projection: Visits(counter: FoldCounter()))
    try timeline.advance(through: 10_000)
    #expect(timeline.shared.anchors.map(\.position) == [9_730, 9_860, 9_990])
    try store.erase(subject: "one")
    try timeline.advance(through: 10_000)
    #expect(timeline.shared.anchors.map(\.position) == [9_730, 9_860, 9_990])
    for state in timeline.shared.anchors {
      #expect(state.rows[9_900].map(\.name) == (state.position == 9_990 ? "(erased)" : nil))
    }
    #expect(timeline.live.rows[9_900]?.name == "(erased)")
  }

  /// Lists grow step by step, on the log and on a draft, with erasures and compactions at any time.
  @Test func `whatever is erased and when, a list is what a new one is, also on a draft`() throws {
    try check(.array(of: .int(in: 0...99), count: 1...40), settings: CheckSettings(examples: 30)) { steps in
      var environment = StoreEnvironment.quiet
      environment.refoldGrain = 8
      let store: any EventStore = MemoryEventStore(environment: environment)
      let request = ListRequest<Visit>(sort: [.ascending(\.name)], section: .by(\.name, order: .byFirstAppearance))
      let list = FetchedResultsController(
        store: store, projection: Visits(counter: FoldCounter()), request: request)
      try list.performFetch()
      let mirror = MirrorDelegate(list.results)
      list.delegate = mirror
      let draft = try store.draft(named: "d", deciders: .of(VisitBook.self))
      let draftList = FetchedResultsController(
        store: draft, projection: Visits(counter: FoldCounter()), request: request)
      try draftList.performFetch()
      let draftMirror = MirrorDelegate(draftList.results)
      draftList.delegate = draftMirror
      var next = 0
      for step in steps {
        switch step {
        case ..<80:
          // Long transactions go past several marks.
          let events = (0..<(step % 4 == 0 ? 150 : step)).map { part -> VisitEvent in
            next += 1
            return part % 7 == 3
              ? .left(id: next / 2) : .came(id: next, name: Personal("n\(next % 50)", of: "s\(next % 97 / 8)"))
          }
          try store.append(events, to: VisitBook.stream("1"))
        case ..<88: _ = try? draft.execute(step, on: VisitBook["1"])
        case ..<97: try store.erase(subject: "s\(step % 13)")
        default:
          var compaction = Compaction()
          compaction.rewrite(VisitEvent.self) { _, events in Array(events.suffix(events.count - 1)) }
          compaction.prove(Visits(counter: FoldCounter()))
          _ = try? store.compact(compaction)
        }
        let fresh = FetchedResultsController(
          store: store, projection: Visits(counter: FoldCounter()), request: request)
        try fresh.performFetch()
        func plain(_ list: Results<Visit>) -> [String] { list.map { "\($0.title): \($0.map(\.id))" } }
        try ensureEqual(plain(list.results), plain(fresh.results))
        try ensureEqual(mirror.violations, [])
        draftList.refresh()
        // Its commands, decided on the log as it is, by another process.
        let again = try store.draft(named: "d", deciders: .of(VisitBook.self))
        let freshDraft = FetchedResultsController(
          store: again, projection: Visits(counter: FoldCounter()), request: request)
        try freshDraft.performFetch()
        try ensureEqual(draft.conflicts.map(\.command.number), again.conflicts.map(\.command.number))
        try ensureEqual(plain(draftList.results), plain(freshDraft.results))
        try ensureEqual(draftMirror.violations, [])
      }
    }
  }
}

/// Counts the events that a projection folds.
private final class FoldCounter: Sendable {
  private let number = Mutex(0)
  var count: Int { number.withLock { $0 } }

  func add() { number.withLock { $0 += 1 } }
}

private enum VisitEvent: Event {
  case came(id: Int, name: Personal<String>)
  case left(id: Int)
}

/// Takes four visits of five, so that what is below a draft decides what it may do.
private struct VisitBook: Decider {
  struct Refused: Error {}

  private var count = 0

  func decide(_ number: Int) throws(Refused) -> [VisitEvent] {
    if (count + number) % 5 == 0 { throw Refused() }
    return [.came(id: 1_000_000 + number, name: Personal("d\(number % 3)", of: "draft"))]
  }

  mutating func evolve(_ event: VisitEvent) { count += 1 }
}

private struct Visit: Row {
  var id: Int
  var name: String
}

private struct Visits: Projection {
  struct Unknown: Error {}

  let counter: FoldCounter

  func project(_ event: VisitEvent, into rows: inout Rows<Visit>) throws {
    counter.add()
    switch event {
    case .came(let id, let name): rows[id] = Visit(id: id, name: "\(name)")
    case .left(-1): throw Unknown()
    case .left(let id): rows[id] = nil
    }
  }
}
