/// A report for an app's log about a list or follower that stopped, a list that couldn't be saved, or a predicate that
/// threw.
///
/// A store calls its ``StoreEnvironment/report`` once when such work stops, and doesn't repeat the call for every
/// retry. The ``message`` contains no values of payloads, because an app's log might be copied to places from which
/// data can't be erased. The ``error`` may contain such values.
public struct FailureReport: Sendable, CustomStringConvertible {
  /// The kind of the stopped work.
  ///
  /// Later versions may add more kinds.
  public struct Kind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The kind's name.
    public let rawValue: String

    /// Creates a custom kind.
    ///
    /// - Parameter rawValue: The kind's name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The kind's name.
    public var description: String { rawValue }

    /// A controller's list, or a list that is updated by every append.
    public static let list = Kind(rawValue: "list")
    /// A follower.
    public static let follower = Kind(rawValue: "follower")
    /// The saving of a list.
    public static let save = Kind(rawValue: "save")
    /// A filter whose predicate throws for a row, so that the list omits the row and continues.
    public static let filter = Kind(rawValue: "filter")
  }

  /// The kind of the stopped work.
  public let kind: Kind
  /// The name of the list's projection, the follower, the saved list or the filter, or the type of the rows for a
  /// filter without a name.
  public let name: String
  /// The source of the log, equal to its ``EventStore/source``.
  public let source: String
  /// The position of the event before which the work stopped, or `nil` if the report isn't about an event.
  public let position: Position?
  /// The error that caused the stop, which may contain values of payloads.
  public let error: any Error
  /// A message that contains the stopped work, the place, the reason, and how to fix the problem, without values of
  /// payloads.
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
