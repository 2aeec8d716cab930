import Annals
import AnnalsLog
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Testing

/// What a log keeps beside its events, as it is listed.
@Suite struct KeptTests {
  private enum Tick: Event {
    case kept(number: Int)
    case cut(number: Int)
  }

  private struct Ticks: Decider, Equatable {
    enum Command { case none }

    private var kept: [Int] = []

    func decide(_ command: Command) -> [Tick] { [] }

    mutating func evolve(_ event: Tick) {
      if case .kept(let number) = event { kept.append(number) }
    }
  }

  private let folder: TemporaryFolder
  private let store: SQLiteEventStore

  init() throws {
    folder = try TemporaryFolder()
    var environment = StoreEnvironment()
    environment.now = { Date(timeIntervalSince1970: 1_000) }
    store = try SQLiteEventStore(path: folder.path("log"), environment: environment)
  }

  private func personal(_ id: String, _ payload: String) throws {
    try store.append(Append([NewEvent(type: "P", payload: payload, id: EventID(source: "p", id: id))], to: "p"))
  }

  @Test func `subjects are listed with their values, those that were erased, and their first and last event`() throws {
    #expect(try store.subjects() == [])
    try personal("1", #"{"a":{"$personal":"ann","value":1},"b":{"$personal":"bob","value":2}}"#)
    try personal("2", #"{"a":{"$personal":"e\u0301","value":1},"b":{"$personal":"é","value":2}}"#)
    try personal("3", #"{"a":{"$personal":"ann","value":1},"b":{"$personal":"cy"}}"#)
    func lines() throws -> [String] {
      try store.subjects().map {
        "\($0.name) \($0.values) \($0.erased) \($0.empty) "
          + "\($0.events.map { "\($0.lowerBound)-\($0.upperBound)" } ?? "")"
      }
    }
    #expect(try lines() == ["ann 2 0 0 1-3", "bob 1 0 0 1-1", "cy 0 0 1 3-3", "e\u{301} 1 0 0 2-2", "é 1 0 0 2-2"])
    try store.erase(subject: "ann")
    try store.erase(subject: "é")
    #expect(try lines() == ["ann 0 2 0 1-3", "bob 1 0 0 1-1", "cy 0 0 1 3-3", "e\u{301} 1 0 0 2-2", "é 0 1 0 2-2"])
    // A new value of a person who was forgotten.
    try personal("4", #"{"a":{"$personal":"ann","value":9}}"#)
    #expect(try lines()[0] == "ann 1 2 0 1-4")
    let history = try store.erasureHistory()
    #expect(history.map { "\($0.number) \($0.subject) \($0.position) \($0.fields)" } == ["1 ann 3 2", "2 é 3 1"])
    #expect(history.allSatisfy { $0.isComplete && $0.time == Date(timeIntervalSince1970: 1_000) })
  }

  @Test func `followers are listed with the events that they have not handled, and gaps do not count`() throws {
    #expect(try store.followers() == [])
    let coder = try EventCoder<Tick>()
    for number in 1...30 {
      try store.append(
        Append(
          [try coder.encode(number % 3 == 0 ? .kept(number: number) : .cut(number: number))], to: Ticks.stream("t")))
    }
    let checkpoints = try #require(store.checkpoints)
    for (name, position) in [("mail", 30), ("index", 12)] as [(String, Position)] {
      #expect(try checkpoints.setCheckpoint(named: name, to: position, from: nil))
    }
    #expect(try store.followers().map { "\($0.name) \($0.lag ?? -1)" } == ["index 18", "mail 0"])
    #expect(try store.followers()[0].moved == Date(timeIntervalSince1970: 1_000))
    try checkpoints.deleteCheckpoint(named: "index")
    var compaction = Compaction(through: 30)
    compaction.rewrite(Tick.self) { _, events in
      events.filter { if case .kept = $0.event { true } else { false } }
    }
    compaction.prove(Ticks.self)
    try store.compact(compaction)
    let history = try store.compactionHistory()
    #expect(history.map { "\($0.number) \($0.horizon) \($0.cut) \($0.replaced)" } == ["1 30 20 0"])
    #expect(try checkpoints.setCheckpoint(named: "index", to: 12, from: nil))
    // Of the events after 12 there are 15, 18, 21, 24, 27 and 30.
    #expect(try store.followers().map { "\($0.name) \($0.lag ?? -1)" } == ["index 6", "mail 0"])
    for number in 1...30 {
      #expect(try store.range(ofTransaction: number)?.lowerBound == (number % 3 == 0 ? Position(number) : nil))
    }
  }

  @Test func `a damaged checkpoint is listed with what is wrong with it`() throws {
    try personal("1", "1")
    #expect(try store.checkpoints?.setCheckpoint(named: "mail", to: 1, from: nil) == true)
    try TestDatabase(folder.path("log")).execute("UPDATE checkpoint SET position = 0")
    let follower = try #require(try store.followers().first)
    #expect(follower.position == nil && follower.lag == nil)
    #expect(follower.problem?.contains("the checkpoint \"mail\" with the position 0 is damaged") == true)
  }

  @Test func `saved lists and kept states are counted`() throws {
    #expect(try store.savedListSummaries() == [] && store.snapshotCount() == 0)
    let lists = try #require(store.savedLists)
    let cache = try #require(try lists.makeCache(named: "shelf", fingerprint: "f", revision: store.revision()))
    #expect(try store.savedListSummaries().map(\.isUsable) == [false])
    let pages = [SavedPage(number: 1, bytes: [1, 2, 3]), SavedPage(number: 2, bytes: [4])]
    #expect(
      try lists.save(
        SavedList(cache: cache, generation: 1, position: 0, root: [9]), adding: pages, removing: []))
    let found = try #require(try store.savedListSummaries().first)
    #expect(found.name == "shelf" && found.fingerprint == "f" && found.pages == 2 && found.bytes == 5)
    #expect(found.isUsable && found.position == 0)
    try store.snapshots?.save(
      DeciderSnapshot(fingerprint: "f", version: 0, position: 0, state: "{}"), of: "s", decider: "D",
      revision: store.revision())
    #expect(try store.snapshotCount() == 1)
  }
}
