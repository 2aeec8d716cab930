import Foundation

/// The reasons for refusing a command, as sentences for the user.
public enum Refusal: LocalizedError, Hashable {
  case stageExists(Stage.ID), noStage(Stage.ID), hasSlots(stage: String)
  case slotExists(Slot.ID), noSlot(Slot.ID)
  case endsTooEarly(act: String), overlaps(act: String, other: String, stage: String)
  case volunteerExists(Volunteer.ID), noVolunteer(Volunteer.ID), isBusy(Volunteer.ID, with: String)

  public var errorDescription: String? {
    switch self {
    case .stageExists(let id): "There is already a stage \(id)."
    case .noStage(let id): "There is no stage \(id)."
    case .hasSlots(let stage): "\(stage) has slots."
    case .slotExists(let id): "There is already a slot \(id)."
    case .noSlot(let id): "There is no slot \(id)."
    case .endsTooEarly(let act): "The slot of \(act) must end after its start."
    case .overlaps(let act, let other, let stage): "\(act) overlaps with \(other) on \(stage)."
    case .volunteerExists(let id): "There is already a volunteer \(id)."
    case .noVolunteer(let id): "There is no volunteer \(id)."
    case .isBusy(let id, let act): "Volunteer \(id) is busy with \(act) at this time."
    }
  }
}
