public import Annals

/// A ``ReplayTool`` component that opens logs in your own kind of store instead of in Annals' SQLite files.
///
///     ReplayStore { name, access in try ServerStore(name, readOnly: access == .reading) }
public struct ReplayStore: ReplayPart {
  /// The kind of access to a log that a subcommand needs.
  public enum Access: Hashable, Sendable {
    /// Read access to an existing log.
    ///
    /// The closure must not create the log or write to it.
    case reading
    /// Write access to an existing log.
    ///
    /// The closure must not create the log.
    case writing
  }

  private let open: @Sendable (String, Access) throws -> any EventStore

  /// Creates the component.
  ///
  /// If a ``ReplayTool`` has several `ReplayStore` components, the tool uses the last of them.
  ///
  /// - Parameter open: A closure that opens a log by its name and with the given access. The name is the subcommand's
  ///   operand LOG. If the closure throws, the subcommand fails with that error.
  public init(open: @escaping @Sendable (_ name: String, _ access: Access) throws -> any EventStore) {
    self.open = open
  }

  /// Adds the closure to a tool's catalog, so that the tool opens logs with it.
  ///
  /// - Parameter catalog: The tool's catalog.
  public func register(in catalog: inout ReplayCatalog) {
    let open = open
    catalog.open = { name, isReading in try open(name, isReading ? .reading : .writing) }
  }
}
