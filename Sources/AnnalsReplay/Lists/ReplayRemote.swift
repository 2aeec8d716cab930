import Annals
public import AnnalsRemote

/// A ``ReplayTool`` component that opens remote logs by their URLs, for example to clone or follow them.
///
///     ReplayRemote(schemes: ["postgresql", "postgres"]) { url in try await PostgresEventStore(url: url) }
public struct ReplayRemote: ReplayPart {
  private let schemes: Set<String>
  private let open: @Sendable (String, Bool) async throws -> any RemoteEventStore
  private let maintenance: (@Sendable (String) throws -> any RemoteMaintenance)?

  /// Creates the component with a closure that opens the log at a URL.
  ///
  /// The tool doesn't tell the closure whether to create a missing log. So the closure must either always create a
  /// missing log or never create one. To create a missing log only for the subcommand `import`, pass a closure with the
  /// parameter `creates` instead.
  ///
  /// If several `ReplayRemote` components of a ``ReplayTool`` have the same scheme, the tool uses the last of them.
  ///
  /// - Parameters:
  ///   - schemes: The URL schemes, that is, the parts before `://`, in lower case.
  ///   - maintenance: A closure that returns the maintenance of the log at a URL, for the subcommands `migrate` and
  ///     `doctor`, or `nil` if the store has no maintenance.
  ///   - open: A closure that opens the log at a URL. If it throws, the tool's subcommand fails with that error.
  public init(
    schemes: Set<String>, maintenance: (@Sendable (_ url: String) throws -> any RemoteMaintenance)? = nil,
    open: @escaping @Sendable (_ url: String) async throws -> any RemoteEventStore
  ) {
    self.init(schemes: schemes, maintenance: maintenance) { url, _ in try await open(url) }
  }

  /// Creates the component with a closure that creates a missing log only if the tool permits it.
  ///
  /// If several `ReplayRemote` components of a ``ReplayTool`` have the same scheme, the tool uses the last of them.
  ///
  /// - Parameters:
  ///   - schemes: The URL schemes, that is, the parts before `://`, in lower case.
  ///   - maintenance: A closure that returns the maintenance of the log at a URL, for the subcommands `migrate` and
  ///     `doctor`, or `nil` if the store has no maintenance.
  ///   - open: A closure that opens the log at a URL. If the closure throws, the tool's subcommand fails with that
  ///     error. The closure's second argument, `creates`, is true only for the subcommand `import`. If `creates` is
  ///     false, the closure must not create a missing log.
  public init(
    schemes: Set<String>, maintenance: (@Sendable (_ url: String) throws -> any RemoteMaintenance)? = nil,
    open: @escaping @Sendable (_ url: String, _ creates: Bool) async throws -> any RemoteEventStore
  ) {
    self.schemes = schemes
    self.maintenance = maintenance
    self.open = open
  }

  /// Adds the URL schemes to a tool's catalog, so that the tool can open such URLs.
  ///
  /// - Parameter catalog: The tool's catalog.
  public func register(in catalog: inout ReplayCatalog) {
    for scheme in schemes {
      catalog.remotes[scheme] = open
      catalog.maintenances[scheme] = maintenance
    }
  }
}
