/// What a compaction cuts and replaces.
public struct CompactionPlan {
  /// What becomes of an event.
  public enum Change: Hashable, Sendable {
    /// It is cut.
    case cut
    /// Another event stands in its place.
    ///
    /// The new one has its position, transaction, stream, version, time and metadata. Its identity is the one that the
    /// new event says, as in a copy of another log; without one the store makes it.
    case replaced(by: NewEvent)
  }

  /// The position up to which events were looked at: before it there is no state any more.
  public internal(set) var horizon: Position = 0
  /// What becomes of events, by their positions; all others stay.
  public private(set) var changes = EventChanges()
  /// The streams of these events.
  public private(set) var streams: Set<StreamName> = []
  /// The number of events that are cut.
  public var cutCount: Int { changes.cutCount }
  var leftAlone: [CompactionReceipt.LeftAlone] = []
  /// Tells whether anything that must be equal reads an event.
  private let isRead: (StoredEvent) -> Bool

  init(isRead: @escaping (StoredEvent) -> Bool) { self.isRead = isRead }

  /// The plan of a compaction that was proven on a copy, for the log that has the events.
  ///
  /// A remote store whose log is an ``EventStore`` hands it to ``CompactionTransaction/rewrite(_:)``.
  ///
  /// - Parameters:
  ///   - compaction: What is to be cut and replaced.
  ///   - log: The log inside the transaction.
  /// - Throws: ``EventStoreError``; ``CompactionError``.
  public init(following compaction: RemoteCompaction, in log: any CompactionTransaction) throws {
    try self.init(following: compaction.changes, through: compaction.horizon, in: log)
  }

  /// What is left to be done of changes that were proven elsewhere: an event that is there already is no change.
  init(following changes: EventChanges, through horizon: Position, in log: any CompactionTransaction) throws {
    self.init { _ in true }
    self.horizon = horizon
    func add(_ event: StoredEvent, to plan: inout CompactionPlan) throws {
      guard let change = changes[event.position] else { return }
      if case .replaced(let new) = change, new.id == event.id { return }
      try plan.add(change, to: event)
    }
    if changes.count > horizon.rawValue / 16 {
      try log.forEachEvent(.all, through: horizon) { try add($0, to: &self) }
    } else {
      for (position, _) in changes where position <= horizon {
        let found = try log.events(.all, after: Position(position.rawValue - 1), through: position, limit: 1)
        for event in found { try add(event, to: &self) }
      }
    }
  }

  /// The number of events that are replaced.
  public var replacedCount: Int { changes.count - cutCount }

  /// The same plan with other events in the place of those that it replaces.
  ///
  /// A store that wraps another, and keeps events in another form there, hands the plan on with events of that form.
  ///
  /// - Parameter transform: Makes the event that is to be kept of one that is to stand in an event's place.
  /// - Returns: The plan.
  /// - Throws: What `transform` throws.
  public func mapReplacements(_ transform: (NewEvent) throws -> NewEvent) rethrows -> CompactionPlan {
    var plan = self
    plan.changes = try changes.mapReplacements(transform)
    return plan
  }

  /// Adds what becomes of an event.
  package mutating func add(_ change: Change, to event: StoredEvent) throws {
    guard isRead(event) else {
      throw CompactionError(
        .unproven, event: event,
        "nothing was compacted: event \(event.position) (\(event.type), version \(event.version) of stream "
          + "\"\(event.stream)\") would be cut or replaced, and nothing that must be equal reads it; register with "
          + "prove what does")
    }
    if case .replaced(let new) = change {
      let append = Append([new], to: event.stream)
      try append.validate()
      _ = try append.cutPersonalFields()
    }
    guard changes.add(change, at: event.position) else {
      throw CompactionError(
        .badRule, stream: event.stream,
        "nothing was compacted: two rules change event \(event.position) (\(event.type), stream \"\(event.stream)\"); "
          + "let one rule have all events of its type")
    }
    streams.insert(event.stream)
  }

  /// Adds a stream that is left as it is.
  package mutating func leaveAlone(_ event: StoredEvent, because reason: any Error) {
    leftAlone.append(.init(stream: event.stream, position: event.position, reason: "\(reason)"))
  }
}
