import Annals

/// The rules of one festival's programme.
///
/// - Two slots on one stage never overlap.
/// - A volunteer is never assigned to two slots at one time.
/// - Closing a stage cancels its slots, and cancelling a slot releases its volunteers.
public struct Programme: Decider, Equatable {
  /// The stream of the festival's only programme.
  public static var main: CommandSubject<Programme> { Programme["main"] }

  public private(set) var stages: [Stage.ID: Stage] = [:]
  public private(set) var slots: [Slot.ID: Slot] = [:]
  private(set) var volunteers: [Volunteer.ID: Volunteer] = [:]
  private var crews: [Slot.ID: Set<Volunteer.ID>] = [:]

  public init() {}

  public func decide(_ command: ProgrammeCommand) throws(Refusal) -> [ProgrammeEvent] {
    switch command {
    case .openStage(let stage):
      guard stages[stage.id] == nil else { throw .stageExists(stage.id) }
      return [.stageOpened(stage)]
    case .renameStage(let id, let name):
      return try stage(id).name == name ? [] : [.stageRenamed(id: id, to: name)]
    case .closeStage(let id, let ifEmpty):
      let stage = try stage(id)
      let closing = slots.values.filter { $0.place.stage == id }.map(\.id).sorted()
      guard closing.isEmpty || !ifEmpty else { throw .hasSlots(stage: stage.name) }
      return closing.flatMap(cancelling) + [.stageClosed(id: id)]
    case .book(let slot):
      guard slots[slot.id] == nil else { throw .slotExists(slot.id) }
      try ensurePlace(slot)
      return [.slotBooked(slot)]
    case .move(let id, let place):
      var slot = try slot(id)
      guard slot.place != place else { return [] }
      slot.place = place
      try ensurePlace(slot)
      return [.slotMoved(id: id, act: slot.act, to: place)]
    case .cancel(let id):
      return cancelling(try slot(id).id)
    case .enlist(let volunteer):
      guard volunteers[volunteer.id] == nil else { throw .volunteerExists(volunteer.id) }
      return [.volunteerEnlisted(volunteer)]
    case .dismiss(let id):
      guard volunteers[id] != nil else { throw .noVolunteer(id) }
      return shifts(of: id).map { .volunteerReleased(id: id, slot: $0.id) } + [.volunteerDismissed(id: id)]
    case .assign(let id, let slotID):
      let slot = try slot(slotID)
      guard volunteers[id] != nil else { throw .noVolunteer(id) }
      if crew(of: slotID).contains(id) { return [] }
      try ensureFree(id, for: slot)
      return [.volunteerAssigned(id: id, slot: slotID)]
    case .release(let id, let slotID):
      return crew(of: slotID).contains(id) ? [.volunteerReleased(id: id, slot: slotID)] : []
    }
  }

  public mutating func evolve(_ event: ProgrammeEvent) {
    switch event {
    case .stageOpened(let stage): stages[stage.id] = stage
    case .stageRenamed(let id, let name): stages[id]?.name = name
    case .stageClosed(let id): stages[id] = nil
    case .slotBooked(let slot): slots[slot.id] = slot
    case .slotMoved(let id, _, let place): slots[id]?.place = place
    case .slotCancelled(let id): slots[id] = nil
    case .volunteerEnlisted(let volunteer): volunteers[volunteer.id] = volunteer
    case .volunteerDismissed(let id): volunteers[id] = nil
    case .volunteerAssigned(let id, let slot): crews[slot, default: []].insert(id)
    case .volunteerReleased(let id, let slot):
      crews[slot]?.remove(id)
      if crews[slot]?.isEmpty == true { crews[slot] = nil }
    }
  }
}

extension Programme {
  private func stage(_ id: Stage.ID) throws(Refusal) -> Stage {
    guard let stage = stages[id] else { throw .noStage(id) }
    return stage
  }

  private func slot(_ id: Slot.ID) throws(Refusal) -> Slot {
    guard let slot = slots[id] else { throw .noSlot(id) }
    return slot
  }

  private func crew(of slot: Slot.ID) -> [Volunteer.ID] { crews[slot, default: []].sorted() }

  private func shifts(of volunteer: Volunteer.ID) -> [Slot] {
    slots.values.filter { crews[$0.id]?.contains(volunteer) == true }.sorted { $0.id < $1.id }
  }

  private func cancelling(_ slot: Slot.ID) -> [ProgrammeEvent] {
    crew(of: slot).map { .volunteerReleased(id: $0, slot: slot) } + [.slotCancelled(id: slot)]
  }

  /// Refuses a place that doesn't exist, is taken, or keeps a volunteer of the slot from being elsewhere.
  private func ensurePlace(_ slot: Slot) throws(Refusal) {
    guard slot.place.start < slot.place.end else { throw .endsTooEarly(act: slot.act) }
    if let id = slot.place.stage {
      let stage = try stage(id)
      let others = slots.values.filter { $0.id != slot.id && $0.place.collides(with: slot.place) }
      if let other = others.min(by: { $0.id < $1.id }) {
        throw .overlaps(act: slot.act, other: other.act, stage: stage.name)
      }
    }
    for volunteer in crew(of: slot.id) { try ensureFree(volunteer, for: slot) }
  }

  private func ensureFree(_ volunteer: Volunteer.ID, for slot: Slot) throws(Refusal) {
    if let other = shifts(of: volunteer).first(where: { $0.id != slot.id && $0.place.isDuring(slot.place) }) {
      throw .isBusy(volunteer, with: other.act)
    }
  }
}
