import Annals
import FestivalDomain
import Foundation

/// The lists and totals of one user's window.
@MainActor public final class Dashboard {
  public let programme: FetchedResultsController<ProgrammeRow>
  public let days: FetchedResultsController<ProgrammeRow>
  public let volunteers: FetchedResultsController<Volunteer>
  public let tickets: FetchedResultsController<Ticket>
  /// The badge: the slots that other users changed, each with its last author and time.
  public let unseen: FetchedResultsController<UnseenChanges<ProgrammeEvent, Slot.ID>.Row>
  private let planner: Planner
  private let calendar: Calendar

  public init(for planner: Planner, now: Date, calendar: Calendar = .current) {
    let store = planner.store
    let days = ListRequest.days(from: now, in: calendar)
    programme = FetchedResultsController(store: store, projection: ProgrammeList(), request: .programme)
    self.days = FetchedResultsController(store: store, projection: ProgrammeList(), request: days)
    volunteers = FetchedResultsController(store: store, projection: VolunteerList(), request: .volunteers)
    tickets = FetchedResultsController(store: store, projection: TicketList(), request: .tickets)
    unseen = FetchedResultsController(store: store, projection: planner.unseen)
    (self.planner, self.calendar) = (planner, calendar)
  }

  /// Reads all lists, which then follow the log.
  public func load() async throws {
    for list in [programme, days] { try await list.performFetch { _ in } }
    try await volunteers.performFetch { _ in }
    try await tickets.performFetch { _ in }
    try await unseen.performFetch { _ in }
  }

  /// Shows the slots that match a text in the programme, or all slots if the text is empty.
  public func search(_ text: String) async throws {
    try await programme.update { $0.filter = ProgrammeRow.search.filter(text) }
  }

  /// Clears the badge.
  public func look() async throws { try await planner.markSeen(through: unseen.position) }

  /// Groups the list of days anew, for example at midnight.
  public func dayChanged(to now: Date) async throws {
    try await days.update { $0.section = .days(from: now, in: calendar) }
  }

  /// The sum of all fees.
  ///
  /// It is a total of the list of days, because during a search, the programme's totals cover only the matching rows.
  public var fees: Decimal { days.results[ProgrammeRow.fees] }
  /// The income from all tickets.
  public var income: Decimal { tickets.results[Ticket.income] }
}
