import Annals
import AnnalsLog
import AnnalsRemote
import AnnalsStoreTesting
import AnnalsTesting
import Testing

@Suite struct RemoteReadingTests {
  @Test(arguments: StoreContract.rules)
  func `A remote store around one in memory keeps the contract`(rule: StoreContract.Rule) async throws {
    try await rule.check(remote: { MemoryRemoteStore(MemoryRemoteServer(environment: $0)) })
  }

  @Test func `A subscription brings each event once, in order, those before and those that come`() async throws {
    let store = MemoryRemoteStore()
    for number in 0..<10 { try await store.append(Append([NewEvent(type: "T\(number % 2)", payload: nil)], to: "s")) }
    let task = Task {
      var seen: [Int] = []
      for try await batch in store.subscription(to: .types("T1"), after: 2, batchSize: 3) {
        seen += batch.events.map(\.position.rawValue)
        if seen.count == 9 { return (seen, batch.position, batch.isLive) }
      }
      return (seen, 0, false)
    }
    for number in 10..<20 {
      try await store.append(Append([NewEvent(type: "T\(number % 2)", payload: nil)], to: "s"))
      await Task.yield()
    }
    try await store.wait(for: 20)
    let (seen, position, _) = try await task.value
    #expect(seen == Array(stride(from: 4, through: 20, by: 2)))
    #expect(position == 20)
  }

  @Test func `A log that ends before what was seen is said to be another`() async throws {
    let store = MemoryRemoteStore()
    var batches = store.subscription(after: 5).makeAsyncIterator()
    let error = await #expect(throws: EventStoreError.self) { try await batches.next() }
    #expect(error?.code == .replaced)
  }

  @Test func `Questions that are asked together are answered together, in their order`() async throws {
    let store = MemoryRemoteStore()
    try await store.append(Append([NewEvent(type: "A", payload: "1"), NewEvent(type: "B", payload: nil)], to: "s"))
    _ = store.takeCalls()
    let reading = try await store.ask([
      .version(of: "s"), .events(.types("B"), after: 0, through: nil, limit: 9), .receipt(ofCommand: "none"),
    ])
    #expect(store.takeCalls() == [.read])
    #expect(reading.head == 2 && reading.revision == .original && reading.answers.count == 3)
    guard case .version(2) = reading.answers[0], case .events(let events) = reading.answers[1],
      case .receipt(nil) = reading.answers[2]
    else { return #expect(Bool(false), "the answers are \(reading.answers)") }
    #expect(events.map(\.position) == [2])
  }
}
