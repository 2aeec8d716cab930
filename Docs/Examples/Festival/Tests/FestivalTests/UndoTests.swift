import Annals
import AnnalsSQLite
import FestivalApp
import FestivalDomain
import Testing

@Suite struct UndoTests {
  @Test func `every user undoes their own commands, even after a restart`() async throws {
    let folder = try Folder()
    let (_, first) = try await Festival.sample(SQLiteEventStore(path: folder.log))
    try await first.execute(.enlist(Volunteer(id: 5, name: "Eva")))
    try await first.execute(.assign(5, to: 1))
    try await first.execute(.closeStage(1))

    let festival = try Festival(path: folder.log)
    let (ann, bob) = (Planner("ann", in: festival), Planner("bob", in: festival))
    let before = try await festival.store.list(of: ProgrammeList(), .programme)
    try await bob.execute(.move(2, to: place(2, 9)))
    #expect(try ann.history.stacks().undo.last?.title == "Close Stage")
    try await ann.history.undo()
    let row = try #require(try await festival.store.list(of: ProgrammeList()).rows.first { $0.id == 1 })
    #expect(row.crew == [5] && row.stageName == "Meadow")
    try await ann.history.redo()
    try await bob.history.undo()
    #expect(try await festival.store.list(of: ProgrammeList(), .programme) == before)
    let error = await #expect(throws: UndoError.self) { try await bob.history.undo() }
    #expect(error?.code == .nothingToUndo)
  }

  @Test func `an undo doesn't cancel other users' slots`() async throws {
    let (festival, ann) = try await Festival.sample()
    try await ann.execute(.openStage(Stage(id: 7, name: "Hill", number: 7)))
    try await Planner("bob", in: festival).execute(.book(slot(7, "Birne", place(7, 1))))
    let error = await #expect(throws: UndoError.self) { try await ann.history.undo() }
    #expect(error?.underlying as? Refusal == .hasSlots(stage: "Hill"))
  }

  @Test func `a forgotten volunteer isn't enlisted by an undo`() async throws {
    let (festival, ann) = try await Festival.sample()
    try await ann.execute(.enlist(Volunteer(id: 5, name: "Eva")))
    try await ann.execute(.dismiss(5))
    _ = try await festival.forget(5)
    let error = await #expect(throws: UndoError.self) { try await ann.history.undo() }
    #expect(error?.code == .irreversible)
  }
}
