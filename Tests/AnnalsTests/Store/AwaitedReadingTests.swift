import Annals
import AnnalsLog
import Foundation
import Synchronization
import Testing

/// Reads that an async function awaits.
@Suite(.serialized) struct AwaitedReadingTests {
  private let store = MemoryEventStore()

  init() throws {
    for number in 1...6 {
      try store.append(Append([NewEvent(type: "PagePrinted", payload: "{\"number\":\(number)}")], to: "Booklet-a"))
    }
  }

  @MainActor @Test func `reads run on the store's threads, outside of the caller's actor and of any task`() async throws
  {
    func threads(_ body: () async throws -> Void) async rethrows -> Set<Bool> {
      Reads.inTask.withLock { $0 = [] }
      try await body()
      return Reads.inTask.withLock { $0 }
    }
    let request = ListRequest<Page>(sort: [.descending(\.number)])
    #expect(try await threads { _ = try await store.list(of: Pages(), request) } == [false])
    #expect(try await threads { _ = try await store.list(of: Pages(), request, at: 3) } == [false])
    #expect(try await threads { _ = try await store.events(of: PageEvent.self) } == [false])
    #expect(try await threads { _ = try await store.state(of: Booklet["a"]) } == [false])
    func read() throws { _ = try store.events(of: PageEvent.self) }
    #expect(try await threads { try read() } == [true])
  }

  @Test func `awaited reads have the results of the synchronous ones`() async throws {
    let store = store
    struct Answers: Equatable {
      var lists: [[Int]] = []
      var events: [[Position]] = []
      var state: Booklet?
    }
    func synchronous() throws -> Answers {
      var answers = Answers()
      let request = ListRequest<Page>(filter: .where { $0.number > 1 }, sort: [.descending(\.number)], limit: 2)
      answers.lists.append(try store.list(of: Pages(), request).rows.map(\.number))
      answers.lists.append(try store.list(of: Pages()).rows.map(\.number))
      for at in 0...6 {
        answers.lists.append(try store.list(of: Pages(), request, at: Position(at)).rows.map(\.number))
      }
      for order in [SortOrder.forward, .reverse] {
        answers.events.append(
          try store.events(of: PageEvent.self, .stream("Booklet-a"), after: 1, through: 5, order: order, limit: 3)
            .map(\.position))
      }
      answers.state = try store.state(of: Booklet["a"])
      return answers
    }
    var answers = Answers()
    let request = ListRequest<Page>(filter: .where { $0.number > 1 }, sort: [.descending(\.number)], limit: 2)
    answers.lists.append(try await store.list(of: Pages(), request).rows.map(\.number))
    answers.lists.append(try await store.list(of: Pages()).rows.map(\.number))
    for at in 0...6 {
      answers.lists.append(try await store.list(of: Pages(), request, at: Position(at)).rows.map(\.number))
    }
    for order in [SortOrder.forward, .reverse] {
      answers.events.append(
        try await store.events(of: PageEvent.self, .stream("Booklet-a"), after: 1, through: 5, order: order, limit: 3)
          .map(\.position))
    }
    answers.state = try await store.state(of: Booklet["a"])
    #expect(try answers == synchronous())
    #expect(answers.events == [[2, 3, 4], [5, 4, 3]] && answers.state?.pages == 6)
  }

  @Test func `awaited reads have the errors of the synchronous ones`() async throws {
    await #expect(throws: SeekError.self) { _ = try await store.list(of: Pages(), at: 7) }
    await #expect(throws: ListRequestError.self) {
      _ = try await store.list(of: Pages(), ListRequest(filter: .where { _ in true }), cacheName: "pages")
    }
    try await store.append(Append([NewEvent(type: "PagePrinted", schema: 2, payload: "{}")], to: "Booklet-a"))
    await #expect(throws: EventCodingError.self) { _ = try await store.events(of: PageEvent.self) }
    await #expect(throws: ProjectionError.self) { _ = try await store.list(of: Pages()) }
    await #expect(throws: EventCodingError.self) { _ = try await store.state(of: Booklet["a"]) }
    await #expect(throws: EventStoreError.self) { _ = try await store.state(of: Booklet["b", expecting: .exact(3)]) }
  }

  @Test func `a cancelled task does not read`() async throws {
    let store = store
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await #expect(throws: CancellationError.self) { _ = try await store.list(of: Pages()) }
      await #expect(throws: CancellationError.self) { _ = try await store.list(of: Pages(), at: 2) }
      await #expect(throws: CancellationError.self) { _ = try await store.events(of: PageEvent.self) }
      await #expect(throws: CancellationError.self) { _ = try await store.state(of: Booklet["a"]) }
    }
    await task.value
  }

  @Test func `an event that was committed before an awaited read is in its result`() async throws {
    for number in 7...30 {
      try await store.execute(number, on: Booklet["a"])
      #expect(try await store.state(of: Booklet["a"]).pages == number)
      #expect(try await store.list(of: Pages()).rows.count == number)
    }
  }
}

/// Where events were decoded: true inside of a task.
private enum Reads {
  static let inTask = Mutex<Set<Bool>>([])
}

private enum PageEvent: Event {
  case printed(number: Int)

  static let schema = 2
  static let upcasters: [Upcaster] = [
    .changed("PagePrinted", from: 1, to: 2) { _ in
      let isInTask = withUnsafeCurrentTask { $0 != nil }
      Reads.inTask.withLock { _ = $0.insert(isInTask) }
    }
  ]
}

private struct Page: Row {
  let id: String
  var number: Int
}

private struct Pages: Projection {
  func project(_ event: PageEvent, into rows: inout Rows<Page>) {
    guard case .printed(let number) = event else { return }
    rows.insert(Page(id: "\(number)", number: number))
  }
}

private struct Booklet: Decider, Equatable {
  var pages = 0

  func decide(_ command: Int) -> [PageEvent] { [.printed(number: command)] }
  mutating func evolve(_ event: PageEvent) { pages += 1 }
}
