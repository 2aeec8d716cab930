import Annals
import TodoDomain

#if canImport(SwiftUI)
  import SwiftUI
#endif

/// The list in SwiftUI: sections, search while you type, undo and redo.
public struct TodoListView: View {
  private let model: TodoModel
  @State private var title = ""
  @State private var search = ""

  /// Shows a list.
  ///
  /// - Parameter model: The list, and what can be done with it; the view's owner keeps it.
  public init(model: TodoModel) { self.model = model }

  public var body: some View {
    List {
      TextField("Search", text: $search)
      ForEach(model.todos.sections) { section in
        Section(section.title) {
          ForEach(section) { todo in
            Button("\(todo.isDone ? "✓ " : "")\(todo.title)") { model.toggle(todo) }
          }
        }
      }
      TextField("New item", text: $title)
      Button("Add") {
        if model.add(title) { title = "" }
      }
      Button("Undo") { model.undo() }
      Button("Redo") { model.redo() }
      if let message = model.message { Text(message) }
    }
    .task { await model.start() }
    .task(id: search) { await model.search(search) }
  }
}
