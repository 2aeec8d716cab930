import Annals
import AnnalsSamples
import Testing

@Suite struct LibraryTests {
  private let store = MemoryEventStore()

  init() throws {
    for (index, name) in ["Annals", "Eclogues", "Georgics", "Odes", "Satires"].enumerated() {
      try store.execute(.add(NamedBook("b\(index + 1)", name)), on: Library["main"])
    }
  }

  private func renameTwo() throws {
    try store.transaction { transaction in
      try transaction.execute(.rename(id: "b1", to: "The Annals"), on: Library["main"])
      try transaction.execute(.rename(id: "b5", to: "A Satire"), on: Library["main"])
    }
  }

  @Test func `a book that is added stands where its name belongs, and goes again`() throws {
    let screen = try LibraryScreen(store)
    try store.execute(.add(NamedBook("b6", "Fables")), on: Library["main"])
    #expect(screen.tap.takeNotes() == ["will change", "insert [0, 2] Fables", "did change"])
    #expect(screen.table.sections == [.init("", ["Annals", "Eclogues", "Fables", "Georgics", "Odes", "Satires"])])
    try store.execute(.remove(id: "b1"), on: Library["main"])
    #expect(screen.tap.takeNotes() == ["will change", "delete [0, 0] Annals", "did change"])
    #expect(screen.table.sections == screen.list)
    #expect(screen.table.exception == nil)
  }

  @Test func `a new name that keeps the place is an update`() throws {
    let screen = try LibraryScreen(store)
    try store.execute(.rename(id: "b2", to: "Elegies"), on: Library["main"])
    #expect(screen.tap.notes == ["will change", "update [0, 1] Elegies", "did change"])
    #expect(screen.table.sections == screen.list)
  }

  @Test func `two books that change places by their names are no trouble without reported moves`() throws {
    let screen = try LibraryScreen(store)
    try renameTwo()
    #expect(
      screen.tap.notes == [
        "will change", "delete [0, 0] Annals", "delete [0, 4] Satires", "insert [0, 0] A Satire",
        "insert [0, 4] The Annals", "did change",
      ])
    #expect(screen.table.exception == nil)
    #expect(screen.table.sections == [.init("", ["A Satire", "Eclogues", "Georgics", "Odes", "The Annals"])])
    #expect(screen.table.sections == screen.list)
  }

  @Test func `the delegate raises if moves are reported`() throws {
    let screen = try LibraryScreen(store, reportedMoves: .rows)
    try renameTwo()
    #expect(screen.tap.notes.filter { $0.hasPrefix("move") }.count == 2)
    #expect(screen.table.exception == "attempt to reload the table twice in one update cycle")
  }

  @Test func `what a librarian cannot have is refused`() throws {
    let refused: [(LibraryCommand, Library.Refusal)] = [
      (.add(NamedBook("b1", "again")), .alreadyThere("b1")), (.add(NamedBook("x", "")), .nameless),
      (.rename(id: "x", to: "y"), .notThere("x")), (.rename(id: "b1", to: ""), .nameless),
      (.remove(id: "x"), .notThere("x")),
    ]
    for (command, refusal) in refused {
      #expect(throws: refusal) { try store.execute(command, on: Library["main"]) }
    }
    #expect(try store.execute(.rename(id: "b1", to: "Annals"), on: Library["main"]).count == 0)
  }
}
