import Annals
import AnnalsSQLite
import Foundation
import Observation
import Testing

/// The screens of the guides: SwiftUI's views and UIKit's table, against small interfaces of their shapes on Linux.
@Suite @MainActor struct ScreenTests {
  #if !canImport(SwiftUI)
    @Test func `a view of the page draws sections and rows, and again only when they change`() async throws {
      let store = MemoryEventStore(environment: StoreEnvironment(report: { _ in }))
      try await store.append(
        [
          ViewGuide.BookEvent.bought(id: "1", title: "Annals", shelf: "Rome"),
          .bought(id: "2", title: "Lives", shelf: "Greece"),
        ], to: "books")
      let screen = Screen(ViewGuide.BooksView(store: store))
      #expect(screen.lines == ["[Z to A]"])
      await screen.appear()
      #expect(screen.lines == ["# Greece", "Lives", "# Rome", "Annals", "[Z to A]"])
      screen.draw()
      #expect(screen.drawn == 2)

      try await store.append(
        [ViewGuide.BookEvent.bought(id: "3", title: "Histories", shelf: "Rome"), .sold(id: "2")], to: "books")
      screen.draw()
      #expect(screen.lines == ["# Rome", "Annals", "Histories", "[Z to A]"])
      screen.tap("Z to A")
      #expect(screen.lines == ["# Rome", "Histories", "Annals", "[Z to A]"])
      #expect(screen.drawn == 4)

      try await store.append(Append([NewEvent(type: "BookLost", payload: "{}")], to: "books"))
      screen.draw()
      #expect(screen.lines.first?.contains("BookLost") == true)
      #expect(screen.lines.dropFirst() == ["# Rome", "Histories", "Annals", "[Z to A]"])
    }

    @Test func `a refusal is shown in an alert, until its button is tapped`() async throws {
      try await withLog { store in
        let screen = Screen(TodosScreen(store: store))
        await screen.appear()
        screen.tap("Buy milk")
        #expect(screen.lines == ["[Answer Ann]", "[Buy milk]"])
        screen.tap("Buy milk")
        #expect(screen.lines.dropFirst(2) == ["! That isn't possible", "This item is already done.", "[OK]"])
        screen.tap("OK")
        #expect(screen.lines == ["[Answer Ann]", "[Buy milk]"])
      }
    }

    @Test func `a preview has rows in memory`() async {
      let screen = Screen(TodosScreen_Previews.previews)
      await screen.appear()
      #expect(screen.lines == ["[Answer Ann]", "[Buy milk]"])
    }

    @Test func `a log that can't be opened is opened by a button, and suspended in the background`() throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: "annals-launch-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: folder) }
      try Data().write(to: folder)
      let file = TodoFile { folder }
      let screen = Screen(TodoRoot(file: file))
      #expect(screen.lines.count == 2 && screen.lines.last == "[Retry]")
      screen.tap("Retry")
      #expect(screen.lines.count == 2)
      try FileManager.default.removeItem(at: folder)
      screen.tap("Retry")
      #expect(screen.lines.isEmpty && file.store != nil)

      func enter(_ phase: ScenePhase) {
        EnvironmentValues.current.scenePhase = phase
        screen.redraw()
        for change in screen.canvas.changes { change() }
      }
      defer { EnvironmentValues.current.scenePhase = .active }
      let store = try #require(file.store)
      enter(.background)
      #expect(throws: EventStoreError.self) { try store.execute(.add(id: "1", title: "Tea"), on: TodoList["home"]) }
      enter(.inactive)
      #expect(throws: EventStoreError.self) { try store.execute(.add(id: "1", title: "Tea"), on: TodoList["home"]) }
      enter(.active)
      #expect(try store.execute(.add(id: "1", title: "Tea"), on: TodoList["home"]).count == 1)
    }
  #endif

  #if !canImport(UIKit) && !os(macOS)
    @Test(.serialized, arguments: ["done", "expired", "active"])
    func `work in the background ends with a suspension, unless the app is active`(end: String) async {
      let app = UIApplication.shared
      let work = BackgroundWork()
      var suspensions = 0
      let (gate, open) = AsyncStream.makeStream(of: Void.self)
      let (finished, finish) = AsyncStream.makeStream(of: Void.self)
      work.finish(
        {
          for await _ in gate {}
          finish.finish()
        }, then: { suspensions += 1 })
      #expect(app.backgroundTasks == 1)
      switch end {
      case "expired": app.expire()
      case "active": work.continueInForeground()
      default: break
      }
      open.finish()
      for await _ in finished {}
      while app.backgroundTasks > 0 { await Task.yield() }
      #expect(suspensions == (end == "active" ? 0 : 1))
    }

    @Test func `a table view takes each batch and shows the list`() async throws {
      try await withLog { store in
        let screen = TodosViewController(store: store)
        screen.viewDidLoad()
        screen.tableView.reloadData()
        #expect(screen.tableView.lines == ["# To do", "Answer Ann", "Buy milk"])
        screen.tableView(screen.tableView, didSelectRowAt: IndexPath(row: 1, section: 0))
        #expect(screen.tableView.lines == ["# To do", "Answer Ann", "# Done", "Buy milk"])
        screen.tableView(screen.tableView, didSelectRowAt: IndexPath(row: 0, section: 0))
        #expect(screen.tableView.lines == ["# Done", "Answer Ann", "Buy milk"])
        try store.execute(.add(id: "3", title: "Call Bob"), on: TodoList["home"])
        #expect(screen.tableView.lines == ["# To do", "Call Bob", "# Done", "Answer Ann", "Buy milk"])
        #expect(screen.tableView.problems.isEmpty)
      }
    }
  #endif

  @Test func `the view in the page on views is the one that is compiled`() throws {
    let code = try String(
      contentsOf: Guide.root.appending(path: "Tests/GuidesTests/SwiftUIView.swift"), encoding: .utf8)
    func words(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
    let views = try Page("Docs/Views.md").blocks(of: "swift").map { $0.joined(separator: "\n") }
      .filter { $0.contains("struct BooksView: View") }
    #expect(views.count == 1)
    for view in views { #expect(words(code).contains(words(view))) }
  }

  /// A log with two things to do.
  private func withLog(_ body: (SQLiteEventStore) async throws -> Void) async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "annals-screen-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: file) }
    let store = try SQLiteEventStore(path: file.appending(path: "todo.annals").path)
    try await store.execute(.add(id: "1", title: "Buy milk"), on: TodoList["home"])
    try await store.execute(.add(id: "2", title: "Answer Ann"), on: TodoList["home"])
    try await body(store)
  }
}
