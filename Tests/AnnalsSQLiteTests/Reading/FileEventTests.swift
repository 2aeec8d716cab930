import Annals
import AnnalsSQLite
import Testing

/// Events in a file are read from bytes, by a way of their own for the cases of the present schema.
@Suite struct FileEventTests {
  @Test func `each event of a stream in a file is folded as its own case`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("news.annals")
    let events: [NewsEvent] = [
      .closed, .put(id: "a", text: "A"), .put(id: "b", text: "B"), .struck(id: "a"), .put(id: "c", text: "C"), .closed,
      .struck(id: "b"), .struck(id: "x"), .put(id: "d", text: "D"), .closed,
    ]
    try SQLiteEventStore(path: path).append(events, to: "News-main")
    let store = try SQLiteEventStore(path: path)
    #expect(try store.state(of: Desk["main"]) == Desk(told: events))
    let list = FetchedResultsController(store: store, projection: Board())
    try list.performFetch()
    #expect(Set(list.fetchedObjects) == [News(id: "c", text: "C"), News(id: "d", text: "D")])
  }

  @Test func `an event of a newer schema in a file stops a list and a decider`() throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteEventStore(path: folder.path("news.annals"))
    let events = [
      NewEvent(type: "NewsPut", payload: #"{"id":"a","text":"A"}"#),
      NewEvent(type: "NewsPut", payload: #"{"id":"b","text":"B"}"#),
      NewEvent(type: "NewsPut", schema: 2, payload: #"{"id":"c","text":"C"}"#),
      NewEvent(type: "NewsPut", payload: #"{"id":"d","text":"D"}"#),
    ]
    for event in events { try store.append(Append([event], to: "News-main")) }
    let list = FetchedResultsController(store: store, projection: Board())
    let error = #expect(throws: ProjectionError.self) { try list.performFetch() }
    #expect(error?.code == .newerEvent && error?.event.position == 3)
    let refusal = #expect(throws: EventCodingError.self) { try store.state(of: Desk["main"]) }
    #expect(refusal?.code == .newerSchema && refusal?.event?.position == 3)
    #expect(throws: EventCodingError.self) { try store.execute("e", on: Desk["main"]) }
    #expect(try store.head() == 4)
  }

  @Test func `an event in a file that does not fit is named, whatever came before it`() throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteEventStore(path: folder.path("news.annals"))
    for payload in [#"{"id":"a","text":"A"}"#, #"{"id":"b","text":"B"}"#, #"{"id":"c","text":3}"#] {
      try store.append(Append([NewEvent(type: "NewsPut", payload: payload)], to: "News-main"))
    }
    let list = FetchedResultsController(store: store, projection: Board())
    let error = #expect(throws: ProjectionError.self) { try list.performFetch() }
    #expect(error?.code == .undecodable && error?.event.position == 3)
    let refusal = #expect(throws: EventCodingError.self) { try store.state(of: Desk["main"]) }
    #expect(refusal?.code == .badPayload && refusal?.event?.position == 3)
  }
}

private enum NewsEvent: Event, Equatable {
  case put(id: String, text: String)
  case struck(id: String)
  case closed
}

private struct News: Row, Hashable {
  var id: String
  var text: String
}

private struct Board: Projection {
  func project(_ event: NewsEvent, into rows: inout Rows<News>) {
    switch event {
    case .put(let id, let text): rows.insert(News(id: id, text: text))
    case .struck(let id): rows[id] = nil
    case .closed: break
    }
  }
}

private struct Desk: Decider, Equatable {
  static var category: String { "News" }
  var told: [NewsEvent] = []
  init() {}
  init(told: [NewsEvent]) { self.told = told }
  func decide(_ command: String) -> [NewsEvent] { [.put(id: command, text: "\(told.count)")] }
  mutating func evolve(_ event: NewsEvent) { told.append(event) }
}
