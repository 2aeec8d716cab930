#if !canImport(SwiftUI)
  import Annals
  import Testing
  import TodoDomain

  @testable import TodoApple

  /// The screens for SwiftUI and UIKit, drawn as text by small interfaces of the same shape.
  @MainActor @Suite struct TodoAppleTests {
    private let store = MemoryEventStore()

    private func canvas(_ view: TodoListView) -> Canvas {
      var canvas = Canvas()
      view.draw(on: &canvas)
      return canvas
    }

    @Test func `the view shows the list, and its buttons change it`() async throws {
      let view = TodoListView(model: TodoModel(store: store, user: "ann"))
      for task in canvas(view).tasks { await task() }
      canvas(view).fields["New item"]?.wrappedValue = "Milk"
      canvas(view).buttons["Add"]?()
      #expect(
        canvas(view).lines == ["Search: ", "# To do", "[Milk]", "New item: ", "[Add]", "[Undo]", "[Redo]"])
      canvas(view).buttons["Milk"]?()
      #expect(canvas(view).lines[1...2] == ["# Done", "[✓ Milk]"])
      canvas(view).buttons["Undo"]?()
      #expect(canvas(view).lines[1...2] == ["# To do", "[Milk]"])
      canvas(view).buttons["Redo"]?()
      #expect(canvas(view).lines[1...2] == ["# Done", "[✓ Milk]"])
      canvas(view).buttons["Add"]?()
      #expect(canvas(view).lines.last == "an item needs a title")
    }

    @Test func `the view searches when the text is another`() async throws {
      let view = TodoListView(model: TodoModel(store: store, user: "ann"))
      for title in ["Milk", "Bread"] { try await store.execute(.add(title), on: TodoList.main) }
      for task in canvas(view).tasks { await task() }
      canvas(view).fields["Search"]?.wrappedValue = "mi"
      for task in canvas(view).tasks { await task() }
      #expect(canvas(view).lines[1...2] == ["# To do", "[Milk]"] && !canvas(view).lines.contains("[Bread]"))
    }

    @Test func `the table view follows the list, and no bracket breaks its rules`() throws {
      let model = TodoModel(store: store, user: "ann")
      let screen = TodoListViewController(model: model)
      screen.viewDidLoad()
      screen.tableView.reloadData()
      for title in ["Milk", "Bread", "Tea"] { model.add(title) }
      screen.tableView(screen.tableView, didSelectRowAt: [0, 1])
      #expect(screen.tableView.lines == ["# To do", "Bread", "Tea", "# Done", "Milk"])
      screen.tableView(screen.tableView, commit: .delete, forRowAt: [1, 0])
      model.undo()
      model.undo()
      #expect(screen.tableView.lines == ["# To do", "Bread", "Milk", "Tea"])
      #expect(screen.tableView.problems == [])
    }
  }
#endif
