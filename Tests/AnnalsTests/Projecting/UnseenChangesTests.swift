import Annals
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// The badge of a list: the changes that a person hasn't seen yet.
@Suite @MainActor struct UnseenChangesTests {
  private enum SlotEvent: Event {
    case moved(String)
    case dayOpened
  }

  private typealias Unseen = UnseenChanges<SlotEvent, String>

  private let store = MemoryEventStore()

  private nonisolated static func unseen(by person: String) -> Unseen {
    Unseen("programme", by: person) { recorded in
      guard case .moved(let slot) = recorded.event, recorded.author != person else { return nil }
      return slot
    }
  }

  private func move(_ slots: String..., by author: String) throws {
    try store.append(slots.map { SlotEvent.moved($0) }, to: "programme", metadata: ["actor": author])
  }

  private func badge(of person: String) throws -> FetchedResultsController<Unseen.Row> {
    let badge = FetchedResultsController(store: store, projection: Self.unseen(by: person))
    try badge.performFetch()
    return badge
  }

  @Test func `a badge counts others' changes until they are seen, with author and time`() throws {
    try move("a", "b", by: "ann")
    try move("a", by: "cat")
    try move("c", by: "bob")
    try store.append([SlotEvent.dayOpened], to: "programme")
    let badge = try badge(of: "bob")
    #expect(badge.results.rows.map(\.id) == ["a", "b"])
    #expect(badge.results.rows.first?.positions == [1, 3])
    #expect(badge.results.rows.map(\.author) == ["cat", "ann"])

    let batches = Mutex(0)
    let observation = badge.observe { _ in batches.withLock { $0 += 1 } }
    #expect(try store.markSeen("programme", by: "bob", through: badge.position))
    #expect(badge.rowCount == 0 && batches.withLock { $0 } == 1)
    #expect(try self.badge(of: "cat").rowCount == 3)
    try move("b", by: "ann")
    #expect(badge.results.rows.map(\.id) == ["b"])
    try badge.seek(to: 3)
    #expect(badge.results.rows.map(\.id) == ["a", "b"])
    observation.cancel()
  }

  @Test func `a mark that doesn't move forward appends no event`() throws {
    try move("a", "b", by: "ann")
    #expect(try store.markSeen("programme", by: "bob", through: 2))
    let head = store.head()
    #expect(try !store.markSeen("programme", by: "bob", through: 2))
    #expect(try !store.markSeen("programme", by: "bob", through: 1))
    #expect(store.head() == head)
    let error = #expect(throws: EventStoreError.self) {
      try store.markSeen("programme", by: "bob", through: Position(head.rawValue + 1))
    }
    #expect(error?.code == .notFound)
  }

  @Test func `marks of other lists and persons with similar names have no effect`() throws {
    try move("a", by: "ann")
    for (list, person) in [("programm", "ebob"), ("programmeb", "ob"), ("programme", "cat"), ("", "programmebob")] {
      #expect(try store.markSeen(list, by: person, through: 1))
    }
    #expect(try badge(of: "bob").rowCount == 1)
    #expect(try store.markSeen("programme", by: "bob", through: 1))
    #expect(try badge(of: "bob").rowCount == 0)
  }

  @Test func `an awaited mark is the same mark`() async throws {
    try move("a", by: "ann")
    let badge = try badge(of: "bob")
    #expect(try await store.markSeen("programme", by: "bob", through: 1))
    #expect(try await !store.markSeen("programme", by: "bob", through: 1))
    #expect(badge.rowCount == 0)
  }

  private enum Step: Sendable {
    case move(slot: Int, author: Int)
    case mark(person: Int, percent: Int)
    case restart
  }

  @Test func `a badge shows the changes that a plain scan of the log finds`() throws {
    let slots = Generator.int(in: 0...3)
    let persons = Generator.int(in: 0...2)
    let step = Generator.frequency(
      (5, zip(slots, persons).map { Step.move(slot: $0, author: $1) }),
      (2, zip(persons, .int(in: 0...100)).map { Step.mark(person: $0, percent: $1) }),
      (1, .constant(Step.restart)))
    let moves = Mutex(0)
    let marks = Mutex(0)
    try check(.array(of: step, count: 0...40), settings: CheckSettings(examples: 200)) { steps in
      try MainActor.assumeIsolated {
        let store = MemoryEventStore()
        func badges() throws -> [FetchedResultsController<Unseen.Row>] {
          try (0..<3).map { person in
            let badge = FetchedResultsController(
              store: store, projection: Self.unseen(by: "\(person)"), cacheName: "unseen \(person)")
            try badge.performFetch()
            return badge
          }
        }
        var shown = try badges()
        var changes: [(position: Int, slot: String, author: String)] = []
        var seen = [0, 0, 0]
        for step in steps {
          switch step {
          case .move(let slot, let author):
            let receipt = try store.append(
              [SlotEvent.moved("\(slot)")], to: "programme", metadata: ["actor": "\(author)"])
            changes.append((receipt.position.rawValue, "\(slot)", "\(author)"))
            moves.withLock { $0 += 1 }
          case .mark(let person, let percent):
            let position = store.head().rawValue * percent / 100
            let isNew = try store.markSeen("programme", by: "\(person)", through: Position(position))
            try ensureEqual(isNew, position > seen[person])
            seen[person] = max(seen[person], position)
            marks.withLock { $0 += isNew ? 1 : 0 }
          case .restart:
            for badge in shown { try badge.saveCache() }
            shown = try badges()
          }
          for (person, badge) in shown.enumerated() {
            let unseen = changes.filter { $0.position > seen[person] && $0.author != "\(person)" }
            let expected = Dictionary(grouping: unseen, by: \.slot).mapValues { $0.map(\.position) }
            let found = badge.results.rows.map { ($0.id, $0.positions.map(\.rawValue)) }
            try ensureEqual(Dictionary(uniqueKeysWithValues: found), expected)
          }
        }
      }
    }
    #expect(moves.withLock { $0 } > 0 && marks.withLock { $0 } > 0)
  }
}
