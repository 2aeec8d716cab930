public import Annals

/// A tool part that opens remote logs by their URLs, for example to clone or follow them.
///
///     ReplayRemote(schemes: ["postgresql", "postgres"]) { url in try await PostgresEventStore(url: url) }
public struct ReplayRemote: ReplayPart {
  private let schemes: Set<String>
  private let open: @Sendable (String, Bool) async throws -> any RemoteEventStore

  /// Creates the part with a closure that opens existing logs, or always creates missing ones.
  ///
  /// If several parts have the same scheme, the tool uses the last one.
  ///
  /// - Parameters:
  ///   - schemes: The parts of the URLs before `://`, in lower case.
  ///   - open: A closure that opens the log at a URL. If it throws, the tool's subcommand fails with that error.
  public init(schemes: Set<String>, open: @escaping @Sendable (_ url: String) async throws -> any RemoteEventStore) {
    self.init(schemes: schemes) { url, _ in try await open(url) }
  }

  /// Creates the part with a closure that creates a missing log only on request.
  ///
  /// If several parts have the same scheme, the tool uses the last one.
  ///
  /// - Parameters:
  ///   - schemes: The parts of the URLs before `://`, in lower case.
  ///   - open: A closure that opens the log at a URL. If it throws, the tool's subcommand fails with that error. It may
  ///     create a missing log only if `creates` is true, which only the subcommand `import` passes.
  public init(
    schemes: Set<String>,
    open: @escaping @Sendable (_ url: String, _ creates: Bool) async throws -> any RemoteEventStore
  ) {
    (self.schemes, self.open) = (schemes, open)
  }

  /// Adds the kind of remote log to a tool's catalog.
  ///
  /// - Parameter catalog: The tool's catalog.
  public func register(in catalog: inout ReplayCatalog) {
    for scheme in schemes { catalog.remotes[scheme] = open }
  }
}
