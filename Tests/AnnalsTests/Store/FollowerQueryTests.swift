import Annals
import AnnalsTesting
import Synchronization
import Testing

private enum GateEvent: Event, Equatable {
  case opened(id: Int)
  case closed(id: Int)

  static let schema = 2
  static let upcasters: [Upcaster] = [
    .split("GateUsed", from: 1, to: 2, into: ["GateOpened", "GateClosed"]) { gate in
      [.init("GateOpened", gate), .init("GateClosed", gate)]
    }
  ]

  var id: Int {
    switch self {
    case .opened(let id), .closed(let id): id
    }
  }
}

@Suite struct FollowerQueryTests {
  private struct Written {
    let stream: StreamName
    let event: NewEvent
  }

  private static var written: Generator<Written> {
    zip(
      .element(of: ["Gate-1", "Gate-2", "GateHouse-1", "Gate", "Door-1"]),
      .element(of: ["GateOpened", "GateClosed", "GateUsed", "DoorOpened"])
    ).map { stream, type in
      Written(
        stream: StreamName(stream),
        event: NewEvent(type: type, schema: type == "GateUsed" ? 1 : 2, payload: #"{"id":1}"#))
    }
  }

  private static let queries: [EventQuery] = [
    .all, .category("Gate"), .stream("Gate"), .types("GateClosed"), .category("Gate") && .types("GateOpened"),
    .category("GateHouse") || .stream("Door-1"),
  ]

  @Test func `a follower handles the events that a query selects, as a read does, and no other events`() throws {
    try check(
      .array(of: Self.written, count: 0...30), .element(of: Self.queries), settings: CheckSettings(examples: 150)
    ) { written, query in
      let store = MemoryEventStore()
      let seen = Mutex<[String]>([])
      func follower() throws -> EventFollower<GateEvent> {
        try EventFollower("gates", of: GateEvent.self, to: query, in: store, startingAt: .beginning) { recorded, _ in
          seen.withLock { $0.append("\(recorded.position) \(recorded.event)") }
        }
      }
      for (index, one) in written.enumerated() {
        try store.append(Append([one.event], to: one.stream))
        // After a restart too.
        if index % 7 == 3 { try ensureEqual(try follower().catchUp(), Position(index + 1)) }
      }
      try ensureEqual(try follower().catchUp(), Position(written.count))
      let read = try store.events(of: GateEvent.self, query).map { "\($0.position) \($0.event)" }
      try ensureEqual(seen.withLock { $0 }, read)
      sometimes(!read.isEmpty && read.count < written.count, "some events are passed over")
    }
  }
}
