public import Annals

/// A kind of remote log that the tool clones and follows, by its URLs.
///
///     ReplayRemote(schemes: ["postgresql", "postgres"]) { url in try await PostgresEventStore(url: url) }
public struct ReplayRemote: ReplayPart {
  private let schemes: Set<String>
  private let open: @Sendable (String, Bool) async throws -> any RemoteEventStore

  /// Creates the part of logs that are there, or are made when they are opened; of several for a scheme the last one
  /// counts.
  ///
  /// - Parameters:
  ///   - schemes: What the URLs begin with, before `://`, in lower case.
  ///   - open: Opens the log of a URL. What it throws ends the subcommand.
  public init(schemes: Set<String>, open: @escaping @Sendable (_ url: String) async throws -> any RemoteEventStore) {
    self.init(schemes: schemes) { url, _ in try await open(url) }
  }

  /// Creates the part; of several for a scheme the last one counts.
  ///
  /// - Parameters:
  ///   - schemes: What the URLs begin with, before `://`, in lower case.
  ///   - open: Opens the log of a URL. What it throws ends the subcommand. Only if `creates` is true may it make a log
  ///     that is not there: `import` begins a log, and no other subcommand does.
  public init(
    schemes: Set<String>,
    open: @escaping @Sendable (_ url: String, _ creates: Bool) async throws -> any RemoteEventStore
  ) {
    (self.schemes, self.open) = (schemes, open)
  }

  /// Adds the remote logs to what a tool knows.
  ///
  /// - Parameter catalog: What the tool knows.
  public func register(in catalog: inout ReplayCatalog) {
    for scheme in schemes { catalog.remotes[scheme] = open }
  }
}
