import Annals
import AnnalsSQLite
import Foundation
import Observation
import Testing

/// The screens of the guides: SwiftUI's views and UIKit's table, against small interfaces of their shapes on Linux.
@Suite @MainActor struct ScreenTests {
  #if !canImport(SwiftUI)
    /// Draws a view as SwiftUI does: again after each change of what its body read, and not otherwise.
    @MainActor private final class Screen<Content: View> {
      private let view: Content
      private(set) var canvas = Canvas()
      var lines: [String] { canvas.lines }
      private(set) var drawn = 0
      private var isDue = true

      init(_ view: Content) {
        self.view = view
        draw()
      }

      func draw() {
        guard isDue else { return }
        isDue = false
        drawn += 1
        canvas = withObservationTracking {
          var canvas = Canvas()
          view.draw(on: &canvas)
          return canvas
        } onChange: { [weak self] in
          MainActor.assumeIsolated { self?.isDue = true }
        }
      }
    }

    @Test func `a view of the page draws sections and rows, and again only when they change`() async throws {
      let store = MemoryEventStore(environment: StoreEnvironment(report: { _ in }))
      try await store.append(
        [
          ViewGuide.BookEvent.bought(id: "1", title: "Annals", shelf: "Rome"),
          .bought(id: "2", title: "Lives", shelf: "Greece"),
        ], to: "books")
      let screen = Screen(ViewGuide.BooksView(store: store))
      #expect(screen.lines == ["[Z to A]"])
      for task in screen.canvas.tasks { await task() }
      screen.draw()
      #expect(screen.lines == ["# Greece", "Lives", "# Rome", "Annals", "[Z to A]"])
      screen.draw()
      #expect(screen.drawn == 2)

      try await store.append(
        [ViewGuide.BookEvent.bought(id: "3", title: "Histories", shelf: "Rome"), .sold(id: "2")], to: "books")
      screen.draw()
      #expect(screen.lines == ["# Rome", "Annals", "Histories", "[Z to A]"])
      screen.canvas.buttons["Z to A"]?()
      screen.draw()
      #expect(screen.lines == ["# Rome", "Histories", "Annals", "[Z to A]"])
      #expect(screen.drawn == 4)

      try await store.append(Append([NewEvent(type: "BookLost", payload: "{}")], to: "books"))
      screen.draw()
      #expect(screen.lines.first?.contains("BookLost") == true)
      #expect(screen.lines.dropFirst() == ["# Rome", "Histories", "Annals", "[Z to A]"])
    }

    @Test func `the first guide's SwiftUI view finishes what is tapped`() async throws {
      try await withLog { store in
        let screen = Screen(TodosView(store: store))
        for task in screen.canvas.tasks { await task() }
        screen.draw()
        #expect(screen.lines == ["# To do", "[Answer Ann]", "[Buy milk]"])
        screen.canvas.buttons["Buy milk"]?()
        screen.draw()
        #expect(screen.lines == ["# To do", "[Answer Ann]", "# Done", "[Buy milk]"])
      }
    }
  #endif

  #if !canImport(UIKit) && !os(macOS)
    @Test func `the first guide's table view takes each batch and shows the list`() async throws {
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
