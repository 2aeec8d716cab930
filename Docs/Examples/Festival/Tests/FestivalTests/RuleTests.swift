import AnnalsTesting
import FestivalDomain
import Testing

@Suite struct RuleTests {
  private let given: [ProgrammeEvent] = [
    .stageOpened(main), .stageOpened(tent), .slotBooked(slot(1, "A", place(1, 0))),
    .volunteerEnlisted(Volunteer(id: 5, name: "Eva")), .volunteerAssigned(id: 5, slot: 1),
  ]

  @Test func `slots of one stage don't overlap`() throws {
    let refusal = Refusal.overlaps(act: "B", other: "A", stage: "Meadow")
    try Programme.given(given).when(.book(slot(2, "B", place(1, 0.5)))).thenRefused(refusal)
    try Programme.given(given).when(.book(slot(2, "B", place(1, 1)))).then(.slotBooked(slot(2, "B", place(1, 1))))
    try Programme.given(given).when(.book(slot(2, "B", place(2, 0)))).then(.slotBooked(slot(2, "B", place(2, 0))))
    try Programme.given(given + [.slotBooked(slot(2, "B", place(2, 0)))]).when(.move(2, to: place(1, 0)))
      .thenRefused(refusal)
    #expect(refusal.localizedDescription == "B overlaps with A on Meadow.")
  }

  @Test func `a slot ends after its start`() throws {
    try Programme.given(given).when(.book(slot(2, "B", place(2, 0, hours: 0))))
      .thenRefused(Refusal.endsTooEarly(act: "B"))
    try Programme.given(given).when(.move(1, to: place(nil, 0, hours: -1))).thenRefused(Refusal.endsTooEarly(act: "A"))
  }

  @Test func `closing a stage cancels its slots`() throws {
    try Programme.given(given).when(.closeStage(1)).then(
      .volunteerReleased(id: 5, slot: 1), .slotCancelled(id: 1), .stageClosed(id: 1))
    try Programme.given(given).when(.closeStage(1, ifEmpty: true)).thenRefused(Refusal.hasSlots(stage: "Meadow"))
    try Programme.given(given).when(.closeStage(2, ifEmpty: true)).then(.stageClosed(id: 2))
  }

  @Test func `a volunteer is at one place at a time`() throws {
    let two = given + [.slotBooked(slot(2, "B", place(2, 0.5)))]
    try Programme.given(two).when(.assign(5, to: 2)).thenRefused(Refusal.isBusy(5, with: "A"))
    try Programme.given(two + [.slotMoved(id: 2, act: "B", to: place(2, 3)), .volunteerAssigned(id: 5, slot: 2)])
      .when(.move(1, to: place(1, 3))).thenRefused(Refusal.isBusy(5, with: "B"))
  }

  @Test func `a volunteer who is dismissed is released first`() throws {
    try Programme.given(given).when(.dismiss(5)).then(.volunteerReleased(id: 5, slot: 1), .volunteerDismissed(id: 5))
  }

  @Test func `commands without an effect have no events`() throws {
    try Programme.given(given).when(.renameStage(1, to: "Hill")).then(.stageRenamed(id: 1, to: "Hill"))
    try Programme.given(given).when(.renameStage(1, to: "Meadow")).then()
    try Programme.given(given).when(.move(1, to: place(1, 0))).then()
    try Programme.given(given).when(.assign(5, to: 1)).then()
    try Programme.given(given + [.volunteerReleased(id: 5, slot: 1)]).when(.release(5, from: 1)).then()
  }

  @Test func `unknown and used ids are refused`() throws {
    try Programme.given(given).when(.openStage(main)).thenRefused(Refusal.stageExists(1))
    try Programme.given(given).when(.book(slot(1, "B", place(2, 0)))).thenRefused(Refusal.slotExists(1))
    try Programme.given(given).when(.enlist(Volunteer(id: 5, name: "Ole"))).thenRefused(Refusal.volunteerExists(5))
    try Programme.given(given).when(.closeStage(3)).thenRefused(Refusal.noStage(3))
    try Programme.given(given).when(.book(slot(2, "B", place(3, 0)))).thenRefused(Refusal.noStage(3))
    try Programme.given(given).when(.cancel(2)).thenRefused(Refusal.noSlot(2))
    try Programme.given(given).when(.assign(6, to: 1)).thenRefused(Refusal.noVolunteer(6))
    try Programme.given(given).when(.dismiss(6)).thenRefused(Refusal.noVolunteer(6))
  }
}
