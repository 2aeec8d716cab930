package import Annals
package import AnnalsLog
package import AnnalsRemote

/// A component of a ``ReplayTool``, such as a list, commands, a compaction, a redaction, or another kind of store.
///
///     ReplayTool(
///       ReplayList(Shelves(), request: ListRequest(sort: [.descending(\.price)], section: .by(\.shelf))),
///       ReplayCommands(Bookshop.self)
///     ).main()
///
/// To combine several components in one type, conform the type to this protocol, and register each component in
/// ``register(in:)``.
public protocol ReplayPart: Sendable {
  /// Adds the component to a tool's catalog.
  ///
  /// - Parameter catalog: The tool's catalog.
  func register(in catalog: inout ReplayCatalog)
}

/// The lists, deciders and other features that the components of a ``ReplayTool`` have registered.
public struct ReplayCatalog: Sendable {
  /// The lists, in the order in which they were registered.
  package var lists: [any ListSource] = []
  /// The deciders, in the order in which they were registered.
  package var deciders: [any DeciderSource] = []
  /// Makes the compaction of the app's events up to a position, or of all; nil if the app registered none.
  package var compaction: (@Sendable (Position?) -> Compaction)?
  /// The fields whose values are not to leave the log.
  package var redactedFields: Set<String> = []
  /// The types of events whose payloads are not to leave the log.
  package var redactedTypes: Set<String> = []
  /// Opens a log that is in no file, or in another kind of file, by its name, for reading only or not; nil for files.
  package var open: (@Sendable (String, Bool) throws -> any EventStore)?
  /// Opens a remote log by its URL, or makes it if that is said, by the URL's scheme.
  package var remotes: [String: @Sendable (String, Bool) async throws -> any RemoteEventStore] = [:]

  /// Creates the maintenance of a remote log by the log's URL, for every URL scheme that supports it.
  package var maintenances: [String: @Sendable (String) throws -> any RemoteMaintenance] = [:]

  /// An event as the cause of a change, with the sentence of a list's app.
  func cause(_ event: StoredEvent) -> EventCause {
    EventCause(event, sentence: lists.lazy.compactMap { $0.sentence(of: event) }.first)
  }

  /// Creates an empty catalog.
  public init() {}

  /// Adds a component.
  ///
  /// - Parameter part: The component to add.
  public mutating func register(_ part: some ReplayPart) { part.register(in: &self) }
}
