/// A report for a program's log when a list, a follower or the saving of a list stops, or when a predicate throws.
///
/// A store's ``StoreEnvironment/report`` gets one for each stop, and not for each time that it is tried again. The
/// ``message`` has no values of payloads, because a log is copied to places that no erasure reaches. The ``error`` may
/// quote some.
public struct StopReport: Sendable, CustomStringConvertible {
  /// What stopped; later versions may add some.
  public struct Kind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The name.
    public let rawValue: String

    /// Creates one that is none of those below.
    ///
    /// - Parameter rawValue: The name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The name.
    public var description: String { rawValue }

    /// A controller's list, or one that is kept in each append.
    public static let list = Kind(rawValue: "list")
    /// A follower.
    public static let follower = Kind(rawValue: "follower")
    /// The saving of a list.
    public static let save = Kind(rawValue: "save")
    /// A filter whose predicate throws for a row: the list continues without the row.
    public static let filter = Kind(rawValue: "filter")
  }

  /// What stopped.
  public let kind: Kind
  /// The name of the list's projection, the follower, the saved list or the filter, or the type of the rows for a
  /// filter without a name.
  public let name: String
  /// The source of the log, as ``EventStore/source``.
  public let source: String
  /// The event that it stopped before; nil if it is not about one.
  public let position: Position?
  /// The error that stopped it; it may quote values of payloads.
  public let error: any Error
  /// What stopped, where, why and what to do, without values of payloads.
  public let message: String

  package init(
    _ kind: Kind, _ name: String, source: String, position: Position?, error: any Error, message: String
  ) {
    (self.kind, self.name, self.source, self.position) = (kind, name, source, position)
    (self.error, self.message) = (error, message)
  }

  /// The message.
  public var description: String { message }
}
