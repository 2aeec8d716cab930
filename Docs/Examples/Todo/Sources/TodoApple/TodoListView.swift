import Annals
import TodoDomain

#if canImport(SwiftUI)
  import SwiftUI
#endif

/// The list in SwiftUI, with sections, search as you type, undo and redo.
public struct TodoListView: View {
  @Environment(TodoModel.self) private var model
  @State private var title = ""
  @State private var search = ""

  /// Shows the list of the environment's ``TodoModel``.
  public init() {}

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

/// The list in Xcode's canvas.
struct TodoListView_Previews: PreviewProvider {
  static var previews: some View { TodoListView().environment(TodoModel.preview) }
}
