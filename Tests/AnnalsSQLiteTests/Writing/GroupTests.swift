import Annals
import AnnalsLog
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// Appends that are committed together.
@Suite struct GroupTests {
  private let folder: TemporaryFolder
  private let store: SQLiteEventStore

  init() throws {
    folder = try TemporaryFolder()
    store = try SQLiteEventStore(path: folder.path("log"))
  }

  private func append(_ ids: String..., stream: StreamName = "s", expecting: ExpectedVersion = .any) -> Append {
    Append(
      ids.map { NewEvent(type: "T", payload: nil, id: EventID(source: "me", id: $0)) }, to: stream, expecting: expecting
    )
  }

  private func ids() throws -> [String] {
    try store.events(.all, after: 0, through: nil, limit: 100).map { "\($0.transaction):\($0.id.id)" }
  }

  @Test func `each append of a group is a transaction of its own, checked after those before it`() throws {
    var command = append("e")
    command.commandID = "c"
    let answer = try store.commit([
      append("a", "b", expecting: .exact(0)), append("c", expecting: .exact(2)), append(), append("d", stream: "t"),
      command, command,
    ])
    #expect(answer.refusal == nil)
    #expect(answer.receipts.map(\.position) == [2, 3, 3, 4, 5, 5])
    #expect(answer.receipts.map(\.transaction) == [1, 2, nil, 3, 4, 4])
    #expect(try ids() == ["1:a", "1:b", "2:c", "3:d", "4:e"])
    #expect(try store.verify().isSound)
    #expect(try store.positions(of: ["c", "x", "a"].map { EventID(source: "me", id: $0) }) == [3, nil, 1])
  }

  @Test func `the first append that is refused ends the group, and leaves nothing`() throws {
    let cases: [(Append, EventStoreError.Code)] = [
      (append("b", "a", stream: "new"), .duplicateEvent), (append("z", "z"), .duplicateEvent),
      (append("y", expecting: .exact(9)), .versionConflict),
      (Append([NewEvent(type: "", payload: nil)], to: "s"), .invalidAppend),
      (Append(append("w").entries, conditions: [.init(noneMatching: .all, after: 0)]), .conditionConflict),
    ]
    _ = try store.commit([append("a")])
    for (index, (bad, code)) in cases.enumerated() {
      let before = try ids().count
      let answer = try store.commit([append("good\(index)"), bad, append("late\(index)")])
      #expect((answer.refusal as? EventStoreError)?.code == code)
      #expect(answer.receipts.count == 1 && answer.receipts[0].position.rawValue == before + 1)
      #expect(try ids().count == before + 1 && !ids().contains { $0.contains("late") })
    }
    #expect(try store.version(of: "new") == 0)
    #expect(try store.verify().isSound)
    let none = try store.commit([cases[3].0, append("never")])
    #expect(none.receipts.isEmpty && none.refusal != nil)
    #expect(try store.commit([]).receipts.isEmpty)
  }

  @Test func `a group knows the identities of events that were cut, also if another process cuts them`() throws {
    let coder = try EventCoder<TallyEvent>()
    let events = try (1...3).map { number in
      var event = try coder.encode(.changed(by: number))
      event.id = EventID(source: "me", id: "\(number)")
      return event
    }
    _ = try store.commit(events.map { Append([$0], to: "Tally-a") })
    // The group's writer has looked at the log, and learns of the cut.
    _ = try store.commit([append("x"), append("y")])
    let other = try SQLiteEventStore(path: folder.path("log"))
    var compaction = Compaction()
    compaction.rewrite(TallyEvent.self) { _, events in [events[0].replaced(by: .changed(by: 6))] }
    compaction.prove(Tally.self)
    #expect(try other.compact(compaction).cut == 2)
    for event in events {
      let answer = try store.commit([append("z\(event.id?.id ?? "")"), Append([event], to: "Tally-a")])
      #expect((answer.refusal as? EventStoreError)?.code == .duplicateEvent && answer.receipts.count == 1)
    }
    #expect(try store.verify().isSound)
  }

  @Test func `groups of several threads do not mix, and single appends come between them`() throws {
    let (store, failures) = (store, Failures())
    onThreads(4) { lane in
      for round in 0..<20 {
        do {
          let appends = (0..<10).map { number in
            Append(
              [NewEvent(type: "T", payload: nil, id: EventID(source: "\(lane)", id: "\(round)-\(number)"))],
              to: StreamName("\(lane)"), expecting: lane == 0 ? .any : .exact(round * 10 + number))
          }
          if lane == 0 { for append in appends { try store.append(append) } } else { _ = try store.commit(appends) }
        } catch {
          failures.add("\(error)")
        }
      }
    }
    #expect(failures.all == [])
    let events = try store.events(.all, after: 0, through: nil, limit: 10_000)
    #expect(events.count == 800 && events.map(\.transaction) == Array(1...800))
    for lane in 1..<4 {
      let own = events.filter { $0.stream == StreamName("\(lane)") }
      // Ten of a group stand together.
      for start in stride(from: 0, to: 200, by: 10) {
        #expect(own[start + 9].position.rawValue - own[start].position.rawValue == 9)
      }
    }
    #expect(try store.verify().isSound)
  }

  @Test func `a store that only reads takes no group`() throws {
    _ = try store.commit([append("a")])
    let reader = try SQLiteEventStore(readingFrom: folder.path("log"))
    #expect(throws: EventStoreError.self) { try reader.commit([append("b")]) }
  }
}

/// What went wrong on any thread.
private final class Failures: Sendable {
  private let found = Mutex<[String]>([])

  var all: [String] { found.withLock { $0 } }

  func add(_ text: String) { found.withLock { $0.append(text) } }
}
