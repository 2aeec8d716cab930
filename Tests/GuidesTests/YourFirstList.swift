import Annals
import AnnalsSQLite
import Foundation

let path = "todo.annals"  // For readers of the page. The tests pass other paths.

enum TodoEvent: Event {
  case added(id: String, title: String)
  case finished(id: String)
}

struct Todo: Row {
  enum State: String, CaseIterable, Codable, OrderedValue {
    case open = "To do"
    case done = "Done"
  }

  let id: String
  var title: String
  var state = State.open
}

struct Todos: Projection {
  func project(_ event: TodoEvent, into rows: inout Rows<Todo>) {
    switch event {
    case .added(let id, let title): rows.insert(Todo(id: id, title: title))
    case .finished(let id): rows[id]?.state = .done
    }
  }
}

enum TodoCommand {
  case add(id: String, title: String)
  case finish(id: String)
}

struct TodoList: Decider {
  enum Refusal: Error { case alreadyThere, notThere, alreadyDone }
  var isDone: [String: Bool] = [:]

  func decide(_ command: TodoCommand) throws(Refusal) -> [TodoEvent] {
    switch command {
    case .add(let id, let title):
      guard isDone[id] == nil else { throw .alreadyThere }
      return [.added(id: id, title: title)]
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

/// The program of `Docs/Guides/01-YourFirstList.md`.
enum YourFirstList {
  @MainActor static func run(path: String) throws {
    let store = try SQLiteEventStore(path: path)
    let todos = FetchedResultsController(
      store: store, projection: Todos(),
      request: ListRequest(sort: [.ascending(\.title)], section: .by(\.state)))
    try todos.performFetch()

    let observation = todos.observe { changes in
      for change in changes.rows {
        switch change {
        case .insert(let todo, let path, _): print("+ \(todo.title) at \(path)")
        case .delete(let todo, let path, _): print("- \(todo.title) at \(path)")
        case .move(let todo, let old, let new, _): print("~ \(todo.title) from \(old) to \(new)")
        case .update(let todo, _, let path): print("= \(todo.title) at \(path)")
        }
      }
    }

    try store.execute(.add(id: "1", title: "Buy milk"), on: TodoList["home"])
    try store.execute(.add(id: "2", title: "Answer Ann"), on: TodoList["home"])
    try store.execute(.finish(id: "1"), on: TodoList["home"])
    for section in todos.sections { print(section.title, section.map(\.title)) }

    do {
      try store.execute(.finish(id: "1"), on: TodoList["home"])
    } catch TodoList.Refusal.alreadyDone {
      print("it is done already")
    }

    for event in try store.events(of: TodoEvent.self) { print(event.position, event.event) }
    observation.cancel()
  }
}
