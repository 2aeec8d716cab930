package import AnnalsLog

/// A list that the tool can show of a log.
package protocol ListSource: Sendable {
  /// What the list is called.
  var name: String { get }

  /// True for a list of a sample.
  var isSample: Bool { get }

  /// True if a log with events of some stored types is one that the list was made for.
  func isMeant(forTypes types: [String]) -> Bool

  /// True if the list folds events of at least one of some stored types.
  func folds(anyOf types: [String]) -> Bool

  /// Opens the list over a log.
  ///
  /// - Parameters:
  ///   - store: The log.
  ///   - options: What the caller asks for beside what the app asks for.
  ///   - end: The last position that the caller looks at.
  /// - Returns: The list, at position 0.
  /// - Throws: ``ReplayError``, `EventStoreError`.
  func open(_ store: any EventStore, _ options: ListOptions, through end: Position) throws -> any ListReader

  /// What an event of the list did, in the words of the app; nil if the app has none.
  func sentence(of event: StoredEvent) -> String?

  /// Begins a check of whether the list can apply the events of a log.
  ///
  /// - Returns: A check without events.
  /// - Throws: `EventCodingError` if the list's event type can't be stored.
  func check() throws -> any ListCheck
}

/// A check of whether a list can apply the events of a log.
package protocol ListCheck {
  /// The first event that the list can't apply, and why.
  var problem: (position: Position, message: String)? { get }

  /// Applies the next events, unless an earlier event had a problem.
  mutating func apply(_ batch: EventBatch) throws
}

extension ListSource {
  package var isSample: Bool { false }
  package func folds(anyOf types: [String]) -> Bool { isMeant(forTypes: types) }
  package func sentence(of event: StoredEvent) -> String? { nil }

  /// Looks for an event that the list can't apply.
  ///
  /// - Parameters:
  ///   - store: The log.
  ///   - progress: A closure that is called from time to time with the position that was reached.
  /// - Returns: The first such event, and why, or `nil` if the list can apply all events.
  /// - Throws: `EventStoreError`, `EventCodingError`.
  func problem(
    in store: any EventStore, progress: (Position) -> Void
  ) throws -> (position: Position, message: String)? {
    var check = try check()
    try store.forEachBatch { batch in
      try check.apply(batch)
      if let last = batch.last { progress(last) }
    }
    return check.problem
  }
}
