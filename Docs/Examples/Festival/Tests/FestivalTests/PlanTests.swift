import Annals
import FestivalApp
import FestivalDomain
import Testing

@MainActor @Suite struct PlanTests {
  @Test func `a plan shows its result and its conflicts, and is one step of undo`() async throws {
    let (festival, ann) = try await Festival.sample()
    let plan = try Plan(by: ann)
    let moves: [ProgrammeCommand] = [
      .move(1, to: place(2, 5)), .move(1, to: place(2, 7)), .move(2, to: place(1, 5)), .move(3, to: place(1, 5.5)),
      .move(3, to: place(nil, 9)),
    ]
    var refusals: [String?] = []
    for move in moves { refusals.append(try await plan.propose(move)) }
    let conflicts = ["Äolus overlaps with Zebra on Tent.", "Apfel overlaps with Zebra on Meadow."]
    #expect(refusals == [conflicts[0], nil, nil, conflicts[1], nil])
    let preview = try await plan.preview()
    #expect(preview.conflicts == conflicts)
    #expect(acts(preview.programme) == ["Tent: Äolus", "Meadow: Zebra", "Unplaced: Apfel"])
    #expect(try await festival.acts() == ["Tent: Zebra", "Meadow: Äolus, Apfel"])

    await #expect(throws: Refusal.overlaps(act: "Äolus", other: "Zebra", stage: "Tent")) { try await plan.carryOut() }
    #expect(try await festival.acts() == ["Tent: Zebra", "Meadow: Äolus, Apfel"])
    try plan.dropConflicts()
    #expect(try await plan.preview().conflicts == [])
    try await plan.carryOut()
    #expect(try await festival.acts() == acts(preview.programme))
    #expect(try ann.history.stacks().undo.last?.title == "Plan")
    try await ann.history.undo()
    #expect(try await festival.acts() == ["Tent: Zebra", "Meadow: Äolus, Apfel"])
  }

  @Test func `a plan follows the log`() async throws {
    let (_, ann) = try await Festival.sample()
    let plan = try Plan(by: ann)
    #expect(try await plan.propose(.move(1, to: place(1, 10))) == nil)
    try await ann.execute(.cancel(1))
    #expect(try await plan.preview().conflicts == ["Slot 1 doesn't exist."])
    try await ann.history.undo()
    #expect(try await plan.preview().conflicts == [])
  }

  @Test func `a list on a plan's draft changes with every proposal`() async throws {
    let (_, ann) = try await Festival.sample()
    let plan = try Plan(by: ann)
    let list = FetchedResultsController(store: plan.draft, projection: ProgrammeList(), request: .programme)
    try await list.performFetch { _ in }
    var batches = list.changes.makeAsyncIterator()
    try await plan.propose(.move(1, to: place(2, 7)))
    #expect(await batches.next() != nil)
    #expect(acts(list.results) == ["Tent: Zebra, Äolus", "Meadow: Apfel"])
  }
}
