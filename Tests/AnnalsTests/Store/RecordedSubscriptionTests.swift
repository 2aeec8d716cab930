import Annals
import AnnalsLog
import Testing

/// Events of a type as they come.
@Suite struct RecordedSubscriptionTests {
  private let store = MemoryEventStore()

  @Test func `what is there comes first, then what is appended, without gap and without repeat`() async throws {
    for number in 0..<5 {
      try await store.append([ShopEvent.sold(id: "\(number)")], to: "x")
      try await store.append(Append([NewEvent(type: "Other", payload: nil)], to: "x"))
    }
    var seen: [(Position, ShopEvent)] = []
    var checkpoint: Position = 0
    var appended = 5
    for try await batch in try store.subscription(of: ShopEvent.self, after: 2, batchSize: 3) {
      #expect(!batch.events.isEmpty)
      seen += batch.events.map { ($0.position, $0.event) }
      checkpoint = batch.position
      #expect(batch.isLive == (checkpoint == store.head()))
      if batch.isLive || batch.position >= 9 {
        if appended == 9 { break }
        try await store.append([ShopEvent.sold(id: "\(appended)")], to: "x")
        appended += 1
      }
    }
    #expect(seen.map(\.0) == [3, 5, 7, 9, 11, 12, 13, 14])
    #expect(seen.map(\.1) == (1...8).map { .sold(id: "\($0)") })
    #expect(checkpoint == store.head())
  }

  @Test func `a query is widened by former names, and what a split made comes together`() async throws {
    try await store.append(
      Append(
        [
          NewEvent(type: "ShopBought", schema: 3, payload: #"{"id":"a"}"#),
          NewEvent(
            type: "ShopImported", schema: 1,
            payload: #"{"books":[{"id":"c","title":"C","cents":7},{"id":"d","title":"D","cents":8}]}"#),
        ], to: "x"))
    let query = EventQuery.case(ShopEvent.sold) || .case(ShopEvent.priced)
    var batches = try store.subscription(of: ShopEvent.self, to: query, after: 0, batchSize: 1).makeAsyncIterator()
    #expect(try await batches.next()?.events.map(\.event) == [.sold(id: "a")])
    let split = try await batches.next()
    #expect(split?.events.map(\.event) == [.priced(id: "c", cents: 7), .priced(id: "d", cents: 8)])
    #expect(split?.position == 2 && split?.isLive == true)
  }

  @Test func `an event that cannot be read ends it with an error that names the event, after those before`()
    async throws
  {
    try await store.append([ShopEvent.sold(id: "a"), .sold(id: "b")], to: "x")
    try await store.append(Append([NewEvent(type: "ShopBurnt", payload: "1")], to: "x"))
    try await store.append([ShopEvent.sold(id: "c")], to: "x")
    var batches = try store.subscription(of: ShopEvent.self, after: 0).makeAsyncIterator()
    let first = try await batches.next()
    #expect(first?.events.map(\.position) == [1, 2] && first?.position == 2 && first?.isLive == false)
    let error = await #expect(throws: EventCodingError.self) { _ = try await batches.next() }
    #expect(error?.code == .unknownEvent && error?.event?.position == 3)
    #expect(try await batches.next() == nil)
    var skipping = try store.subscription(of: ShopEvent.self, after: 0, unknownEvents: .skip).makeAsyncIterator()
    #expect(try await skipping.next()?.events.count == 3)
    #expect(throws: EventCodingError.self) { _ = try store.subscription(of: NoEnum.self, after: 0) }
  }

  @Test func `it ends when its task is cancelled`() async throws {
    let store = store
    try await store.append([ShopEvent.sold(id: "a")], to: "x")
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      var count = 0
      for try await batch in try store.subscription(of: ShopEvent.self, after: 0) {
        count += batch.events.count
        start.yield()
      }
      return count
    }
    for await _ in started { break }
    task.cancel()
    #expect(try await task.value == 1)
  }
}
