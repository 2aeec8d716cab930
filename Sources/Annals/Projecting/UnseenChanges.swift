public import AnnalsLists
public import AnnalsLog
public import Foundation

/// A projection that collects, for one person, the unseen changes to a list, for example for a badge.
///
/// Every row is an item with unseen changes. So a controller's `rowCount` is the number to show in the badge, and a
/// view that reads `rowCount` is redrawn when the number changes. A commit updates only the rows that its events
/// affect:
///
///     let unseen = FetchedResultsController(
///       store: store,
///       projection: UnseenChanges("programme", by: "bob") { (recorded: Recorded<ProgrammeEvent>) in
///         recorded.author == "bob" ? nil : recorded.event.slot
///       })
///     try unseen.performFetch()
///     print(unseen.rowCount, "changed slots")
///     try store.markSeen("programme", by: "bob", through: unseen.position)
///
/// The method `markSeen` appends an event (``SeenEvent``) to the log. So the badge disappears on all devices and in all
/// processes that read the log, and `seek` shows a former badge. To avoid applying the whole log at every start, give
/// the controller a ``FetchedResultsController/cacheName``.
public struct UnseenChanges<Change: Annals.Event, ID: OrderedValue & Codable>: Projection {
  /// The events that change the list, and the events that record how far a person has seen the list.
  public typealias Event = EventUnion2<Change, SeenEvent>

  /// An item with its unseen changes.
  public struct Row: AnnalsLists.Row, Hashable {
    /// The item's id.
    public let id: ID
    /// The positions of the events that changed the item, in the order of the log, never empty.
    public internal(set) var positions: [Position]
    /// The author of the event at the last of the ``positions``, or `nil` if this event has no author.
    public internal(set) var author: String?
    /// The time of the event at the last of the ``positions``.
    public internal(set) var time: Date
  }

  private let list: String
  private let person: String
  private let item: @Sendable (Recorded<Change>) -> ID?

  /// Creates a projection for a list and a person.
  ///
  /// - Parameters:
  ///   - list: The name of the list, as in `markSeen`.
  ///   - person: The person who sees the list, usually the author in the metadata of the person's own commands.
  ///   - item: A closure that returns the id of the item that an event changes. It returns `nil` for an event without
  ///     an item, and for the person's own changes.
  public init(_ list: String, by person: String, item: @escaping @Sendable (Recorded<Change>) -> ID?) {
    (self.list, self.person, self.item) = (list, person, item)
  }

  /// A string with the names of the list and of the person, which identify this projection.
  public var identity: String? { SeenMark.id(list, person) }

  /// Adds an event's change to the row of its item, or removes the changes that the person has now seen.
  public func project(_ recorded: Recorded<Event>, into rows: inout Rows<Row>) {
    switch recorded.event {
    case .first(let change):
      guard let id = item(recorded.with(change)) else { return }
      if rows[id] == nil {
        rows.insert(Row(id: id, positions: [recorded.position], author: recorded.author, time: recorded.time))
      } else {
        rows.update(id) { row in
          row.positions.append(recorded.position)
          (row.author, row.time) = (recorded.author, recorded.time)
        }
      }
    case .second(.seen(let list, let person, let through)):
      guard list == self.list, person == self.person else { return }
      for row in rows.all where row.positions[0] <= through {
        let rest = row.positions.filter { $0 > through }
        if rest.isEmpty { rows[row.id] = nil } else { rows[row.id]?.positions = rest }
      }
    }
  }
}

/// The events that record how far a person has seen a list.
public enum SeenEvent: Annals.Event {
  /// The prefix of the stored name `AnnalsListSeen`.
  public static let typePrefix = "AnnalsList"

  /// A person has seen a list through a position.
  case seen(list: String, person: String, through: Position)
}

/// The mark of a person and a list, which only moves forward.
private struct SeenMark: Decider {
  static let category = "AnnalsSeen"

  /// Returns the id of a list and a person.
  ///
  /// The length keeps two pairs of names from having the same id.
  static func id(_ list: String, _ person: String) -> String { "\(list.utf8.count) \(list)\(person)" }

  private var through: Position = 0

  func decide(_ command: SeenEvent) -> [SeenEvent] {
    guard case .seen(_, _, let position) = command, position > through else { return [] }
    return [command]
  }

  mutating func evolve(_ event: SeenEvent) {
    if case .seen(_, _, let position) = event { through = position }
  }
}

extension EventStore {
  /// Records that a person has seen a list through a position, so that the ``UnseenChanges`` through this
  /// position disappear.
  ///
  /// - Parameters:
  ///   - list: The name of the list.
  ///   - person: The person.
  ///   - position: The position through which the person has seen the list's changes, for example
  ///     ``FetchedResultsController/position``.
  /// - Returns: True if an event was appended, or false if the log already records that the person has seen the list
  ///   through this position.
  /// - Throws: `EventStoreError`, with the code `notFound` if the log has no such position.
  @discardableResult
  public func markSeen(_ list: String, by person: String, through position: Position) throws -> Bool {
    let (command, mark) = try seen(list, person, position)
    return try execute(command, on: mark).count > 0
  }

  /// Records that a person has seen a list through a position, without blocking a thread.
  ///
  /// - Parameters:
  ///   - list: The name of the list.
  ///   - person: The person.
  ///   - position: The position through which the person has seen the list's changes.
  ///   - isolation: The caller's isolation, which is the default.
  /// - Returns: True if an event was appended, or false if the log already records that the person has seen the list
  ///   through this position.
  /// - Throws: `EventStoreError`, with the code `notFound` if the log has no such position.
  @discardableResult
  public func markSeen(
    _ list: String, by person: String, through position: Position, isolation: isolated (any Actor)? = #isolation
  ) async throws -> Bool {
    let (command, mark) = try seen(list, person, position)
    return try await execute(command, on: mark).count > 0
  }

  private func seen(
    _ list: String, _ person: String, _ position: Position
  ) throws -> (SeenEvent, CommandSubject<SeenMark>) {
    let head = try head()
    guard position >= 0, position <= head else {
      throw EventStoreError(
        .notFound,
        "the position through which \(person) has seen the list \"\(list)\" must be from 0 to \(head), the end of the "
          + "log (was \(position))")
    }
    return (.seen(list: list, person: person, through: position), SeenMark[SeenMark.id(list, person)])
  }
}
