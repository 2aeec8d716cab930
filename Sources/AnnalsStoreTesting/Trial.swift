import Annals
import AnnalsTesting
import Foundation
import Synchronization

/// The store under test, with helpers for the rules.
struct Trial {
  let makeStore: StoreContract.MakeStore

  /// A store with a fixed clock and the identifiers `id-1`, `id-2`, ….
  func store() throws -> any EventStore { try makeStore(Self.environment()) }

  /// An environment with a fixed clock and the identifiers `id-1`, `id-2`, ….
  static func environment() -> StoreEnvironment {
    let counter = Counter()
    return StoreEnvironment(now: { Trial.time }, makeID: { "id-\(counter.next())" })
  }

  private final class Counter: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
      count.withLock { count in
        count += 1
        return count
      }
    }
  }

  static let time = Date(timeIntervalSince1970: 1_700_000_000)

  static func event(_ type: String = "Happened", tags: Set<EventTag> = [], id: EventID? = nil) -> NewEvent {
    NewEvent(type: type, payload: "{}", tags: tags, id: id)
  }
}

extension EventStore {
  /// Returns up to 1,000 events from the start of the log.
  func everything() throws -> [StoredEvent] { try events(.all, after: 0, through: nil, limit: 1_000) }

  /// Verifies that the store refuses an append without adding events.
  ///
  /// The error must have the same code and values as the expected error. Its message can differ.
  func ensureRefuses(
    _ append: Append, with expected: EventStoreError, fileID: String = #fileID, line: UInt = #line
  ) throws {
    let before = try everything()
    do {
      try self.append(append)
    } catch let error as EventStoreError {
      try ensureEqual(error.facts, expected.facts, fileID: fileID, line: line)
      try ensure(try everything() == before, "a refused append changed the log", fileID: fileID, line: line)
      for stream in Set(append.entries.map(\.stream)) {
        try ensureEqual(try version(of: stream), before.count { $0.stream == stream }, fileID: fileID, line: line)
      }
      return
    }
    throw Unmet(
      description: "expected the error \(expected.code), found a committed append", fileID: fileID, line: line)
  }
}

extension EventStoreError {
  /// The error's code and values, without its message.
  var facts: [String: String] {
    var facts = ["code": code.rawValue]
    facts["stream"] = stream.map { "\($0)" }
    facts["expected"] = expected.map { "\($0)" }
    facts["version"] = version.map { "\($0)" }
    facts["after"] = after.map { "\($0)" }
    facts["position"] = position.map { "\($0)" }
    facts["event"] = event.map { "\($0)" }
    return facts
  }
}
