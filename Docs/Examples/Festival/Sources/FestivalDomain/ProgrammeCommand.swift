/// The requests to change the programme.
public enum ProgrammeCommand: Codable, Hashable, Sendable {
  case openStage(Stage), renameStage(Stage.ID, to: String)
  /// Closes a stage and cancels its slots, or refuses a stage with slots if it must be empty.
  case closeStage(Stage.ID, ifEmpty: Bool = false)
  case book(Slot), move(Slot.ID, to: Place), cancel(Slot.ID)
  case enlist(Volunteer), dismiss(Volunteer.ID)
  case assign(Volunteer.ID, to: Slot.ID), release(Volunteer.ID, from: Slot.ID)

  /// The command's name in an Undo menu.
  public var title: String {
    switch self {
    case .openStage: "Open Stage"
    case .renameStage: "Rename Stage"
    case .closeStage: "Close Stage"
    case .book: "Book Slot"
    case .move: "Move Slot"
    case .cancel: "Cancel Slot"
    case .enlist: "Enlist Volunteer"
    case .dismiss: "Dismiss Volunteer"
    case .assign: "Assign Volunteer"
    case .release: "Release Volunteer"
    }
  }
}
