import Annals
import AnnalsLog
import AnnalsSQLite
import Foundation
import Testing

/// Single sentences of the documents about logs, tested with everything else that could happen.
@Suite struct PromisedTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var path: String { folder.path("log") }

  private func event(_ text: String = "1") -> NewEvent { NewEvent(type: "T", payload: text) }

  @Test func `a command id returns its first receipt to its own call and an error to others, after a restart too`()
    throws
  {
    var sqlite = try SQLiteEventStore(path: path)
    let memory = MemoryEventStore()
    for store in [memory, sqlite] as [any EventStore] {
      let first = try store.execute(1, on: Tally["a"], commandID: "k")
      let last = try store.execute(5, on: Tally["b"], commandID: "nothing before")
      func ensureFirst(_ store: any EventStore) throws {
        // An expectation that fails by now isn't rechecked.
        #expect(try store.execute(1, on: Tally["a"], commandID: "k") == first)
        #expect(try store.execute(1, on: Tally["a", expecting: .exact(77)], commandID: "k") == first)
        let others: [() throws -> Receipt] = [
          { try store.execute(2, on: Tally["a"], commandID: "k") },
          { try store.execute(1, on: Tally["z"], commandID: "k") },
          { try store.execute(-1, on: Tally["a"], commandID: "k") },
          { try store.execute(1, on: Negated["a"], commandID: "k") },
          { try store.transaction(commandID: "k") { _ in Issue.record("the body runs") } },
          { try store.append(Append([.init(stream: "s", event: event())], commandID: "k")) },
        ]
        for call in others {
          let error = #expect(throws: EventStoreError.self) { try call() }
          #expect(error?.code == .commandReused)
        }
        #expect(try store.receipt(ofCommand: "k") == first && store.head() == last.position)
      }
      try ensureFirst(store)
      // Ids are equal only if their scalars are; the empty id is an ordinary one.
      #expect(try store.receipt(ofCommand: "K") == nil && store.receipt(ofCommand: "k ") == nil)
      if store is SQLiteEventStore {
        sqlite.close()
        sqlite = try SQLiteEventStore(path: path)
        try ensureFirst(sqlite)
      }
    }
  }

  @Test func `readers read while another holds the write lock, those that open the log meanwhile too`() throws {
    let store = try SQLiteEventStore(path: path, patience: .milliseconds(30))
    let coder = try EventCoder<TallyEvent>()
    try store.append(Append(try (0..<600).map { try coder.encode(.changed(by: $0)) }, to: "Tally-a"))
    let early = try SQLiteEventStore(readingFrom: path)
    let other = try TestDatabase(path)
    try other.execute("BEGIN IMMEDIATE; INSERT INTO type VALUES (99, 'uncommitted')")
    let late = try SQLiteEventStore(readingFrom: path)
    for reader in [store, early, late] {
      #expect(try reader.head() == 600 && reader.version(of: "Tally-a") == 600)
      #expect(try reader.events(.all, after: 590, through: nil, limit: 99).count == 10)
      #expect(try reader.state(of: Tally["a"]).total == 599 * 300)
    }
    let busy = #expect(throws: EventStoreError.self) { try store.append(Append([event()], to: "s")) }
    #expect(busy?.code == .busy, "the lock is held")
    try other.execute("ROLLBACK")
  }

  @Test(arguments: [
    "UPDATE event SET payload = '2'", "UPDATE event_tag SET tag = 'u'", "UPDATE stream SET name = 'u'",
    "UPDATE type SET name = 'u'", "UPDATE source SET name = 'u'", "UPDATE command SET count = 2",
    "UPDATE personal SET object = NULL", "DELETE FROM event", "DELETE FROM event_tag", "DELETE FROM stream",
    "DELETE FROM type", "DELETE FROM source", "DELETE FROM command", "DELETE FROM erasure", "DELETE FROM compaction",
    "DELETE FROM cut_event", "UPDATE id_mark SET stretch = 9", "DELETE FROM id_mark",
    "UPDATE shared_metadata SET text = '{}'", "DELETE FROM shared_metadata",
    "INSERT OR REPLACE INTO event SELECT * FROM event",
  ])
  func `triggers refuse what would change what was stored, in each table that says so`(_ sql: String) throws {
    let store = try SQLiteEventStore(path: path)
    let coder = try EventCoder<TallyEvent>()
    try store.append(
      Append(
        [
          .init(stream: "s", event: NewEvent(type: "T", payload: #"{"a":{"$personal":"p","value":1}}"#, tags: ["t"])),
          .init(stream: "s", event: NewEvent(type: "T", payload: #"{"a":{"$personal":"q","value":2}}"#)),
        ], commandID: "c"))
    try store.append(Append(try [1, 2, 3].map { try coder.encode(.changed(by: $0)) }, to: "Tally-a"))
    for _ in 0..<2 {
      try store.append(Append([NewEvent(type: "T", payload: "1", metadata: ["actor": "Ann"])], to: "s"))
    }
    try store.erase(subject: "p")
    var compaction = Compaction()
    compaction.rewrite(TallyEvent.self) { _, events in
      [events[0].replaced(by: .changed(by: 6))]
    }
    compaction.prove(Tally.self)
    try store.compact(compaction)
    let before = try TestDatabase(path).rows("SELECT position, payload FROM event")
    for table in [
      "event", "event_tag", "command", "personal", "erasure", "compaction", "cut_event", "id_mark", "shared_metadata",
    ] {
      #expect(try !TestDatabase(path).rows("SELECT * FROM \(table)").isEmpty, "\(table) has no row")
    }
    let error = #expect(throws: TestDatabase.Failure.self) {
      let other = try TestDatabase(path)
      // With this setting, replacing a row deletes the old one and fires its triggers.
      try other.execute("PRAGMA recursive_triggers = ON; " + sql)
    }
    #expect(error?.message.contains("stay") == true || error?.message.contains("not change") == true, "\(sql)")
    #expect(try TestDatabase(path).rows("SELECT position, payload FROM event") == before)
    #expect(try store.verify().isSound)
  }

  @Test func `a compaction is refused for a row that the request hides, an entity, a title or a number of a section`()
    throws
  {
    let store = try SQLiteEventStore(path: path)
    let coder = try EventCoder<ShelvesEvent>()
    let events: [ShelvesEvent] = [
      .put(Shelved(id: 1, shelf: "x")), .put(Shelved(id: 2, shelf: "x")), .titled(shelf: "x", title: "X"),
      .numbered(shelf: "x", number: 7),
      .author(Shelved(id: 5, shelf: "an author of no book")), .said("nothing that a list has"),
    ]
    try store.append(Append(try events.map { try coder.encode($0) }, to: "s"))
    let before = try store.events(.all, after: 0, through: nil, limit: 99)
    for position in 1...6 {
      var compaction = Compaction()
      compaction.rewrite(ShelvesEvent.self) { _, events in events.filter { $0.recorded.position.rawValue != position } }
      // Its request shows row 2, and nothing else.
      compaction.prove(
        ShelvesProjection(), request: ListRequest(filter: .where("second") { $0.id == 2 }, sort: [.ascending(\.id)]))
      if position < 6 {
        #expect(throws: CompactionError.self, "\(position)") { try store.compact(compaction) }
        #expect(try store.events(.all, after: 0, through: nil, limit: 99) == before)
      } else {
        #expect(try store.compact(compaction).cut == 1)
      }
    }
  }

  @Test func `the number of a saved list is not used again, though lists are deleted and the log is rewritten`()
    throws
  {
    var numbers: [Int] = []
    for round in 0..<4 {
      let store = try SQLiteEventStore(path: path)
      try store.append(Append([NewEvent(type: "TallyChanged", payload: #"{"by":1}"#)], to: "Tally-a"))
      let list = FetchedResultsController(
        store: store, projection: Totals(), request: ListRequest(), cacheName: "totals")
      try list.performFetch()
      try list.saveCache()
      numbers += try TestDatabase(path).rows("SELECT number FROM cache").compactMap { $0[0].flatMap { Int($0) } }
      switch round {
      case 0: try store.deleteCache(withName: nil)
      case 1: try store.erase(subject: "nobody there")
      default: try store.deleteCache(withName: "totals")
      }
      #expect(try TestDatabase(path).rows("SELECT number FROM cache").isEmpty || round == 1)
      if round == 1 { try store.deleteCache(withName: nil) }
      store.close()
    }
    #expect(numbers.count == 4 && Set(numbers).count == 4, "\(numbers)")
  }

  @Test func `names, tags and metadata stay as they are when an erasure takes values, whatever they look like`() throws
  {
    let look = #"{"$personal":"p","value":"secret"}"#
    for store in [MemoryEventStore(), try SQLiteEventStore(path: path)] as [any EventStore] {
      try store.append(
        Append(
          [
            .init(
              stream: StreamName(look),
              event: NewEvent(
                type: look, payload: #"{"name":\#(look)}"#, tags: [EventTag(look)], metadata: ["note": look]))
          ], commandID: look))
      let before = try store.events(.all, after: 0, through: nil, limit: 1)[0]
      try store.erase(subject: "p")
      let after = try store.events(.all, after: 0, through: nil, limit: 1)[0]
      #expect(after.payload == #"{"name":{"$personal":"p"}}"#)
      #expect(after.stream == before.stream && after.stream.text == look && after.type == look)
      #expect(after.tags == [EventTag(look)] && after.metadata == before.metadata && after.metadata["note"] == look)
      #expect(after.id == before.id)
      #expect(try store.receipt(ofCommand: look)?.position == 1)
      #expect(try store.events(.tagged(EventTag(look)), after: 0, through: nil, limit: 9).count == 1)
    }
  }
}

enum TallyEvent: Event { case changed(by: Int) }

struct Tally: Decider, Equatable {
  struct Refusal: Error {}
  var total = 0

  func decide(_ by: Int) throws(Refusal) -> [TallyEvent] {
    if by < 0 { throw Refusal() }
    return [.changed(by: by)]
  }

  mutating func evolve(_ event: TallyEvent) {
    if case .changed(let by) = event { total += by }
  }
}

private struct Negated: Decider {
  func decide(_ by: Int) -> [TallyEvent] { [.changed(by: -by)] }
  mutating func evolve(_ event: TallyEvent) {}
}

private struct Total: Row {
  var id: Int
  var total: Int
}

private struct Totals: Projection {
  func project(_ event: TallyEvent, into rows: inout Rows<Total>) {
    if case .changed(let by) = event { rows.insert(Total(id: 0, total: by + (rows[0]?.total ?? 0))) }
  }
}

private struct Shelved: Row {
  var id: Int
  var shelf: String
}

private enum ShelvesEvent: Event {
  case put(Shelved)
  case titled(shelf: String, title: String)
  case numbered(shelf: String, number: Double)
  case author(Shelved)
  case said(String)
}

private struct ShelvesProjection: Projection {
  struct Book: Annals.Row {
    var id: Int
    var shelf: String
  }

  static let relations: [Relation<Book>] = [.to(Shelved.self, by: \.id) { _, _ in }]

  func project(_ event: ShelvesEvent, into rows: inout Rows<Book>) {
    switch event {
    case .put(let book): rows.insert(Book(id: book.id, shelf: book.shelf))
    case .titled(let shelf, let title): rows.renameSection(shelf, of: \.shelf, to: title)
    case .numbered(let shelf, let number): rows.numberSection(shelf, of: \.shelf, to: number)
    case .author(let author): rows.relate(author)
    case .said: break
    }
  }
}
