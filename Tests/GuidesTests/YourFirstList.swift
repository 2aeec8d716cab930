import Annals
import AnnalsSQLite
import Foundation

#if canImport(SwiftUI)
  import SwiftUI
#endif
#if canImport(UIKit)
  import UIKit
#endif

enum TodoEvent: Event {
  case added(id: String, title: String)
  case finished(id: String)
}

struct Todo: Row {
  let id: String
  var title: String
  var state = "To do"
}

struct Todos: Projection {
  func project(_ event: TodoEvent, into rows: inout Rows<Todo>) {
    switch event {
    case .added(let id, let title): rows.insert(Todo(id: id, title: title))
    case .finished(let id): rows[id]?.state = "Done"
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
      request: ListRequest(
        sort: [.ascending(\.title)], section: .by(\.state, order: .inOrder(of: ["To do", "Done"]))))
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
    print(todos.results)

    do {
      try store.execute(.finish(id: "1"), on: TodoList["home"])
    } catch TodoList.Refusal.alreadyDone {
      print("it is done already")
    }

    for event in try store.events(of: TodoEvent.self) { print(event.position, event.event) }
    observation.cancel()
  }
}

struct TodosView: View {
  let store: SQLiteEventStore
  @State private var todos: FetchedResultsController<Todo>

  init(store: SQLiteEventStore) {
    self.store = store
    _todos = State(
      wrappedValue: FetchedResultsController(
        store: store, projection: Todos(),
        request: ListRequest(
          sort: [.ascending(\.title)], section: .by(\.state, order: .inOrder(of: ["To do", "Done"])))))
  }

  var body: some View {
    List {
      ForEach(todos.sections) { section in
        Section(section.title) {
          ForEach(section) { todo in
            Button(todo.title) { _ = try? store.execute(.finish(id: todo.id), on: TodoList["home"]) }
          }
        }
      }
    }
    .task { try? await todos.performFetch { _ in } }
  }
}

#if !os(macOS) && !os(watchOS)
  final class TodosViewController: UITableViewController {
    let store: SQLiteEventStore
    let todos: FetchedResultsController<Todo>

    init(store: SQLiteEventStore) {
      self.store = store
      todos = FetchedResultsController(
        store: store, projection: Todos(),
        request: ListRequest(
          sort: [.ascending(\.title)], section: .by(\.state, order: .inOrder(of: ["To do", "Done"]))))
      super.init(style: .plain)
    }

    required init?(coder: NSCoder) { fatalError("the storyboard has no such screen") }

    override func viewDidLoad() {
      super.viewDidLoad()
      tableView.register(UITableViewCell.self, forCellReuseIdentifier: "todo")
      todos.delegate = self
      try? todos.performFetch()
    }

    override func numberOfSections(in tableView: UITableView) -> Int { todos.sections.count }

    override func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
      todos.sections[section].count
    }

    override func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String? {
      todos.sections[section].title
    }

    override func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
      let cell = tableView.dequeueReusableCell(withIdentifier: "todo", for: indexPath)
      cell.textLabel?.text = todos.object(at: indexPath).title
      return cell
    }

    override func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
      _ = try? store.execute(.finish(id: todos.object(at: indexPath).id), on: TodoList["home"])
    }
  }

  extension TodosViewController: @MainActor FetchedResultsControllerDelegate {
    func controllerWillChangeContent(_ controller: FetchedResultsController<Todo>) { tableView.beginUpdates() }
    func controllerDidChangeContent(_ controller: FetchedResultsController<Todo>) { tableView.endUpdates() }

    func controller(
      _ controller: FetchedResultsController<Todo>, didChange todo: Todo, at indexPath: IndexPath?,
      for type: FetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
      switch (type, indexPath, newIndexPath) {
      case (.insert, _, let new?): tableView.insertRows(at: [new], with: .automatic)
      case (.delete, let old?, _): tableView.deleteRows(at: [old], with: .automatic)
      case (.move, let old?, let new?): tableView.moveRow(at: old, to: new)
      case (.update, let old?, _): tableView.reloadRows(at: [old], with: .automatic)
      default: break
      }
    }

    func controller(
      _ controller: FetchedResultsController<Todo>, didChange section: ResultsSection<Todo>, atSectionIndex index: Int,
      for type: FetchedResultsChangeType
    ) {
      switch type {
      case .insert: tableView.insertSections([index], with: .automatic)
      case .delete: tableView.deleteSections([index], with: .automatic)
      case .update: tableView.reloadSections([index], with: .automatic)
      case .move: break
      }
    }
  }
#endif
