import Annals
import AnnalsSQLite
import Foundation
import Testing

@MainActor final class TodosModel {
  let todos: FetchedResultsController<Todo>

  init(store: some EventStore) {
    todos = FetchedResultsController(store: store, projection: Todos())
  }
}

/// The code of `Docs/FAQ.md`, and tests of its advice.
@MainActor @Suite final class FAQPage {
  private let home = TodoList["home"]
  private var printed: [String] = []

  /// Collects the lines that the page's code prints, because guides that run at the same time use the global `print`.
  private func print(_ items: Any...) { printed.append(items.map { "\($0)" }.joined(separator: " ")) }

  private func withLog(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "annals-faq-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.appending(path: "log.annals").path)
  }

  @Test func `a list that does not update has one of the four causes`() throws {
    let store: any EventStore = MemoryEventStore(environment: StoreEnvironment(report: { _ in }))
    let list = FetchedResultsController(store: store, projection: Todos())
    try store.execute(.add(id: "1", title: "Buy milk"), on: home)
    #expect(list.position == 0 && list.results.rows.isEmpty)
    try list.performFetch()

    var calls = 0
    _ = list.observe { _ in calls += 1 }
    try store.execute(.add(id: "2", title: "Call Ann"), on: home)
    #expect(calls == 0)
    #expect(try list.position == store.head() && list.rowCount == 2)

    try list.seek(to: 1)
    try store.execute(.add(id: "3", title: "Pay rent"), on: home)
    #expect(try list.position < store.head() && list.rowCount == 1)
    try list.returnToLive()
    #expect(list.rowCount == 3)

    try store.append(Append([NewEvent(type: "TodoForgotten", payload: "{}")], to: TodoList.stream("home")))
    #expect(list.failure is ProjectionError)
    print("shows \(list.position), the log ends at \(try store.head()), failure:", list.failure ?? "none")
    #expect(printed.first?.hasPrefix("shows 3, the log ends at 4, failure: ") == true)
  }

  @MainActor private final class LazyModel {
    let store: MemoryEventStore
    lazy var todos = FetchedResultsController(store: store, projection: Todos())

    init(store: MemoryEventStore) { self.store = store }
  }

  @Test func `a controller that is created on the main thread belongs to the main actor, even if it is lazy`()
    async throws
  {
    let store = MemoryEventStore()
    let (model, lazy) = (TodosModel(store: store), LazyModel(store: store))
    try model.todos.performFetch()
    try lazy.todos.performFetch()
    let stream = home
    let count = try await Task.detached {
      let todos = FetchedResultsController(store: store, projection: Todos())
      try todos.performFetch()
      let other = Thread { _ = try? store.execute(.add(id: "1", title: "Buy milk"), on: stream) }
      other.start()
      while store.head() == 0 { await Task.yield() }
      let before = todos.rowCount
      todos.refresh()
      return [before, todos.rowCount]
    }.value
    #expect(count == [0, 1])
    for list in [model.todos, lazy.todos] {
      var batches = list.changes.makeAsyncIterator()
      while list.rowCount == 0 { _ = await batches.next() }
      #expect(list.position == 1)
    }
  }

  @Test func `a short list is saved only by a call, and the report has the reason`() throws {
    try withLog { path in
      let store = try SQLiteEventStore(path: path)
      try store.execute(.add(id: "1", title: "Buy milk"), on: home)
      func fetched(_ key: SortKey<Todo>) throws -> FetchedResultsController<Todo> {
        let list = FetchedResultsController(
          store: store, projection: Todos(), request: ListRequest(sort: [key]), cacheName: "todos")
        try list.performFetch()
        return list
      }
      let list = try fetched(.ascending(\.title))
      #expect(list.cacheReport.miss != nil && list.cacheReport.saved == nil)
      try list.saveCache()
      #expect(try fetched(.ascending(\.title)).cacheReport.miss == nil)
      #expect(try fetched(.descending(\.title)).cacheReport.miss != nil)
      #expect(throws: ListRequestError.self) { try fetched(.ascending { $0.title.count }) }
      print(list.cacheReport.miss ?? "loaded", list.cacheReport.problem ?? "no problem")
      #expect(printed.first?.hasSuffix("found none no problem") == true)
    }
  }

  @Test func `the sequence of changes has the new list`() async throws {
    let store = MemoryEventStore()
    let list = FetchedResultsController(store: store, projection: Todos())
    try list.performFetch()
    try await store.execute(.add(id: "2", title: "Call Ann"), on: TodoList["home"])
    var shown: [String] = []
    func show(_ results: Results<Todo>) { shown = results.rows.map(\.title) }
    let reader = Task {
      for await changes in list.changes { show(changes.new) }
    }
    // The reader subscribes at some time, and misses the commits before.
    var number = 2
    while shown.isEmpty {
      number += 1
      try await store.execute(.add(id: "\(number)", title: "Buy milk"), on: home)
      await Task.yield()
    }
    #expect(shown.contains("Buy milk"))
    reader.cancel()
  }

  @Test func `an opened log has a limit for locks, and can be copied while it is open`() throws {
    try withLog { path in
      let store = try SQLiteEventStore(path: path, patience: .seconds(5))
      try store.execute(.add(id: "1", title: "Buy milk"), on: home)
      let copy = path + "-copy"
      try store.backUp(to: copy)
      #expect(try SQLiteEventStore(readingFrom: copy).head() == 1)
    }
  }

  @Test func `a command with an id is executed once`() throws {
    let store = MemoryEventStore()
    for isRepeated in [false, true] {
      let receipt = try store.execute(.add(id: "3", title: "Pay rent"), on: TodoList["home"], commandID: "form-1")
      #expect(receipt.isRepeated == isRepeated)
    }
    #expect(store.head() == 1)
  }
}

/// The refusals of `Docs/FAQ.md`.
///
/// The to-do list of the guides has refusals without sentences, and other pages show their messages.
@Suite struct FAQRefusals {
  struct TodoList: Decider {
    enum Refusal: LocalizedError {
      case notThere, alreadyDone

      var errorDescription: String? {
        switch self {
        case .notThere: "This item was removed."
        case .alreadyDone: "This item is already done."
        }
      }
    }

    var isDone: [String: Bool] = [:]

    func decide(_ command: TodoCommand) throws(Refusal) -> [TodoEvent] {
      switch command {
      case .add(let id, let title): return [.added(id: id, title: title)]
      case .finish(let id):
        guard let isDone = isDone[id] else { throw .notThere }
        guard !isDone else { throw .alreadyDone }
        return [.finished(id: id)]
      }
    }

    mutating func evolve(_ event: TodoEvent) {
      switch event {
      case .added(let id, _): isDone[id] = false
      case .finished(let id): isDone[id] = true
      }
    }
  }

  struct NoSentence: Error {}

  @Test func `a refusal has a sentence for the user`() throws {
    let store = MemoryEventStore()
    var message = ""
    do {
      try store.execute(.finish(id: "1"), on: TodoList["home"])
    } catch {
      message = error.localizedDescription
    }
    #expect(message == "This item was removed.")
    #expect(NoSentence().localizedDescription != "\(NoSentence())")
  }
}
