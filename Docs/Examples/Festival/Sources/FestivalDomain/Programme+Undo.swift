import Annals

extension Programme: EventwiseUndoableDecider {
  public func undoing(_ event: ProgrammeEvent) -> ProgrammeCommand? {
    switch event {
    // Other users might have booked slots on the stage.
    case .stageOpened(let stage): .closeStage(stage.id, ifEmpty: true)
    case .stageRenamed(let id, _): stages[id].map { .renameStage(id, to: $0.name) }
    case .stageClosed(let id): stages[id].map { .openStage($0) }
    case .slotBooked(let slot): .cancel(slot.id)
    case .slotMoved(let id, _, _): slots[id].map { .move(id, to: $0.place) }
    case .slotCancelled(let id): slots[id].map { .book($0) }
    case .volunteerEnlisted(let volunteer): .dismiss(volunteer.id)
    // A forgotten name can't be enlisted again.
    case .volunteerDismissed(let id): volunteers[id].flatMap { $0.name.isErased ? nil : .enlist($0) }
    case .volunteerAssigned(let id, let slot): .release(id, from: slot)
    case .volunteerReleased(let id, let slot): .assign(id, to: slot)
    }
  }
}
