package import Annals

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

  /// Looks for an event that the list cannot fold.
  ///
  /// - Parameters:
  ///   - store: The log.
  ///   - progress: Called now and then with the position that was reached.
  /// - Returns: The first such event, and why; nil if there is none.
  /// - Throws: `EventStoreError`.
  func problem(
    in store: any EventStore, progress: (Position) -> Void
  ) throws -> (position: Position, message: String)?
}

extension ListSource {
  package var isSample: Bool { false }
  package func folds(anyOf types: [String]) -> Bool { isMeant(forTypes: types) }
  package func sentence(of event: StoredEvent) -> String? { nil }
}
