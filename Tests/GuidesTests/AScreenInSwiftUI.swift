import Annals
import AnnalsSQLite
import Foundation

#if canImport(SwiftUI)
  import SwiftUI
#endif

// The page's app has an attribute that a test can't have, because the tests have their own entry point: @main
struct TodoApp: App {
  @State private var file = TodoFile()

  var body: some Scene {
    WindowGroup {
      VStack {
        if let store = file.store {
          AddTodo(store: store)
          TodosView(store: store)
        }
        if let message = file.message { Text(message) }
      }
    }
  }
}

struct AddTodo: View {
  let store: SQLiteEventStore
  @State private var title = ""

  init(store: SQLiteEventStore) { self.store = store }

  var body: some View {
    VStack {
      TextField("New item", text: $title)
      Button("Add") {
        _ = try? store.execute(.add(id: UUID().uuidString, title: title), on: TodoList["home"])
        title = ""
      }
    }
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
        request: ListRequest(sort: [.ascending(\.title)], section: .by(\.state))))
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

#if !canImport(SwiftUI)
  /// The program of `Docs/Guides/01b-AScreenInSwiftUI.md`.
  enum AScreenInSwiftUI {
    @MainActor static func run(path: String) async throws {
      let store = try SQLiteEventStore(path: path)
      try await store.execute(.add(id: "1", title: "Buy milk"), on: TodoList["home"])
      try await store.execute(.add(id: "2", title: "Answer Ann"), on: TodoList["home"])
      let screen = Screen(TodosView(store: store))
      await screen.appear()
      print(screen.text)
      screen.tap("Buy milk")
      print(screen.text)
    }
  }
#endif
