import Annals
import AnnalsLog
import AnnalsRemote
import AnnalsTesting
import Testing

/// A process whose log contains an event of a newer version of the program, as during a rolling deployment.
@Suite struct NewerEventTests {
  private struct Line: Row {
    let id: String
  }

  private struct Texts: Projection {
    func project(_ recorded: Recorded<FollowedEvent>, into rows: inout Rows<Line>) {
      if case .written(let text) = recorded.event { rows.insert(Line(id: text)) }
    }
  }

  private struct Seats: Projection {
    func project(_ recorded: Recorded<FarSeatEvent>, into rows: inout Rows<Line>) {
      if case .taken(let seat, _) = recorded.event { rows.insert(Line(id: "\(seat)")) }
    }
  }

  private struct LenientSeats: Projection {
    static let unknownEvents = UnknownEventPolicy.skip

    func project(_ recorded: Recorded<FarSeatEvent>, into rows: inout Rows<Line>) {
      Seats().project(recorded, into: &rows)
    }
  }

  private let server = MemoryRemoteServer(environment: StoreEnvironment(report: { _ in }))

  private func follower<E>(_ name: String, of type: E.Type, _ store: MemoryRemoteStore) throws -> RemoteFollower<E> {
    try RemoteFollower(name, of: type, in: store, startingAt: .beginning, lease: .unlosable) { _, _ in }
  }

  /// Appends an event with a case that this program's `FarSeatEvent` doesn't have.
  private func appendNewerEvent() async throws {
    let event = NewEvent(type: "FarSeatSwapped", payload: nil, tags: ["seat:1"])
    try await MemoryRemoteStore(server).append(Append([event], to: FarHall.stream("a")))
  }

  @MainActor
  @Test func `Only the lists and followers of its type stop at a newer event, with advice`() async throws {
    let store = MemoryRemoteStore(server)
    let replica = Replica(of: store, in: MemoryEventStore(environment: store.environment))
    try await store.execute(.take(seat: 1, by: "ann"), on: FarHall["a"])
    try await store.append([FollowedEvent.written(text: "before")], to: "notes")
    try await replica.catchUp()
    let texts = FetchedResultsController(store: replica.log, projection: Texts())
    let seats = FetchedResultsController(store: replica.log, projection: Seats())
    let lenient = FetchedResultsController(store: replica.log, projection: LenientSeats())
    try texts.performFetch()
    try seats.performFetch()
    try lenient.performFetch()

    try await appendNewerEvent()
    try await replica.append([FollowedEvent.written(text: "after")], to: "notes")
    try await replica.execute(.take(seat: 2, by: "bob"), on: FarHall["b"])
    #expect(texts.fetchedObjects.map(\.id) == ["after", "before"] && texts.failure == nil)
    #expect(lenient.fetchedObjects.map(\.id) == ["1", "2"] && lenient.failure == nil)
    #expect(seats.fetchedObjects.map(\.id) == ["1"])
    let failure = try #require(seats.failure as? ProjectionError)
    #expect(failure.code == .unknownEvent && failure.event.position == 3)
    #expect(failure.message.contains("FarSeatSwapped") && failure.message.contains("update this program"))
    guard case .current = replica.status.activity else {
      return #expect(Bool(false), "the replica is \(replica.status.activity)")
    }

    let notes = try follower("notes", of: FollowedEvent.self, store)
    #expect(try await notes.catchUp() == 5)
    let error = await #expect(throws: ProjectionError.self) {
      try await follower("seats", of: FarSeatEvent.self, store).catchUp()
    }
    #expect(error?.code == .unknownEvent && error?.message.contains("update this program") == true)
  }

  @Test func `Only commands whose events include a newer event fail, and add no events`() async throws {
    let store = MemoryRemoteStore(server)
    try await store.execute(.take(seat: 1, by: "ann"), on: FarHall["a"])
    try await store.execute(.take(seat: 7, by: "ann"), on: .boundary(FarSeat.self))
    try await appendNewerEvent()
    let head = try await store.head()
    // The first store has states in memory from before the event.
    for store in [store, MemoryRemoteStore(server)] {
      for commands in [
        { try await store.execute(.free(seat: 1), on: FarHall["a"]) },
        { try await store.execute(.free(seat: 1), on: .boundary(FarSeat.self)) },
      ] {
        let error = await #expect(throws: EventCodingError.self) { _ = try await commands() }
        #expect(error?.code == .unknownEvent && error?.message.contains("Update the program") == true)
      }
    }
    #expect(try await store.head() == head)
    try await store.execute(.take(seat: 2, by: "bob"), on: FarHall["b"])
    try await store.execute(.free(seat: 7), on: .boundary(FarSeat.self))
    #expect(try await store.head().rawValue == head.rawValue + 2)
  }
}
