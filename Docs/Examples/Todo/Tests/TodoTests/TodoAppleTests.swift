#if !canImport(SwiftUI)
  import Annals
  import AnnalsSQLite
  import Foundation
  import Observation
  import Synchronization
  import Testing
  import TodoDomain

  @testable import TodoApple

  /// The screens for SwiftUI and UIKit, drawn as text by small substitutes.
  @MainActor @Suite struct TodoAppleTests {
    private let store = MemoryEventStore()

    private func canvas(_ view: some View) -> Canvas {
      var canvas = Canvas()
      view.draw(on: &canvas)
      return canvas
    }

    @Test func `the view shows the list, and its buttons change it`() async throws {
      let view = TodoListView().environment(TodoModel(store: store, user: "ann"))
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
      let view = TodoListView().environment(TodoModel(store: store, user: "ann"))
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

    @Test func `the preview has rows before its first task`() {
      #expect(
        canvas(TodoListView_Previews.previews).lines.prefix(6) == [
          "Search: ", "# To do", "[Call Ann]", "[Water the plants]", "# Done", "[✓ Buy milk]",
        ])
    }

    @Test func `the preview's body is tracked by Observation`() {
      let model = TodoModel.preview
      let view = TodoListView().environment(model)
      let isDue = Mutex(false)
      withObservationTracking {
        _ = canvas(view)
      } onChange: {
        isDue.withLock { $0 = true }
      }
      model.add("Feed the cat")
      #expect(isDue.withLock { $0 } && canvas(view).lines.contains("[Feed the cat]"))
    }

    @Test func `the window shows the file, which is suspended in the background`() async throws {
      try await Program.withFile { path in
        let file = TodoFile(path: path)
        let root = TodoRoot(file: file)
        for task in canvas(root).tasks { await task() }
        let other = try SQLiteEventStore(path: path)
        try await other.execute(.add("Milk"), on: TodoList.main)
        try #require(file.model).todos.refresh()
        #expect(canvas(root).lines.contains("[Milk]"))

        defer { EnvironmentValues.current.scenePhase = .active }
        EnvironmentValues.current.scenePhase = .background
        for change in canvas(root).changes { change() }
        #expect(file.model?.add("Bread") == false)
        #expect(canvas(root).lines.last?.contains("suspended") == true)

        EnvironmentValues.current.scenePhase = .active
        for change in canvas(root).changes { change() }
        #expect(file.model?.add("Bread") == true && canvas(root).lines.contains("[Bread]"))
      }
    }

    @Test func `a file that can't be opened is opened by a button`() throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: "todo-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: folder) }
      let file = TodoFile(path: folder.appending(path: "todo.annals").path)
      let root = TodoRoot(file: file)
      #expect(canvas(root).lines.count == 2 && canvas(root).lines.last == "[Retry]")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      canvas(root).buttons["Retry"]?()
      #expect(file.message == nil && canvas(root).lines.contains("[Add]"))
    }

    @Test func `the program opens the file in the user's folder`() throws {
      let home = FileManager.default.temporaryDirectory.appending(path: "todo-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: home) }
      let words = ["HOME=\(home.path)", "XDG_DATA_HOME=\(home.path)/data", Program.path("TodoWindow")]
      let ended = try Program.run(words, of: "/usr/bin/env")
      #expect(ended.output == "Search: \nNew item: \n[Add]\n[Undo]\n[Redo]\n" && ended.status == 0, "\(ended)")
      #expect(FileManager.default.fileExists(atPath: home.appending(path: "data/Todo/todo.annals").path))
    }
  }
#endif
