import Annals
import AnnalsSQLite
import FestivalApp
import FestivalDomain
import Foundation
import Testing

@MainActor @Suite struct ListTests {
  @Test func `the programme is grouped by stage, with sums of fees`() async throws {
    let (_, ann) = try await Festival.sample()
    let dashboard = Dashboard(for: ann, now: friday, calendar: utc)
    try await dashboard.load()
    try await ann.execute(.book(slot(4, "Birne", place(nil, 0), fee: 0.05)))
    try await ann.execute(.renameStage(2, to: "Big Tent"))
    #expect(acts(dashboard.programme.results) == ["Big Tent: Zebra", "Meadow: Äolus, Apfel", "Unplaced: Birne"])
    #expect(dashboard.programme.sections.map { $0[ProgrammeRow.fees] } == [200.20, 400.40, 0.05])
  }

  @Test func `midnight moves the slots to other sections`() async throws {
    let (_, ann) = try await Festival.sample()
    try await ann.execute(.book(slot(4, "Birne", place(nil, 24))))
    try await ann.execute(.book(slot(5, "Quitte", place(nil, 48))))
    let dashboard = Dashboard(for: ann, now: friday, calendar: utc)
    try await dashboard.load()
    #expect(acts(dashboard.days.results) == ["Today: Zebra, Äolus, Apfel", "Tomorrow: Birne", "Later: Quitte"])
    try await dashboard.dayChanged(to: friday + 24 * 3600)
    #expect(acts(dashboard.days.results) == ["Past: Zebra, Äolus, Apfel", "Today: Birne", "Tomorrow: Quitte"])
  }

  @Test func `volunteers are in German order, and can be forgotten`() async throws {
    let folder = try Folder()
    let (festival, ann) = try await Festival.sample(SQLiteEventStore(path: folder.log))
    for (id, name) in [(1, "Zoe"), (2, "Özlem"), (3, "Anna"), (4, "Ole"), (5, "Äneas")] {
      try await ann.execute(.enlist(Volunteer(id: id, name: name)))
    }
    try await ann.execute(.assign(2, to: 1))
    let dashboard = Dashboard(for: ann, now: friday)
    try await dashboard.load()
    func names() -> [String] {
      dashboard.volunteers.sections.map { "\($0.title): \($0.map { $0.name.value ?? "?" }.joined(separator: ", "))" }
    }
    #expect(names() == ["A: Äneas, Anna", "O: Ole, Özlem", "Z: Zoe"])
    try await dashboard.search("özl")
    #expect(acts(dashboard.programme.results) == ["Meadow: Äolus"])
    #expect(try await festival.forget(2) == nil)
    #expect(names() == ["Forgotten: ?", "A: Äneas, Anna", "O: Ole", "Z: Zoe"])
    #expect(acts(dashboard.programme.results) == [])
    try await dashboard.search("")
    #expect(dashboard.programme.results.row(forID: 1)?.crewNames.map(\.isErased) == [true])
    let bytes = try Data(contentsOf: URL(filePath: folder.log))
    #expect(bytes.range(of: Data("Özlem".utf8)) == nil)
  }

  @Test func `the programme of Friday at 18:00`() async throws {
    let clock = Clock()
    let (festival, ann) = try await Festival.sample(MemoryEventStore(environment: clock.environment))
    clock.set(friday + 7 * 3600)
    try await ann.execute(.closeStage(1))
    #expect(try await acts(festival.programme(at: friday + 6 * 3600)) == ["Tent: Zebra", "Meadow: Äolus, Apfel"])
    #expect(try await acts(festival.programme(at: friday + 8 * 3600)) == ["Tent: Zebra"])
  }
}
