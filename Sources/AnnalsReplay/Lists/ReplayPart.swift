package import Annals

/// A part that a tool is made of: a list, commands, a compaction, a redaction, another kind of store.
///
///     ReplayTool(
///       ReplayList(Shelves(), request: ListRequest(sort: [.descending(\.price)], section: .by(\.shelf))),
///       ReplayCommands(Bookshop.self)
///     ).main()
///
/// A type of your own that stands for several parts is a part too: let it register each of them.
public protocol ReplayPart: Sendable {
  /// Adds the part to what a tool knows.
  ///
  /// - Parameter catalog: What the tool knows.
  func register(in catalog: inout ReplayCatalog)
}

/// What a tool knows: filled by its parts.
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

  /// Creates an empty catalog.
  public init() {}

  /// Adds a part.
  ///
  /// - Parameter part: The part.
  public mutating func register(_ part: some ReplayPart) { part.register(in: &self) }
}
