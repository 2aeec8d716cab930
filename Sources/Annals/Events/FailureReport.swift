/// A report about a list or follower that stopped, a list that couldn't be saved, or a filter predicate that threw.
///
/// A store calls its ``StoreEnvironment/report`` once for every failure, and doesn't repeat the call if a retry fails
/// in the same way. The ``message`` is meant for your app's diagnostic log. It contains no payload values, because
/// diagnostic logs might be copied to places from which data can't be erased. The ``error`` may contain payload values.
public struct FailureReport: Sendable, CustomStringConvertible {
  /// The kind of work that failed.
  ///
  /// Later versions may add more kinds.
  public struct Kind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The kind's name, such as `list`.
    public let rawValue: String

    /// Creates a custom kind.
    ///
    /// - Parameter rawValue: The kind's name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The kind's name.
    public var description: String { rawValue }

    /// The updating of a controller's list or of an ``InlineList``.
    public static let list = Kind(rawValue: "list")
    /// The handling of events by an ``EventFollower`` or a ``RemoteFollower``.
    public static let follower = Kind(rawValue: "follower")
    /// The saving of a list for the next launch.
    public static let save = Kind(rawValue: "save")
    /// The filtering of a list's rows.
    ///
    /// If the filter's predicate throws for a row, the list omits the row and continues.
    public static let filter = Kind(rawValue: "filter")
  }

  /// The kind of work that failed.
  public let kind: Kind
  /// The name of the work that failed, which depends on the ``kind``.
  ///
  /// - ``Kind/list``: the name of the list's projection type
  /// - ``Kind/follower``: the follower's name
  /// - ``Kind/save``: the saved list's name
  /// - ``Kind/filter``: the filter's name, or the type of the list's rows if the filter has no name
  public let name: String
  /// The source of the event log (``EventStore/source``), which identifies the log.
  public let source: String
  /// The position of the event that couldn't be handled, or `nil` if the report isn't about an event.
  public let position: Position?
  /// The error that caused the failure, which may contain payload values.
  public let error: any Error
  /// A message that explains what failed, where and why, and how to fix the problem.
  ///
  /// The message contains no payload values.
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
