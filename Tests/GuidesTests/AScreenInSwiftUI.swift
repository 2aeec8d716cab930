import Annals
import AnnalsSQLite

#if canImport(SwiftUI)
  import SwiftUI
#endif

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
