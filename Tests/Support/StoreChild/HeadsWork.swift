import Annals
import AnnalsSQLite

extension StoreChild {
  /// Counts and names heads in rooms, and now and then erases a subject or compacts the log.
  static func heads(_ path: String, count: Int) throws {
    let store = try SQLiteEventStore(path: path, durability: .process)
    say("open")
    for _ in 0..<count {
      let (room, stream) = (Int.random(in: 0...1), StreamName("Headcount-\(Int.random(in: 0...1))"))
      switch Int.random(in: 0..<20) {
      case 0: try store.erase(subject: "subject-\(Int.random(in: 0...1))")
      case 1: try store.compact(headsCompaction)
      case 2..<8:
        try store.append([HeadcountEvent.named(name: Personal("x", of: "subject-\(room)"), room: room)], to: stream)
      default:
        let numbers = (0..<Int.random(in: 1...4)).map { _ in Int.random(in: 0...3) }
        try store.append(numbers.map { HeadcountEvent.counted(number: $0, room: room) }, to: stream)
      }
    }
    say("done")
  }

  /// Leaves out who counted nothing.
  private static var headsCompaction: Compaction {
    var compaction = Compaction()
    compaction.rewrite(HeadcountEvent.self) { _, events in
      events.filter { if case .counted(0, _) = $0.event { false } else { true } }
    }
    compaction.prove(Heads.self)
    return compaction
  }
}

/// The events of the tests' deciders, as another program has them.
private enum HeadcountEvent: Event {
  case counted(number: Int, room: Int)
  case named(name: Personal<String>, room: Int)

  var tags: Set<EventTag> {
    switch self {
    case .counted(_, let room), .named(_, let room): ["room:\(room)"]
    }
  }
}

private struct Heads: Decider, Equatable {
  static let category = "Headcount"

  private var sum = 0

  func decide(_ number: Int) -> [HeadcountEvent] { [.counted(number: number, room: 0)] }

  mutating func evolve(_ event: HeadcountEvent) {
    if case .counted(let number, _) = event { sum += number }
  }
}
