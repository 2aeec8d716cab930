import Annals
import AnnalsSamples
import Foundation
import Testing

@Suite struct BookshopTests {
  private let store = MemoryEventStore()
  private static let titles = ["《西游记》", "《红楼梦》", "《本草纲目》", "《水浒传》", "《三国演义》", "《资治通鉴》", "《二十四史》"]

  init() throws {
    for (index, book) in [
      ("《红楼梦》", 50.5), ("《西游记》", 48.5), ("《水浒传》", 67.5), ("《三国演义》", 70), ("《资治通鉴》", 79), ("《本草纲目》", 59),
      ("《二十四史》", 98),
    ].enumerated() {
      try store.execute(.stock(Book("b\(index + 1)", book.0, book.1)), on: Bookshop["main"])
    }
  }

  private func titles(_ screen: BookshopScreen) -> [String] { screen.controller.fetchedObjects.map(\.title) }

  @Test func `the books are listed by price`() throws {
    let screen = try BookshopScreen(store)
    #expect(titles(screen) == Self.titles)
    #expect(screen.table.sections == screen.list)
    #expect(screen.table.sections[0].rows[0] == "《西游记》  ¥48.5")
    #expect(screen.tap.notes == [])
  }

  @Test func `deleting alone is one deletion`() throws {
    let screen = try BookshopScreen(store)
    try screen.delete(at: IndexPath(RowPath(section: 0, row: 0)))
    #expect(titles(screen) == Array(Self.titles.dropFirst()))
    #expect(screen.tap.notes == ["will change", "delete [0, 0] 《西游记》  ¥48.5", "did change"])
    #expect(screen.table.exception == nil)
    #expect(screen.table.sections == screen.list)
  }

  @Test func `deleting while two books come is one batch`() throws {
    let screen = try BookshopScreen(store)
    try screen.delete(
      at: IndexPath(RowPath(section: 0, row: 2)), stocking: [Book("b8", "《狂人日记》", 20), Book("b9", "《洗冤集录》", 24.5)])
    #expect(titles(screen) == ["《狂人日记》", "《洗冤集录》"] + Self.titles.filter { $0 != "《本草纲目》" })
    #expect(
      screen.tap.notes == [
        "will change", "delete [0, 2] 《本草纲目》  ¥59.0", "insert [0, 0] 《狂人日记》  ¥20.0", "insert [0, 1] 《洗冤集录》  ¥24.5",
        "did change",
      ])
    #expect(screen.table.exception == nil)
    #expect(screen.table.sections == screen.list)
  }

  @Test func `a book that gets dearer leaves its place and comes elsewhere`() throws {
    let screen = try BookshopScreen(store)
    try screen.raise(at: IndexPath(RowPath(section: 0, row: 1)), by: 10)
    #expect(titles(screen)[1...2] == ["《本草纲目》", "《红楼梦》"])
    #expect(
      screen.tap.notes == [
        "will change", "delete [0, 1] 《红楼梦》  ¥50.5", "insert [0, 2] 《红楼梦》  ¥60.5", "did change",
      ])
    #expect(screen.table.exception == nil)
    #expect(screen.table.sections == screen.list)
  }

  @Test func `a book that gets dearer and keeps its place is updated there`() throws {
    let screen = try BookshopScreen(store)
    try screen.raise(at: IndexPath(RowPath(section: 0, row: 0)), by: 1)
    #expect(screen.tap.notes == ["will change", "update [0, 0] 《西游记》  ¥49.5", "did change"])
    #expect(screen.table.sections == screen.list)
  }

  @Test func `the delegate diverges if moves are reported, and nothing raises`() throws {
    let screen = try BookshopScreen(store, reportedMoves: .rows)
    try screen.raise(at: IndexPath(RowPath(section: 0, row: 0)), by: 10)
    #expect(screen.tap.notes.contains { $0.hasPrefix("move") })
    #expect(screen.table.exception == nil)
    #expect(screen.table.sections != screen.list)
  }

  @Test func `what a bookseller cannot have is refused, and nothing is recorded`() throws {
    let refused: [(BookCommand, Bookshop.Refusal)] = [
      (.stock(Book("b1", "again", 1)), .alreadyThere("b1")), (.stock(Book("x", "gift", -1)), .priceBelowZero(-1)),
      (.raise(id: "x", by: 1), .notThere("x")), (.raise(id: "b2", by: -50), .priceBelowZero(-1.5)),
      (.withdraw(id: "x"), .notThere("x")),
    ]
    for (command, refusal) in refused {
      #expect(throws: refusal) { try store.execute(command, on: Bookshop["main"]) }
    }
    #expect(try store.execute(.raise(id: "b1", by: 0), on: Bookshop["main"]).count == 0)
    let screen = try BookshopScreen(store)
    #expect(throws: Bookshop.Refusal.alreadyThere("b3")) {
      try screen.delete(at: IndexPath(RowPath(section: 0, row: 0)), stocking: [Book("b3", "again", 1)])
    }
    #expect(titles(screen) == Self.titles)
  }
}
