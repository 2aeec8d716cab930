import Annals
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Testing

/// Events that are read as pages of bytes and decoded ahead.
@Suite struct PagedReadingTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test func `a page has the events that are read as values`() throws {
    let text = Generator<String>.string(of: "ab é\"\\😀", count: 0...12)
    let event = zip(
      text, Generator<Int>.int(in: 0...3), Generator<Double>.double(in: -1e9...1e9),
      Generator<[String]>.array(of: text, count: 0...3),
      Generator<Bool>.bool
    ).map { text, kind, time, tags, hasMetadata in
      NewEvent(
        type: "T\(kind)", schema: kind + 1, payload: kind == 0 ? nil : JSONValue.quoted(text),
        tags: Set(tags.filter { !$0.isEmpty }.map { EventTag($0) }),
        metadata: hasMetadata ? ["actor": text, "n": "1"] : [:],
        time: Date(timeIntervalSince1970: time))
    }
    let streams = Generator<Int>.int(in: 0...700).map { StreamName("s\($0)") }
    let entries = Generator<[Append.Entry]>.array(
      of: zip(streams, event).map { .init(stream: $0, event: $1) }, count: 1...60)
    let store = try SQLiteEventStore(path: folder.path("log"))
    try check(entries, settings: CheckSettings(examples: 60)) { entries in
      let start = try store.head()
      try store.append(Append(entries))
      let end = try store.head()
      let batch = try store.batch(after: start, through: end, limit: 1_000)
      try ensureEqual(
        batch.events, try store.events(.all, after: start, through: end, limit: 1_000))
    }
    let all = try store.events(.all, after: 0, through: nil, limit: 100_000)
    var (found, after) = ([StoredEvent](), 0 as Position)
    while true {
      let batch = try store.batch(after: after, through: try store.head(), limit: 7)
      found += batch.events
      guard batch.count == 7, let last = batch.last else { break }
      after = last
    }
    #expect(found == all)
    #expect(try store.batch(after: 3, through: 5, limit: 9).events.map(\.position) == [4, 5])
    #expect(try store.batch(after: 5, through: 5, limit: 9).count == 0)
  }

  @Test(arguments: [1, 511, 512, 513, 1_024, 1_025, 2_050, 2_999, 3_000])
  func `an event that cannot be folded stops a rebuild at the same place, read ahead or not`(place: Int) throws {
    for (number, poison) in [
      NewEvent(type: "NoteTorn", payload: "{}"), NewEvent(type: "NoteWritten", payload: "{}"),
      NewEvent(type: "NoteWritten", payload: #"{"id":"refused","text":""}"#),
    ].enumerated() {
      let store = try SQLiteEventStore(path: folder.path("log \(number)"))
      var events = (1...3_000).map { NewEvent(type: "NoteWritten", payload: #"{"id":"\#($0 % 50)","text":"\#($0)"}"#) }
      events[place - 1] = poison
      // Transactions of several events, so that half of one is undone.
      for first in stride(from: 0, to: 3_000, by: 30) {
        try store.append(Append(Array(events[first..<first + 30]), to: "s"))
      }
      let paged = Self.outcome(of: Notes(), store)
      #expect(paged == Self.outcome(of: Notes(), PlainStore(store)))
      #expect(paged.error?.contains("stopped before event \(place) (\(poison.type)") == true, "\(paged.error ?? "")")
      #expect(paged.position == Position((place - 1) / 30 * 30))
    }
  }

  @Test func `a rebuild that stops early lets go of the pages that were read ahead`() throws {
    let store = try SQLiteEventStore(path: folder.path("log"))
    var events = (1...20_000).map { NewEvent(type: "NoteWritten", payload: #"{"id":"\#($0 % 50)","text":"\#($0)"}"#) }
    events[2] = NewEvent(type: "NoteTorn", payload: "{}")
    try store.append(Append(events, to: "s"))
    // Sometimes the reader is two pages ahead, sometimes it is at its first.
    for _ in 0..<50 {
      let outcome = Self.outcome(of: Notes(pausing: true), store)
      #expect(outcome.error?.contains("event 3 (NoteTorn") == true)
    }
  }

  @Test func `what a projection asks of an event is the same, read ahead or not`() throws {
    let store = try SQLiteEventStore(path: folder.path("log"))
    let entries = (1...2_500).map { number in
      let event = NewEvent(
        type: number % 7 == 0 ? "OtherThing" : "NoteWritten", payload: #"{"id":"\#(number % 9)","text":"t"}"#,
        metadata: number % 3 == 0 ? [:] : ["actor": "Ann"], time: Date(timeIntervalSince1970: Double(number)))
      return Append.Entry(stream: StreamName("s\(number % 300)"), event: event)
    }
    for start in stride(from: 0, to: 2_500, by: 50) { try store.append(Append(Array(entries[start..<start + 50]))) }
    let paged = Self.outcome(of: Origins(), store)
    #expect(paged == Self.outcome(of: Origins(), PlainStore(store)))
    #expect(paged.error == nil && paged.rows.count == 9)
    #expect(paged.rows.last?.text.contains("s") == true)
  }

  @Test func `damage is met at the same event, read ahead or not`() throws {
    let path = folder.path("log")
    do {
      let store = try SQLiteEventStore(path: path)
      try store.append(
        Append(
          (1...2_600).map { NewEvent(type: "NoteWritten", payload: #"{"id":"\#($0 % 50)","text":"\#($0)"}"#) }, to: "s")
      )
    }
    do {
      let database = try TestDatabase(path)
      try database.execute(
        "DROP TRIGGER event_is_never_changed; UPDATE event SET payload = '{}' WHERE position = 2300")
    }
    let store = try SQLiteEventStore(readingFrom: path)
    let paged = Self.outcome(of: Notes(), store)
    #expect(paged == Self.outcome(of: Notes(), PlainStore(store)))
    #expect(paged.error?.contains("event 2300 is damaged: the event's checksum") == true)
  }

  private struct Outcome: Equatable {
    var rows: [Note]
    var position: Position
    var error: String?
  }

  private static func outcome<P: Projection>(of projection: P, _ store: some EventStore) -> Outcome
  where P.Row == Note {
    let controller = FetchedResultsController(
      store: store, projection: projection, request: ListRequest(sort: [.ascending(\.id)]))
    var error: String?
    do { try controller.performFetch() } catch let thrown { error = "\(thrown)" }
    return Outcome(rows: Array(controller.results.rows), position: controller.results.position, error: error)
  }
}

private struct Note: Row {
  var id: String
  var text: String
}

private enum NoteEvent: Event {
  case written(id: String, text: String)
}

private struct Notes: Projection {
  struct Refused: Error {}

  /// True to slow down, so that another thread can read ahead.
  var pausing = false

  func project(_ event: NoteEvent, into rows: inout Rows<Note>) throws {
    guard case .written(let id, let text) = event else { return }
    if id == "refused" { throw Refused() }
    if pausing { usleep(2_000) }
    rows.insert(Note(id: id, text: text))
  }
}

/// Records the origin of each note.
private struct Origins: Projection {
  func project(_ event: NoteEvent, into rows: inout Rows<Note>) {}

  func project(_ recorded: Recorded<NoteEvent>, into rows: inout Rows<Note>) {
    guard case .written(let id, _) = recorded.event else { return }
    rows.insert(
      Note(
        id: id,
        text: "\(recorded.position) \(recorded.transaction) \(recorded.stream) \(recorded.version) \(recorded.id.id) "
          + "\(recorded.id.source) \(recorded.time.timeIntervalSince1970) \(recorded.metadata.author ?? "-")"))
  }
}
