import Foundation

/// The reasons for refusing a command, as sentences for the user.
public enum Refusal: LocalizedError, Hashable {
  case stageExists(Stage.ID), noStage(Stage.ID), hasSlots(stage: String)
  case slotExists(Slot.ID), noSlot(Slot.ID)
  case endsTooEarly(act: String), overlaps(act: String, other: String, stage: String)
  case volunteerExists(Volunteer.ID), noVolunteer(Volunteer.ID), isBusy(Volunteer.ID, with: String)

  public var errorDescription: String? {
    switch self {
    case .stageExists(let id): "Stage \(id) already exists."
    case .noStage(let id): "Stage \(id) doesn't exist."
    case .hasSlots(let stage): "\(stage) has slots."
    case .slotExists(let id): "Slot \(id) already exists."
    case .noSlot(let id): "Slot \(id) doesn't exist."
    case .endsTooEarly(let act): "The slot of \(act) must end after its start."
    case .overlaps(let act, let other, let stage): "\(act) overlaps with \(other) on \(stage)."
    case .volunteerExists(let id): "Volunteer \(id) already exists."
    case .noVolunteer(let id): "Volunteer \(id) doesn't exist."
    case .isBusy(let id, let act): "Volunteer \(id) is busy with \(act) at this time."
    }
  }
}
