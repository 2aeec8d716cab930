import Annals
import AnnalsSQLite
import AnnalsTesting
import FestivalApp
import FestivalDomain
import Foundation
import Testing

@Suite struct SchemaTests {
  private let old = [
    NewEvent(type: "ProgrammeStageAdded", payload: #"{"id":1,"name":"Meadow","number":2}"#),
    NewEvent(
      type: "ProgrammeSlotBooked",
      payload: #"{"id":1,"act":"Äolus","stage":1,"start":807818400,"minutes":90,"fee":100.1}"#),
    NewEvent(
      type: "ProgrammeSlotMoved",
      payload: #"{"id":1,"act":"Äolus","start":807796800,"minutes":60}"#),
  ]

  @Test func `events of schema 1 are read as today's events`() throws {
    try ProgrammeEvent.ensureReads(
      old,
      as: [
        .stageOpened(main), .slotBooked(slot(1, "Äolus", place(1, 6, hours: 1.5), fee: 100.1)),
        .slotMoved(id: 1, act: "Äolus", to: place(nil, 0)),
      ])
  }

  @Test func `an old log is opened and continued`() async throws {
    let folder = try Folder()
    try await SQLiteEventStore(path: folder.log).append(Append(old, to: Programme.stream("main")))
    let festival = try Festival(path: folder.log)
    try await Planner("ann", in: festival).execute(.move(1, to: place(1, 6)))
    let list = try await festival.store.list(of: ProgrammeList(), .programme)
    #expect(acts(list) == ["Meadow: Äolus"])
    #expect(list[ProgrammeRow.fees] == 100.1)
  }

  @Test func `every stored form stays readable`() throws {
    let kept = try ProgrammeEvent.ensureKept(
      [
        .stageOpened(main), .stageRenamed(id: 1, to: "Hill"), .stageClosed(id: 1),
        .slotBooked(slot(1, "Äolus", place(1, 6), fee: 100.10)), .slotMoved(id: 1, act: "Äolus", to: place(nil, 0)),
        .slotCancelled(id: 1), .volunteerEnlisted(Volunteer(id: 5, name: "Eva")), .volunteerDismissed(id: 5),
        .volunteerAssigned(id: 5, slot: 1), .volunteerReleased(id: 5, slot: 1),
      ], in: "Fixtures/ProgrammeEvent.jsonl")
    #expect(kept.first?.events == [.stageOpened(main)])
    try TicketEvent.ensureKept(
      [.sold(Ticket(id: "shop-7", kind: "Day", price: 49.90, holder: "Eva"))], in: "Fixtures/TicketEvent.jsonl")
  }
}
