import Annals
import AnnalsSQLite
import Foundation
import Synchronization
import Testing

/// What an app needs on its first day, by the names that are offered to everyone.
@MainActor
@Suite struct FirstDayTests {
  private func withLog(_ body: (_ path: String, SQLiteEventStore) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "annals-first-day-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "log").path
    try await body(path, try SQLiteEventStore(path: path, durability: .process))
  }

  private func notes(of store: some EventStore, _ request: ListRequest<Note> = ListRequest()) throws
    -> FetchedResultsController<Note>
  {
    let list = FetchedResultsController(store: store, projection: Notes(), request: request)
    try list.performFetch()
    return list
  }

  @Test func `events of two modules make one list, and a limit of a boundary shares the streams of a decider`()
    async throws
  {
    try await withLog { _, store in
      let list = try notes(of: store)
      try await store.append([FirstDayPersonEvent.joined(id: "ann", name: "Ann")], to: "people")
      for id in ["n1", "n2", "n3"] {
        try await store.execute(Writing(id: id, text: "Note \(id)"), on: NoteDesk[id])
      }
      for id in ["n1", "n2"] { try await store.execute(Handing(note: id, to: "ann"), on: .boundary(NoteLimit.self)) }
      await #expect(throws: NoteRefusal.self) {
        try await store.execute(Handing(note: "n3", to: "ann"), on: .boundary(NoteLimit.self))
      }
      #expect(try store.version(of: NoteDesk.stream("n1")) == 2)
      #expect(try await store.state(of: NoteDesk["n1"]).isHandedOut)
      #expect(list.results.rows.map(\.person) == ["Ann", "Ann", ""])
    }
  }

  @Test func `another store of the log is heard, a list that stops says so, and an erasure does not hold anyone`()
    async throws
  {
    let reports = Mutex<[String]>([])
    try await withLog { path, store in
      let environment = StoreEnvironment(report: { report in reports.withLock { $0.append(report.name) } })
      let other = try SQLiteEventStore(path: path, durability: .process, environment: environment)
      let list = try notes(of: other)
      try await store.execute(Writing(id: "a", text: "A"), on: NoteDesk["a"])
      for _ in 0..<500 where list.rowCount == 0 { try await Task.sleep(for: .milliseconds(10)) }
      #expect(list.rowCount == 1)
      #expect(try await store.erase(subject: "no one").fields == 0)
      var compaction = Compaction()
      compaction.rewrite(FirstDayNoteEvent.self) { _, events in events }
      compaction.prove(Notes())
      #expect(try await store.compact(compaction).isUnchanged)
      try await other.append(Append([NewEvent(type: "FirstDayNoteLost", payload: "{}")], to: "s"))
      #expect(list.failure != nil && reports.withLock { $0.count } == 1)
    }
  }

  @Test func `values go in and out with their types, by cases and by times, and imports count what is new`()
    async throws
  {
    try await withLog { _, store in
      let start = Date(timeIntervalSince1970: 1_700_000_000)
      var new = 0
      for _ in 0..<2 {
        for number in 0..<3 {
          var append = Append(commandID: "line \(number)")
          try append.add(
            FirstDayNoteEvent.written(id: "\(number)", text: "Text \(number)"), to: NoteDesk.stream("\(number)"),
            time: start.addingTimeInterval(Double(number)))
          let receipt = try await store.append(append)
          if !receipt.isRepeated { new += receipt.count }
        }
      }
      #expect(new == 3)
      let last = try await store.events(
        of: FirstDayNoteEvent.self, .case(FirstDayNoteEvent.written), order: .reverse, limit: 1)
      #expect(
        last.map(\.event) == [.written(id: "2", text: "Text 2")] && last.first?.time == start.addingTimeInterval(2))
      #expect(try await store.list(of: Notes(), at: store.position(at: start.addingTimeInterval(1))).rows.count == 2)
      let list = try notes(of: store)
      #expect(try list.seek(to: start) == 1 && list.results.rows.map(\.id) == ["0"])
    }
  }

  @Test func `sections stand as people expect, headers are kept, and texts filter`() async throws {
    try await withLog { _, store in
      for (id, text) in [("a", "x"), ("b", "yy"), ("c", "zzz"), ("d", "zzzz")] {
        try await store.execute(Writing(id: id, text: text), on: NoteDesk[id])
      }
      let total = Aggregate.sum(\Note.length)
      let list = try notes(
        of: store,
        ListRequest(
          sort: [.descending(\.length)], section: .by(\.size, order: .byCases(of: NoteSize.self).descending),
          aggregates: [.count, total, .maximum(\.length)]))
      #expect(list.sections.map(\.name) == ["long", "short"] && list.sections.map(\.numberOfObjects) == [2, 2])
      #expect(list.results[0][total] == 7 && list.results[total] == 10 && list.results[.maximum(\.length)] == 4)
      let fields = FilterFields<Note>(.field("length", \.length), .field("text", \.text, ignoringCase: true))
      try await list.update { $0.filter = try fields.filter("length > 1 and not text starts Y") }
      #expect(list.fetchedObjects.map(\.id) == ["d", "c"] && list.results[total] == 7)
      let error = #expect(throws: FilterError.self) { try fields.filter("length > many") }
      #expect(error?.message == "character 10: expected a whole number for length, found \"many\"")
    }
  }

  @Test func `followers are asynchronous, retry, take batches and may be asked from inside`() async throws {
    try await withLog { _, store in
      for id in 0..<5 { try await store.execute(Writing(id: "\(id)", text: "x"), on: NoteDesk["\(id)"]) }
      let sizes = Mutex<[Int]>([])
      let follower = try EventFollower(
        "sums", of: FirstDayNoteEvent.self, in: store, startingAt: .beginning, batchSize: 3
      ) { batch, _ in
        await Task.yield()
        sizes.withLock { $0.append(batch.count) }
      }
      #expect(try await follower.catchUp() == 5)
      #expect(sizes.withLock { $0 } == [3, 2])
    }
  }

  @Test func `lists of several row types stand in one array`() async throws {
    try await withLog { _, store in
      let people = FetchedResultsController(store: store, projection: FirstDayPeople())
      let lists: [any FetchedList] = [try notes(of: store), people]
      for list in lists { try list.performFetch() }
      try await store.append([FirstDayPersonEvent.joined(id: "ann", name: "Ann")], to: "people")
      #expect(lists.map(\.rowCount) == [0, 1] && lists.map(\.position) == [1, 1])
    }
  }
}

