import Annals
import AnnalsSQLite
import AnnalsTesting
import Synchronization
import Testing

/// A follower that handles several events in one call, and saves one position for them, in a process that is killed.
@Suite struct FollowerBatchTests {
  private enum NoteEvent: Event {
    case written(Int)
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: [1, 3, 4, 100])
  func `after a kill at any step, at most the last batch is handled a second time, and no event is lost`(
    _ size: Int
  ) async throws {
    let count = 23
    let store = try SQLiteEventStore(path: folder.path("log"))
    for number in 1...count { try await store.append([NoteEvent.written(number)], to: "notes") }
    let handled = Mutex<[Int]>([])
    // A copy of the log has the data that a killed process leaves.
    let copies = Mutex<[(path: String, handled: [Int])]>([])
    @Sendable func kill() throws {
      try copies.withLock { copies in
        let path = folder.path("copy-\(copies.count)")
        try store.backUp(to: path)
        copies.append((path, handled.withLock { $0 }))
      }
    }
    let follower = try EventFollower(
      "index", of: NoteEvent.self, in: store, startingAt: .beginning, batchSize: size
    ) { events, _ in
      try kill()
      handled.withLock { $0 += events.map(\.position.rawValue) }
      try kill()
    }
    try await follower.catchUp { _ in try kill() }
    try kill()
    #expect(handled.withLock { $0 } == Array(1...count))
    for copy in copies.withLock({ $0 }) {
      let store = try SQLiteEventStore(path: copy.path)
      let again = Mutex<[Int]>([])
      let follower = try EventFollower(
        "index", of: NoteEvent.self, in: store, startingAt: .beginning, batchSize: size
      ) { events, _ in again.withLock { $0 += events.map(\.position.rawValue) } }
      let saved = try follower.position.rawValue
      try await follower.catchUp()
      #expect(again.withLock { $0 } == Array(saved + 1..<count + 1))
      #expect(saved <= copy.handled.count && copy.handled.count - saved <= size)
      #expect(try follower.position.rawValue == count)
    }
    // The end of `catchUp` saved the position.
    #expect(try follower.position.rawValue == count)
    #expect(copies.withLock { $0.last?.handled.count } == count)
  }
}
