import Annals
import Foundation
import Observation
import Testing

/// The page on views: its SwiftUI view compiles, and is drawn again when the list changes.
@Suite struct ViewGuideTests {
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

    @MainActor
    @Test func `a view of the page draws sections and rows, and again only when they change`() async throws {
      let store = MemoryEventStore(environment: StoreEnvironment(report: { _ in }))
      let coder = try EventCoder<ViewGuide.BookEvent>()
      func append(_ events: ViewGuide.BookEvent...) throws {
        try store.append(Append(try events.map { try coder.encode($0) }, to: "books"))
      }
      try append(.bought(id: "1", title: "Annals", shelf: "Rome"), .bought(id: "2", title: "Lives", shelf: "Greece"))
      let screen = Screen(ViewGuide.BooksView(store: store))
      #expect(screen.lines == ["[Z to A]"])
      for task in screen.canvas.tasks { await task() }
      screen.draw()
      #expect(screen.lines == ["# Greece", "Lives", "# Rome", "Annals", "[Z to A]"])
      screen.draw()
      #expect(screen.drawn == 2)

      try append(.bought(id: "3", title: "Histories", shelf: "Rome"), .sold(id: "2"))
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
  #endif

  @Test func `the ids of sections and rows stay when a list changes`() throws {
    let store = MemoryEventStore()
    let controller = FetchedResultsController(store: store, projection: Items(), request: .byGroup)
    try store.put(.put(Item("a", "x", 1)))
    try store.put(.put(Item("b", "y", 1)))
    try controller.performFetch()
    let before = controller.sections.map(\.id)
    try store.put(.put(Item("c", "x", 0)))
    try store.put(.renamed(group: "x", title: "another title"))
    #expect(controller.sections.map(\.id) == before)
    #expect(controller.sections[0].map(\.id) == ["c", "a"])
    #expect(Set(controller.sections.flatMap { $0.map(\.id) }).count == 3)
  }

  @Test func `the page shows the view that is compiled`() throws {
    let file = URL(fileURLWithPath: #filePath)
    let code = try String(
      contentsOf: file.deletingLastPathComponent().appending(path: "ViewGuide.swift"), encoding: .utf8)
    let root = (0..<4).reduce(file) { url, _ in url.deletingLastPathComponent() }
    let page = try String(contentsOf: root.appending(path: "Docs/Views.md"), encoding: .utf8)
    func words(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
    let part = try #require(page.components(separatedBy: "## SwiftUI\n").dropFirst().first)
    let block = try #require(part.components(separatedBy: "```swift\n").dropFirst().first)
    let shown = try #require(block.components(separatedBy: "```").first)
    #expect(shown.contains("struct BooksView: View") && words(code).contains(words(shown)))
  }
}