private enum FirstDayPersonEvent: Event { case joined(id: String, name: String) }

private enum FirstDayNoteEvent: Event, Equatable {
  case written(id: String, text: String)
  case handed(id: String, person: String)

  var tags: Set<EventTag> {
    switch self {
    case .written: []
    case .handed(_, let person): [EventTag("person:\(person)")]
    }
  }
}

private enum NoteSize: String, Codable, CaseIterable, OrderedValue { case short, long }

private struct Note: Row {
  let id: String
  var text: String
  var person = ""
  var length: Int
  var size: NoteSize

  init(id: String, text: String) {
    (self.id, self.text, length, size) = (id, text, text.count, text.count < 3 ? .short : .long)
  }
}

private struct Person: Row {
  let id: String
  var name: String
}

private struct Notes: Projection {
  func project(_ event: EventUnion2<FirstDayPersonEvent, FirstDayNoteEvent>, into rows: inout Rows<Note>) {
    switch event {
    case .first: break
    case .second(.written(let id, let text)): rows.insert(Note(id: id, text: text))
    case .second(.handed(let id, let person)): rows[id]?.person = person.capitalized
    }
  }
}

private struct FirstDayPeople: Projection {
  func project(_ event: FirstDayPersonEvent, into rows: inout Rows<Person>) {
    if case .joined(let id, let name) = event { rows.insert(Person(id: id, name: name)) }
  }
}

private struct NoteRefusal: Error {}

private struct NoteDesk: Decider {
  var isWritten = false
  var isHandedOut = false

  func decide(_ command: Writing) throws(NoteRefusal) -> [FirstDayNoteEvent] {
    if isWritten { throw NoteRefusal() }
    return [.written(id: command.id, text: command.text)]
  }

  mutating func evolve(_ event: FirstDayNoteEvent) {
    switch event {
    case .written: isWritten = true
    case .handed: isHandedOut = true
    }
  }
}

private struct Writing: Sendable {
  let id, text: String
}

private struct Handing: Sendable {
  let note, to: String
}

private struct NoteLimit: BoundaryDecider {
  var notes: Set<String> = []

  static func boundary(for command: Handing) -> EventQuery { .tagged(EventTag("person:\(command.to)")) }
  static func stream(for command: Handing) -> StreamName { NoteDesk.stream(command.note) }

  func decide(_ command: Handing) throws(NoteRefusal) -> [FirstDayNoteEvent] {
    if notes.count == 2 { throw NoteRefusal() }
    return [.handed(id: command.note, person: command.to)]
  }

  mutating func evolve(_ event: FirstDayNoteEvent) {
    if case .handed(let id, _) = event { notes.insert(id) }
  }
}
