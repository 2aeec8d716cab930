#if Postgres
  import Annals
  import AnnalsRemote

  /// The events of notes, in the older and the newer version of a service.
  protocol NoteEvent: Event {
    /// The number of the command that appended the event.
    var number: Int { get }

    /// Returns the event of a command.
    ///
    /// - Parameters:
    ///   - number: The command's number.
    ///   - isMixed: True if the newer version appends its new event.
    /// - Returns: The event.
    static func made(_ number: Int, isMixed: Bool) -> Self
  }

  enum OlderNote: NoteEvent {
    static let typePrefix = "Note"

    case written(number: Int)

    var number: Int {
      switch self {
      case .written(let number): number
      }
    }

    static func made(_ number: Int, isMixed: Bool) -> OlderNote { .written(number: number) }
  }

  enum NewerNote: NoteEvent {
    static let typePrefix = "Note"
    /// The stored name of the event that the older version doesn't know.
    static let unknownName = "NoteWithdrawn"

    case written(number: Int)
    case withdrawn(number: Int)

    var number: Int {
      switch self {
      case .written(let number), .withdrawn(let number): number
      }
    }

    static func made(_ number: Int, isMixed: Bool) -> NewerNote {
      isMixed ? .withdrawn(number: number) : .written(number: number)
    }
  }

  struct NoteCommand: Codable {
    let number: Int

    var isMixed: Bool { number.isMultiple(of: 4) }
    /// The newer version appends its new event only to mixed streams.
    var stream: String { "\(isMixed ? "mixed" : "plain")-\(number % 16)" }
  }

  struct Notes<Event: NoteEvent>: Decider {
    // Both versions have the same streams.
    static var category: String { "Notes" }

    var count = 0
    func decide(_ command: NoteCommand) -> [Event] { [.made(command.number, isMixed: command.isMixed)] }
    mutating func evolve(_ event: Event) { count += 1 }
  }

  /// A row for every event with the number of a command.
  struct FaultRow: Row {
    let id: Int
  }

  struct NoteRows<Event: NoteEvent>: Projection {
    func project(_ event: Event, into rows: inout Rows<FaultRow>) { rows.insert(FaultRow(id: event.number)) }
  }

  struct ParcelRows: Projection {
    func project(_ event: Processes.Parcel, into rows: inout Rows<FaultRow>) {
      switch event {
      case .sent(let number): rows.insert(FaultRow(id: number))
      }
    }
  }

  /// The lists of a service's instance: one of notes, and one that doesn't need the notes.
  actor FaultLists<Note: NoteEvent> {
    nonisolated let notes = ListFeed<FaultRow>()
    nonisolated let parcels = ListFeed<FaultRow>()
    private var observations: [ChangeObservation] = []

    func load(_ log: any EventStore) async throws {
      let notes = FetchedResultsController(store: log, projection: NoteRows<Note>())
      try await notes.performFetch { _ in }
      let parcels = FetchedResultsController(store: log, projection: ParcelRows())
      try await parcels.performFetch { _ in }
      observations = [self.notes.follow(notes), self.parcels.follow(parcels)]
    }

    /// Writes the error of the list of notes, and the positions of the other list, until the task is cancelled.
    nonisolated func observe(_ journal: FaultJournal) async {
      var (position, isStopped): (Position, Bool) = (0, false)
      while !Task.isCancelled {
        if let failure = notes.failure, !isStopped {
          isStopped = true
          journal.note(.error, "list", FaultLoad.code(of: failure))
        }
        if let latest = parcels.latest, latest.position > position {
          position = latest.position
          journal.note(.listed, position)
        }
        try? await Task.sleep(for: .milliseconds(50))
      }
    }

    /// Returns the number of rows that differ from the events of the log.
    ///
    /// The list of notes ends at the log's end, or before the first event that it doesn't know.
    nonisolated func differences(from events: [StoredEvent]) async -> Int {
      let end = Position(events.count)
      let unknown = notes.failure == nil ? nil : events.first { $0.type == NewerNote.unknownName }
      let last = unknown.map { Position($0.position.rawValue - 1) } ?? end
      var differences = 0
      for (feed, prefix, last) in [(notes, Note.typePrefix, last), (parcels, Processes.Parcel.typePrefix, end)] {
        guard await feed.wait(for: last, limit: .seconds(60)), let list = feed.latest, list.position == last else {
          differences += 1
          continue
        }
        let numbers = events.prefix(last.rawValue).filter { $0.type.hasPrefix(prefix) }.map(FaultCounts.number(of:))
        differences += Set(numbers).symmetricDifference(list.rows.map(\.id)).count
      }
      return differences
    }
  }
#endif
