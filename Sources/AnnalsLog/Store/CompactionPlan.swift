/// The changes that a compaction makes to a log's events.
public struct CompactionPlan {
  /// A change to an event.
  public enum Change: Hashable, Sendable {
    /// Removes the event.
    case cut
    /// Replaces the event with a new event.
    ///
    /// The stored event keeps the old event's position, transaction, stream, version, time and metadata. Its new
    /// identity is the `NewEvent`'s identity. If the `NewEvent` has no identity, the store creates an identity.
    case replaced(by: NewEvent)
  }

  /// The position through which the log is compacted.
  ///
  /// After the compaction, the log's states before this position can no longer be computed, except for the empty state
  /// at position 0.
  public package(set) var horizon: Position = 0
  /// The removed and replaced events, by position.
  ///
  /// All other events are kept.
  public private(set) var changes = CompactionEdits()
  /// The streams that contain the removed and replaced events.
  public private(set) var streams: Set<StreamName> = []
  /// The streams that are removed as a whole, and that can be recreated afterwards.
  ///
  /// All events of these streams are among the ``changes``. A store also resets these streams' versions to 0, and
  /// changes its command receipts with ``receipt(replacing:)``. In addition, the store deletes the pages of saved lists
  /// immediately, because the pages contain data of the removed streams. After other compactions, the store can keep
  /// these pages for programs that still read them.
  public private(set) var removedStreams: Set<StreamName> = []
  /// The number of events that are removed.
  public var cutCount: Int { changes.cutCount }
  package var leftAlone: [CompactionReceipt.LeftAlone] = []
  /// A closure that returns whether any registered state reads an event.
  private let isRead: (StoredEvent) -> Bool

  package init(isRead: @escaping (StoredEvent) -> Bool) { self.isRead = isRead }

  /// Creates a plan from changes that were proven on another store.
  ///
  /// The plan omits replacements that the log already contains.
  package init(following changes: CompactionEdits, through horizon: Position, in log: any CompactionTransaction) throws
  {
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

  /// Returns a copy of the plan in which every replacement event is transformed.
  ///
  /// Call this method in a store that wraps another store and converts events, for example by encrypting the payloads.
  /// Such a store must also convert a plan's replacement events before it passes the plan to the other store.
  ///
  /// - Parameter transform: A closure that returns the stored form of a replacement event.
  /// - Returns: The transformed plan.
  /// - Throws: The error of `transform`.
  public func mapReplacements(_ transform: (NewEvent) throws -> NewEvent) rethrows -> CompactionPlan {
    var plan = self
    plan.changes = try changes.mapReplacements(transform)
    return plan
  }

  /// Returns the form in which a command's receipt is stored after the streams of ``removedStreams`` were removed.
  ///
  /// The receipt no longer contains the versions of removed streams. If the command used only removed streams, or if
  /// all its events are removed with the streams, the receipt is deleted, so the command id can be reused.
  ///
  /// - Parameter receipt: The stored receipt.
  /// - Returns: The receipt to store, or `nil` if the store must delete the receipt. If the command used none of the
  ///   streams, the result is the unchanged receipt.
  /// - Complexity: O(n) for n events of a command that used a removed stream.
  public func receipt(replacing receipt: Receipt) -> Receipt? {
    let versions = receipt.versions.filter { !removedStreams.contains($0.key) }
    if versions.count == receipt.versions.count { return receipt }
    let positions = receipt.position.rawValue - receipt.count..<receipt.position.rawValue
    // An earlier compaction might have removed the events of a command that used only removed streams.
    if versions.isEmpty || !positions.isEmpty && positions.allSatisfy({ changes[Position($0 + 1)] == .cut }) {
      return nil
    }
    return Receipt(
      position: receipt.position, count: receipt.count, transaction: receipt.transaction, versions: versions,
      isRepeated: receipt.isRepeated, durability: receipt.durability, use: receipt.use)
  }

  /// Adds an event of a stream whose events are all removed.
  ///
  /// If the stream was already added completely, an event's second removal throws.
  package mutating func remove(_ event: StoredEvent) throws {
    try add(.cut, to: event)
    removedStreams.insert(event.stream)
  }

  /// Adds the change to an event.
  package mutating func add(_ change: Change, to event: StoredEvent) throws {
    guard isRead(event) else {
      throw CompactionError(
        .unproven, event: event,
        "the log wasn't compacted: event \(event.position) (\(event.type), version \(event.version) of stream "
          + "\"\(event.stream)\") would be removed or replaced, but no registered list or decider reads it; call "
          + "`prove` to register a list or decider that reads this event")
    }
    if case .replaced(let new) = change {
      let append = Append([new], to: event.stream)
      try append.validate()
      _ = try append.cutPersonalFields()
    }
    guard changes.add(change, at: event.position) else {
      throw CompactionError(
        .badRule, stream: event.stream,
        "the log wasn't compacted: two rules change event \(event.position) (\(event.type), stream "
          + "\"\(event.stream)\"); let a single rule handle all events of this type")
    }
    streams.insert(event.stream)
  }

  /// Records that a stream stays unchanged, because one of its events can't be read.
  package mutating func leaveAlone(_ event: StoredEvent, because reason: any Error) {
    leftAlone.append(.init(stream: event.stream, position: event.position, reason: described(reason)))
  }
}
