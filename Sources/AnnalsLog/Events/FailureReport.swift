/// A report about a list or follower that stopped, a list that couldn't be saved, or a mistake in a filter or a
/// projection.
///
/// A store calls its ``StoreEnvironment/report`` once for every failure, and doesn't repeat the call if a retry fails
/// in the same way. The ``message`` is meant for your app's diagnostic log. It contains no payload values, because
/// diagnostic logs might be copied to places from which data can't be erased. The ``error`` may contain payload values.
public struct FailureReport: Sendable, CustomStringConvertible {
  /// A kind of failure.
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

    /// A report that a controller's list or an `InlineList` stopped.
    public static let list = Kind(rawValue: "list")
    /// A report that an ``EventFollower`` or a `RemoteFollower` stopped, that it paused before another attempt, or that
    /// a `RemoteFollower` quarantined a stream.
    ///
    /// After a quarantine, the follower continues with other streams, and the quarantined stream's events wait
    /// (`FollowerQuarantine`).
    public static let follower = Kind(rawValue: "follower")
    /// A report that a list couldn't be saved.
    ///
    /// As a result, the next launch replays more events.
    public static let save = Kind(rawValue: "save")
    /// A report that a filter's predicate threw for a row.
    ///
    /// The list omits this row, and continues.
    public static let filter = Kind(rawValue: "filter")
    /// A report that a projection changed or deleted a row that doesn't exist, or inserted a row that exists already.
    ///
    /// Only debug builds of the library make these reports: once per store, projection and type of event. The list
    /// continues. If this effect of an event type is intended, add the type to the projection's `toleratedEvents`.
    public static let projection = Kind(rawValue: "projection")
  }

  /// The kind of failure.
  public let kind: Kind
  /// The name of the list, follower, saved list or filter that failed, depending on the ``kind``.
  ///
  /// - ``Kind/list``: the name of the list's projection type
  /// - ``Kind/follower``: the follower's name
  /// - ``Kind/save``: the saved list's name
  /// - ``Kind/filter``: the filter's name, or the type of the list's rows if the filter has no name
  /// - ``Kind/projection``: the name of the projection type
  public let name: String
  /// The source of the event log (``EventStore/source``), which identifies the log.
  public let source: String
  /// The position of the event that couldn't be handled or had an unexpected effect, or `nil` if the report isn't about
  /// an event.
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
    self.kind = kind
    self.name = name
    self.source = source
    self.position = position
    self.error = error
    self.message = message
  }

  /// The message.
  public var description: String { message }
}
