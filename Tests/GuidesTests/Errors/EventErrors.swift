import Annals
import AnnalsSQLite
import Foundation

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
