import Annals
import AnnalsSamples
import Foundation
import Testing

@Suite struct StaffTests {
  private let store = MemoryEventStore()

  init() throws {
    try hire("e1", "Ada", 1.65, "1")
    try hire("e2", "Ben", 1.8, "1")
    try hire("e3", "Cho", 1.72, "2")
  }

  private func hire(_ id: String, _ name: String, _ height: Double, _ section: String) throws {
    try execute(
      .hire(Employee(id, name, height: height, birthday: Date(timeIntervalSince1970: 0), section: section)))
  }

  private func execute(_ command: StaffCommand) throws { try store.execute(command, on: Staff["main"]) }

  @Test func `more data comes, with its section`() throws {
    let screen = try StaffScreen(store)
    try hire("e4", "Dov", 1.9, "3")
    #expect(
      screen.tap.takeNotes() == [
        "will change", "insert section 2 3", "insert [2, 0] Dov, 1.9 m, born 1970-01-01", "did change",
      ])
    #expect(screen.table.exception == nil)
    #expect(screen.table.sections == screen.list)
    #expect(screen.list.map(\.title) == ["1", "2", "3"])
  }

  @Test func `a row that is deleted through the list takes an emptied section with it`() throws {
    let screen = try StaffScreen(store)
    try screen.delete(at: IndexPath(RowPath(section: 1, row: 0)))
    #expect(
      screen.tap.takeNotes() == [
        "will change", "delete section 1 2", "delete [1, 0] Cho, 1.72 m, born 1970-01-01", "did change",
      ])
    try screen.delete(at: IndexPath(RowPath(section: 0, row: 0)))
    #expect(screen.table.exception == nil)
    #expect(screen.table.sections == [.init("1", ["Ben, 1.8 m, born 1970-01-01"])])
  }

  @Test func `renaming a section is one section change, and the header follows`() throws {
    let screen = try StaffScreen(store)
    try execute(.renameSection("1", to: "Workshop"))
    #expect(screen.tap.takeNotes() == ["will change", "update section 0 Workshop", "did change"])
    #expect(screen.table.sections[0].title == "Workshop")
    #expect(screen.table.sections == screen.list)
  }

  @Test func `an update sets the cell from the row at its path`() throws {
    let screen = try StaffScreen(store)
    try store.transaction { transaction in
      try transaction.execute(.measure(id: "e2", height: 1.81), on: Staff["main"])
      try transaction.execute(.dismiss(id: "e1"), on: Staff["main"])
    }
    #expect(screen.tap.takeNotes().contains("update [0, 0] Ben, 1.81 m, born 1970-01-01"))
    #expect(screen.table.sections == screen.list)
  }

  @Test func `an employee who goes to another section is moved, and the delegate deletes and inserts`() throws {
    try hire("e4", "Dov", 1.9, "2")
    let screen = try StaffScreen(store)
    try execute(.transfer(id: "e1", section: "2"))
    #expect(screen.tap.takeNotes().contains("move [0, 0] → [1, 0] Ada, 1.65 m, born 1970-01-01"))
    #expect(screen.table.exception == nil)
    #expect(screen.table.sections == screen.list)
  }

  @Test func `the delegate's index titles are in the list's index`() throws {
    let screen = try StaffScreen(store)
    #expect(screen.controller.sectionIndexTitles == ["sectionName 1", "sectionName 2"])
    #expect(screen.controller.section(forSectionIndexTitle: "sectionName 2", at: 1) == 1)
    #expect(screen.controller.sectionIndexTitle(forSectionName: "x") == "sectionName x")
    screen.controller.delegate = nil
    #expect(screen.controller.sectionIndexTitles == ["1", "2"])
  }

  @Test func `every row leads to its index path and back`() throws {
    let controller = try StaffScreen(store).controller
    var paths: [IndexPath] = []
    for row in controller.fetchedObjects {
      let path = try #require(controller.indexPath(forObject: row))
      #expect(controller.object(at: path) == row)
      #expect(controller.indexPath(forID: row.id) == path)
      paths.append(path)
    }
    #expect(
      paths == [
        IndexPath(RowPath(section: 0, row: 0)), IndexPath(RowPath(section: 0, row: 1)),
        IndexPath(RowPath(section: 1, row: 0)),
      ])
    #expect(controller.indexPath(forID: "nobody") == nil)
  }

  @Test func `what a personnel office cannot have is refused`() throws {
    let refused: [(StaffCommand, Staff.Refusal)] = [
      (.measure(id: "n", height: 1), .notThere("n")), (.measure(id: "e1", height: 4), .unlikelyHeight(4)),
      (.transfer(id: "n", section: "1"), .notThere("n")), (.renameSection("1", to: ""), .nameless),
      (.dismiss(id: "n"), .notThere("n")),
    ]
    for (command, refusal) in refused { #expect(throws: refusal) { try execute(command) } }
    #expect(throws: Staff.Refusal.alreadyThere("e1")) { try hire("e1", "again", 1.5, "1") }
    #expect(throws: Staff.Refusal.nameless) { try hire("n", "", 1.5, "1") }
  }
}
