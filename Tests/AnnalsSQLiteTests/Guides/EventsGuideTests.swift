import Annals
import AnnalsSQLite
import Foundation
import Testing

/// Checks that the page on events in and out shows code that compiles and runs.
@Suite struct EventsGuideTests {
  private typealias Guide = EventsGuide

  @Test func `the code of the page on events in and out does what the page says`() async throws {
    let folder = try TemporaryFolder()
    let day = Date(timeIntervalSince1970: 1_700_000_000)
    let cards = (0..<3).map {
      Guide.Card(id: "7\($0)", title: "Card \($0)", made: day.addingTimeInterval(Double($0) * 3_600))
    }
    for store in [MemoryEventStore(), try SQLiteEventStore(path: folder.path("log"))] as [any EventStore] {
      for _ in 0..<2 { try Guide.migrate(cards, to: store) }
      #expect(try store.head() == 3 && store.version(of: "Board-7") == 3)
      // Without its command id it is refused, because the log has the events.
      var again = Append()
      try again.add(Guide.CardEvent.added(cards[0]), to: "Board-7", id: EventID(source: "old-app", id: "70"))
      let refusal = #expect(throws: EventStoreError.self) { try store.append(again) }
      #expect(refusal?.code == .duplicateEvent && refusal?.position == 1)
      try await store.append(
        Append([NewEvent(type: "CardTitled", payload: #"{"id":"71","to":"Call Ann"}"#)], to: "Board-7"))
      try Guide.appendTwo(Guide.Card(id: "79", title: "Buy", made: day), to: store)

      let read = try Guide.read(store)
      #expect(read.map { $0.map(\.position) } == [[1, 2, 3, 4, 5, 6], [], [6, 4]])
      #expect(read[0].prefix(3).map(\.author) == ["import", "import", "import"] && read[0][1].time == cards[1].made)
      #expect(try Guide.count(store) == ["Call Ann": 1, "Buy milk": 1])
      #expect(
        Guide.joined == EventQuery([.init(types: ["CardAdded"]), .init(types: ["CardRenamed"], tags: ["board:7"])]))
      #expect(Guide.category == EventQuery([.init(categories: ["Card"], types: ["CardRenamed"])]))

      let lists = try Guide.lists(store, day.addingTimeInterval(7_200))
      #expect(
        lists.map { $0.rows.map(\.title) } == [["Buy milk", "Call Ann", "Card 0", "Card 2"], cards.map(\.title)])
      // The three cards came as one transaction.
      #expect(try Guide.lists(store, day.addingTimeInterval(3_600))[1].rows.isEmpty)
      let controller = FetchedResultsController(store: store, projection: Guide.Cards())
      try Guide.seek(controller, to: day.addingTimeInterval(7_200))
      try controller.performFetch()
      #expect(controller.fetchedObjects.map(\.id) == ["70", "71", "72"])
      let history = try await store.list(of: Guide.History())
      #expect(history.rows.map(\.author) == ["import", "import", "import", "unknown", "unknown", "unknown"])
      #expect(history.rows.first?.time == day)
    }
  }

  @Test func `an import in steps counts what is new, and what was known at a time are whole steps`() throws {
    let start = Date(timeIntervalSince1970: 1_700_000_000)
    let cards = (0..<300).map {
      Guide.Card(id: "\($0)", title: "Card \($0)", made: start.addingTimeInterval(Double($0) * 60))
    }
    let folder = try TemporaryFolder()
    for store in [MemoryEventStore(), try SQLiteEventStore(path: folder.path("log"))] as [any EventStore] {
      #expect(try Guide.migrate(Array(cards.prefix(150)), inStepsOf: 50, to: store) == 150)
      #expect(try Guide.migrate(cards, inStepsOf: 50, to: store) == 150)
      #expect(try Guide.migrate(cards, inStepsOf: 50, to: store) == 0)
      #expect(try store.head() == 300)
    }
    let store = MemoryEventStore()
    #expect(try Guide.migrate(cards, inStepsOf: 100, to: store) == 300)
    #expect(try store.position(at: start.addingTimeInterval(150 * 60)) == 100)
    #expect(try store.position(at: start.addingTimeInterval(199 * 60)) == 200)
  }

  @Test func `the page on events in and out shows the code that is compiled`() throws {
    let file = URL(fileURLWithPath: #filePath)
    let code = try String(
      contentsOf: file.deletingLastPathComponent().appending(path: "EventsGuide.swift"), encoding: .utf8)
    let root = (0..<4).reduce(file) { url, _ in url.deletingLastPathComponent() }
    let page = try String(contentsOf: root.appending(path: "Docs/EventsInAndOut.md"), encoding: .utf8)
    func words(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
    let blocks = page.components(separatedBy: "```swift\n").dropFirst().compactMap {
      $0.components(separatedBy: "```").first
    }
    #expect(blocks.count == 11)
    // A type that the page shows in two pieces is one in the code.
    for block in blocks {
      for piece in block.components(separatedBy: "\n\n") {
        #expect(words(code).contains(words(piece)), "\(piece)")
      }
    }
  }
}
