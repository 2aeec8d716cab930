public import Annals

/// A tool part that opens logs in another kind of store, instead of in Annals' own files.
///
///     ReplayStore { name, access in try ServerStore(name, readOnly: access == .reading) }
public struct ReplayStore: ReplayPart {
  /// The kind of access to a log.
  public enum Access: Hashable, Sendable {
    /// Reading only. The log must not be written or created.
    case reading
    /// Appending to a log that must exist.
    case writing
  }

  private let open: @Sendable (String, Access) throws -> any EventStore

  /// Creates the part.
  ///
  /// If a tool has several stores, it uses the last one.
  ///
  /// - Parameter open: A closure that opens the log whose name is the subcommand's operand LOG. If it throws, the
  ///   subcommand fails with that error.
  public init(open: @escaping @Sendable (_ name: String, _ access: Access) throws -> any EventStore) {
    self.open = open
  }

  /// Adds the store to a tool's catalog.
  ///
  /// - Parameter catalog: The tool's catalog.
  public func register(in catalog: inout ReplayCatalog) {
    let open = open
    catalog.open = { name, isReading in try open(name, isReading ? .reading : .writing) }
  }
}
