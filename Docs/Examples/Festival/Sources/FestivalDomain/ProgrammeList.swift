import Annals
import Foundation

/// A row of the programme: a slot with the names of its stage and its volunteers.
public struct ProgrammeRow: Row, Hashable {
  public let id: Slot.ID
  public var act: String
  public var place: Place
  public var fee: Decimal
  /// The volunteers, sorted, so that a volunteer who is released and assigned once more has the same place as before.
  public internal(set) var crew: [Volunteer.ID] = []
  public internal(set) var stageName = ""
  public internal(set) var crewNames: [Personal<String>] = []

  init(_ slot: Slot) {
    (id, act, place, fee) = (slot.id, slot.act, slot.place, slot.fee)
  }

  /// The search in the programme.
  public static let search = TextSearch<ProgrammeRow>(.wordBeginnings, in: \.act, \.stageName, \.crewNames)
  /// The sum of the fees.
  public static let fees = Aggregate<ProgrammeRow>.sum(\.fee)
}

/// The slots of the programme.
public struct ProgrammeList: Projection {
  public static let relations: [Relation<ProgrammeRow>] = [
    .to(Stage.self, by: \.place.stage) { row, stage in row.stageName = stage?.name ?? "" },
    .toEach(Volunteer.self, by: \.crew) { row, volunteers in row.crewNames = volunteers.map(\.name) },
  ]

  public init() {}

  public func project(_ event: ProgrammeEvent, into rows: inout Rows<ProgrammeRow>) throws {
    rows.renameSection(nil, of: \.place.stage, to: "Unplaced")
    switch event {
    case .stageOpened(let stage):
      rows.relate(stage)
      rows.renameSection(stage.id, of: \.place.stage, to: stage.name)
      rows.numberSection(stage.id, of: \.place.stage, to: Double(stage.number))
    case .stageRenamed(let id, let name):
      rows[Stage.self, id]?.name = name
      rows.renameSection(id, of: \.place.stage, to: name)
    case .stageClosed(let id): rows[Stage.self, id] = nil
    case .slotBooked(let slot): try rows.add(ProgrammeRow(slot))
    case .slotMoved(let id, _, let place): try rows.change(id) { $0.place = place }
    case .slotCancelled(let id): rows[id] = nil
    case .volunteerEnlisted(let volunteer): rows.relate(volunteer)
    case .volunteerDismissed(let id): rows[Volunteer.self, id] = nil
    case .volunteerAssigned(let id, let slot): try rows.change(slot) { $0.crew = ($0.crew + [id]).sorted() }
    case .volunteerReleased(let id, let slot): try rows.change(slot) { row in row.crew.removeAll { $0 == id } }
    }
  }
}

extension ListRequest<ProgrammeRow> {
  /// The programme by stage, in the order of the stages' numbers.
  public static var programme: ListRequest {
    ListRequest(
      sort: [.ascending(\.place.start), .ascending(\.act)], section: .by(\.place.stage, order: .byNumber),
      aggregates: [.count, ProgrammeRow.fees], searchIndex: ProgrammeRow.search)
  }

  /// The programme by day, as it is on the day of a given time.
  public static func days(from now: Date, in calendar: Calendar) -> ListRequest {
    ListRequest(
      sort: [.ascending(\.place.start), .ascending(\.act)], section: .days(from: now, in: calendar),
      aggregates: [.count, ProgrammeRow.fees])
  }
}

extension Sectioning<ProgrammeRow> {
  /// The sections "Past", "Today", "Tomorrow" and "Later".
  ///
  /// The rule's name contains the day, so a list that gets the rule of the next day groups its rows anew.
  public static func days(from now: Date, in calendar: Calendar) -> Sectioning {
    let today = calendar.startOfDay(for: now)
    return .by(
      "days from \(today) in \(calendar.timeZone)", order: .inOrder(of: ["Past", "Today", "Tomorrow", "Later"])
    ) { row in
      switch calendar.dateComponents([.day], from: today, to: calendar.startOfDay(for: row.place.start)).day ?? 0 {
      case ..<0: "Past"
      case 0: "Today"
      case 1: "Tomorrow"
      default: "Later"
      }
    }
  }
}
