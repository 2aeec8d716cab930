import Annals

/// The volunteers of the festival.
public struct VolunteerList: Projection {
  /// The name of the rule that groups the volunteers, so that ``project(_:into:)`` can give a section a title.
  static let initial = "initial"

  public init() {}

  public func project(_ event: ProgrammeEvent, into rows: inout Rows<Volunteer>) throws {
    rows.renameSection(.null, of: Self.initial, to: "Forgotten")
    switch event {
    case .volunteerEnlisted(let volunteer): try rows.add(volunteer)
    case .volunteerDismissed(let id): rows[id] = nil
    case .stageOpened, .stageRenamed, .stageClosed, .slotBooked, .slotMoved, .slotCancelled, .volunteerAssigned,
      .volunteerReleased:
      break
    }
  }
}

extension ListRequest<Volunteer> {
  /// The volunteers by the first letters of their names.
  public static var volunteers: ListRequest {
    ListRequest(
      sort: [.ascending(\.name, in: .german)],
      section: .byInitial(VolunteerList.initial, in: .german) { $0.name.value }, aggregates: [.count])
  }
}
