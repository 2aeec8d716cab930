public import Annals

/// Another kind of store than Annals' own files, for a tool that opens logs there.
///
///     ReplayStore { name, access in try ServerStore(name, readOnly: access == .reading) }
public struct ReplayStore: ReplayPart {
  /// What the tool does with a log.
  public enum Access: Hashable, Sendable {
    /// It only reads: nothing may be written, and no log be created.
    case reading
    /// It appends to a log that must exist.
    case writing
  }

  private let open: @Sendable (String, Access) throws -> any EventStore

  /// Creates the part; of several in a tool the last one counts.
  ///
  /// - Parameter open: Opens the log of a name, the operand LOG. What it throws ends the subcommand.
  public init(open: @escaping @Sendable (_ name: String, _ access: Access) throws -> any EventStore) { self.open = open }

  /// Adds the store to what a tool knows.
  ///
  /// - Parameter catalog: What the tool knows.
  public func register(in catalog: inout ReplayCatalog) {
    let open = open
    catalog.open = { name, isReading in try open(name, isReading ? .reading : .writing) }
  }
}
