import Annals
import AnnalsRemote
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Testing

extension ErrorCase {
  private static func store(_ type: String, schema: Int = 1, _ payload: String) throws -> MemoryEventStore {
    let store = MemoryEventStore(environment: StoreEnvironment(report: { _ in }))
    try store.append(Append([NewEvent(type: type, schema: schema, payload: payload)], to: "TodoList-home"))
    return store
  }

  private static func lost() throws -> MemoryEventStore { try store("TodoMoved", #"{"id":"1"}"#) }
  private static func bad() throws -> MemoryEventStore { try store("TodoFinished", #"{"id":7}"#) }
  private static func newer() throws -> MemoryEventStore { try store("TodoFinished", schema: 2, #"{"id":"1"}"#) }
  private static func old() throws -> MemoryEventStore { try store("PartyReplied", #"{"id":"1"}"#) }

  /// The codes of `EventCodingError`.
  static let coding: [ErrorCase] = [
    ErrorCase("EventCodingError.badPayload") { scene in
      scene.fails { _ = try bad().events(of: TodoEvent.self) }
    },
    ErrorCase("EventCodingError.claimedTwice") { scene in
      let store = MemoryEventStore()
      _ = try store.events(of: TodoEvent.self)
      scene.fails { _ = try store.events(of: Chores.TodoEvent.self) }
      _ = try store.events(of: Chores.ChoreEvent.self)
    },
    ErrorCase("EventCodingError.newerSchema") { scene in
      scene.fails { _ = try newer().events(of: TodoEvent.self) }
      _ = try newer().events(of: TodoEvent.self, newerEvents: .skip)
    },
    ErrorCase("EventCodingError.notUpcast") { scene in
      scene.fails { _ = try old().events(of: PartyEvent.self) }
    },
    ErrorCase("EventCodingError.unknownEvent") { scene in
      scene.fails { _ = try lost().events(of: TodoEvent.self) }
      _ = try lost().events(of: TodoEvent.self, unknownEvents: .skip)
    },
    ErrorCase("EventCodingError.unsuitableType") { scene in
      scene.fails { try MemoryEventStore().append([ScaleEvent(grams: 5)], to: "scale") }
      try MemoryEventStore().append([MeterEvent.read(5)], to: "scale")
    },
    ErrorCase("EventCodingError.unsuitableUpcasters") { scene in
      scene.fails { _ = try MemoryEventStore().events(of: RentEvent.self) }
    },
    ErrorCase("EventCodingError.unsuitableValue") { scene in
      scene.fails { try MemoryEventStore().append([MeterEvent.read(.nan)], to: "meter") }
      try MemoryEventStore().append([MeterEvent.read(0)], to: "meter")
    },
  ]

  /// The codes of `ProjectionError`.
  static let projection: [ErrorCase] = [
    ErrorCase("ProjectionError.newerEvent") { scene in
      scene.fails { _ = try newer().list(of: Todos()) }
      _ = try newer().list(of: TolerantTodos())
    },
    ErrorCase("ProjectionError.notUpcast") { scene in
      scene.fails { _ = try old().list(of: Guests()) }
    },
    ErrorCase("ProjectionError.refused") { scene in
      let store = try store("TodoAdded", #"{"id":"1","title":""}"#)
      scene.fails { _ = try store.list(of: StrictTodos()) }
      _ = try store.list(of: Todos())
    },
    ErrorCase("ProjectionError.undecodable") { scene in
      scene.fails { _ = try bad().list(of: Todos()) }
    },
    ErrorCase("ProjectionError.unknownEvent") { scene in
      scene.fails { _ = try lost().list(of: Todos()) }
      _ = try lost().list(of: TolerantTodos())
    },
  ]

  /// The codes of `ListRequestError`.
  static let request: [ErrorCase] = [
    ErrorCase("ListRequestError.unidentifiedProjection") { scene in
      scene.fails { _ = try MemoryEventStore().list(of: TodosWith(word: "milk"), cacheName: "todos") }
      _ = try MemoryEventStore().list(of: TodosWith(word: "milk"))
    },
    ErrorCase("ListRequestError.unnamedPart") { scene in
      let store = MemoryEventStore()
      scene.fails {
        _ = try store.list(of: Todos(), ListRequest(filter: .where { $0.state == .done }), cacheName: "todos")
      }
      _ = try store.list(of: Todos(), ListRequest(filter: .where("done") { $0.state == .done }), cacheName: "todos")
    },
  ]

  /// The codes of `ListFeedError`.
  static let feed: [ErrorCase] = [
    ErrorCase("ListFeedError.forgotten") { scene in
      let store = MemoryEventStore()
      let todos = FetchedResultsController(store: store, projection: Todos())
      try todos.performFetch()
      let feed = ListFeed<Todo>(capacity: 2)
      let observation = feed.follow(todos)
      defer { observation.cancel() }
      func append() throws { try store.append([TodoEvent.finished(id: "1")], to: "Other-1") }
      var reader = feed.messages(after: todos.results).makeAsyncIterator()
      try append()
      _ = try await reader.next()
      for _ in 0..<4 { try append() }
      do {
        _ = try await reader.next()
        Issue.record("the reader wasn't forgotten")
      } catch { scene.note(error) }
      #expect(feed.list(at: 1) == nil)
      let list = try await store.list(of: Todos(), at: 1)
      reader = feed.messages(after: list).makeAsyncIterator()
      #expect(try await reader.next()?.position == 5)
    },
    ErrorCase("ListFeedError.invalidCursor") { scene in
      scene.fails { _ = try ListPage<Todo>.Cursor("2") }
    },
    ErrorCase("ListFeedError.invalidLimit") { scene in
      let list = try MemoryEventStore().list(of: Todos())
      scene.fails { _ = try ListPage(of: list, limit: 0, maximum: 500) }
      _ = try ListPage(of: list, limit: 500, maximum: 500)
    },
    ErrorCase("ListFeedError.otherList") { scene in
      let store = MemoryEventStore()
      for command in [milk, call, .finish(id: "1")] { try store.execute(command, on: TodoList["home"]) }
      let (old, new) = (try store.list(of: Todos(), at: 2), try store.list(of: Todos()))
      var page = try ListPage(of: old, limit: 1)
      let next = page.next
      scene.fails { _ = try ListPage(of: new, from: next, limit: 1) }
      let filtered = ListRequest<Todo>(filter: .where { $0.state != .done })
      let cursor = try ListPage(of: new, limit: 1).next
      scene.fails { _ = try ListPage(of: store.list(of: Todos(), filtered), from: cursor, limit: 1) }
      scene.fails { try page.append(ListPage(of: new, limit: 1)) }
      let changes = ListChanges(Changes(from: old, to: new))
      scene.fails { try page.apply(changes) }
      try page.append(ListPage(of: old, from: next, limit: 1))
      let places = #"{"after":2,"position":3,"rows":[{"from":[7,7]}],"sections":[]}"#
      let wrong = try JSONDecoder().decode(ListChanges<Todo>.self, from: Data(places.utf8))
      scene.fails { try page.apply(wrong) }
      try page.apply(changes)
    },
  ]

  /// The errors without codes.
  static let plain: [ErrorCase] = [
    ErrorCase("Branch.MergeError") { scene in
      let store = MemoryEventStore()
      let branch = try store.branch()
      try branch.execute(milk, on: TodoList["home"])
      try store.execute(milk, on: TodoList["home"])
      scene.fails { try branch.merge() }
      try branch.drop(branch.commands[0])
      try branch.merge()
    },
    ErrorCase("FilterError") { scene in
      let fields = FilterFields<Todo>(.field("title", \.title), .field("state", \.state.rawValue))
      scene.fails { _ = try fields.filter("title = milk and status = Done") }
      _ = try fields.filter("title = milk and state = Done")
    },
    ErrorCase("Replica.BehindError") { scene in
      let copy = FaultyStore(MemoryEventStore())
      let replica = Replica(of: MemoryRemoteStore(), in: copy)
      copy.fail(StoreFault(.append, way: .notDone))
      await scene.failsAwaiting { try await replica.execute(milk, on: TodoList["home"]) }
      try await replica.catchUp()
      let list = try await replica.log.list(of: Todos())
      #expect(list.rows.map(\.id) == ["1"])
    },
    ErrorCase("SeekError") { scene in
      let store = MemoryEventStore()
      for command in [milk, call, .finish(id: "1")] { try store.execute(command, on: TodoList["home"]) }
      let todos = FetchedResultsController(store: store, projection: OpenTodos())
      try todos.performFetch()
      scene.fails { try todos.seek(to: 9) }
      var compaction = Compaction()
      compaction.rewrite(TodoEvent.self) { _, events in events.filter { $0.recorded.position == 2 } }
      compaction.prove(OpenTodos())
      try store.compact(compaction)
      scene.fails { try todos.seek(to: 1) }
      try todos.seek(to: 3)
    },
  ]
}
