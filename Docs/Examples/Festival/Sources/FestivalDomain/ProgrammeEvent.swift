import Annals
import Foundation

/// The facts about the programme: stages, slots and volunteers.
///
/// In schema 1, stages were "added", and a slot had a length in minutes instead of an end. The upcasters convert the
/// payloads of such events, so logs of the first version stay readable.
public enum ProgrammeEvent: Event, Hashable {
  case stageOpened(Stage)
  case stageRenamed(id: Stage.ID, to: String)
  case stageClosed(id: Stage.ID)
  case slotBooked(Slot)
  case slotMoved(id: Slot.ID, act: String, to: Place)
  case slotCancelled(id: Slot.ID)
  case volunteerEnlisted(Volunteer)
  case volunteerDismissed(id: Volunteer.ID)
  case volunteerAssigned(id: Volunteer.ID, slot: Slot.ID)
  case volunteerReleased(id: Volunteer.ID, slot: Slot.ID)

  public static let schema = 2
  public static let formerNames = ["ProgrammeStageAdded": "ProgrammeStageOpened"]
  public static let upcasters: [Upcaster] = [
    .changed("ProgrammeSlotBooked", from: 1, to: 2) { slot in try moveTimes(of: &slot, into: "place") },
    .changed("ProgrammeSlotMoved", from: 1, to: 2) { move in try moveTimes(of: &move, into: "to") },
  ]

  /// The slot that the event changes, or `nil` if it changes no slot.
  public var slot: Slot.ID? {
    switch self {
    case .slotBooked(let slot): slot.id
    case .slotMoved(let id, _, _), .slotCancelled(let id): id
    case .volunteerAssigned(_, let slot), .volunteerReleased(_, let slot): slot
    case .stageOpened, .stageRenamed, .stageClosed, .volunteerEnlisted, .volunteerDismissed: nil
    }
  }
}

extension ProgrammeEvent {
  /// Replaces the stage, the start and the minutes in a payload of schema 1 by a place.
  private static func moveTimes(of payload: inout JSONValue, into member: String) throws {
    let old = try payload.decoded(as: FirstPlace.self)
    for name in ["stage", "start", "minutes"] { payload[name] = nil }
    payload[member] = try JSONValue(
      encoding: Place(stage: old.stage, start: old.start, end: old.start + 60 * old.minutes))
  }

  /// The members of a place in schema 1.
  private struct FirstPlace: Decodable {
    var stage: Stage.ID?
    var start: Date
    var minutes: Double
  }
}
