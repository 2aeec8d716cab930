import Annals
import AnnalsSQLite
import FestivalDomain
import Foundation

/// A festival's log.
public struct Festival: Sendable {
  public let store: any EventStore

  /// Opens the log in a file, or creates the file.
  public init(path: String) throws {
    // This throws if two event types could claim the same stored name, before the log contains an event.
    try EventCatalog.declare(ProgrammeEvent.self, TicketEvent.self)
    store = try SQLiteEventStore(path: path)
  }

  /// Uses a log that is already open.
  public init(store: any EventStore) { self.store = store }

  /// Returns the programme as it was at a time, for example on Friday at 18:00.
  public func programme(at time: Date) async throws -> Results<ProgrammeRow> {
    try await store.list(of: ProgrammeList(), .programme, at: store.position(at: time))
  }

  /// Erases a volunteer's name from the log.
  ///
  /// The volunteer stays in the lists, without a name.
  ///
  /// - Returns: The reason why the file still contains bytes of the name, or `nil` if it contains none.
  public func forget(_ volunteer: Volunteer.ID) async throws -> String? {
    try await store.erase(subject: Volunteer.subject(volunteer)).remnants
  }
}
