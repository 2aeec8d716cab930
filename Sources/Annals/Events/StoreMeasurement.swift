/// One measurement that is passed to a ``StoreMonitor``.
public struct StoreMeasurement: Hashable, Sendable {
  /// The name of a metric.
  ///
  /// Later versions may add more names.
  public struct Name: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The metric's name, such as `annals.append.events`.
    public let rawValue: String

    /// Creates a custom name.
    ///
    /// - Parameter rawValue: The metric's name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The metric's name.
    public var description: String { rawValue }

    /// The duration of an operation.
    ///
    /// The measurement has the labels `operation` and `outcome`. The outcome is `done`, `refused`, `cancelled` or an
    /// error's code.
    public static let operation = Name(rawValue: "annals.operation")
    /// The number of committed events.
    public static let appendedEvents = Name(rawValue: "annals.append.events")
    /// The number of appends that were committed together in one transaction on the server.
    public static let appendGroup = Name(rawValue: "annals.append.group")
    /// The number of commands that were retried because another writer appended first.
    public static let conflicts = Name(rawValue: "annals.execute.conflicts")
    /// The time that a message waited for a connection to PostgreSQL.
    public static let connectionWait = Name(rawValue: "annals.connection.wait")
    /// The number of connections to PostgreSQL that couldn't be opened, or were lost.
    public static let connectionFailures = Name(rawValue: "annals.connection.failures")
    /// The number of events that a follower has handled.
    ///
    /// The measurement has the label `follower`, and for a remote log also the label `partition`.
    public static let followedEvents = Name(rawValue: "annals.follower.events")
    /// The number of calls to a follower's code that threw, plus the number of events that couldn't be decoded.
    public static let followerFailures = Name(rawValue: "annals.follower.failures")
    /// The number of positions between a follower's position and the log's end.
    public static let followerBehind = Name(rawValue: "annals.follower.behind")
    /// The number of streams in a partition that a follower has quarantined.
    public static let followerQuarantine = Name(rawValue: "annals.follower.quarantine")
    /// The number of events that a replica has copied.
    public static let copiedEvents = Name(rawValue: "annals.replica.events")
    /// The number of erasures that a replica has repeated in its copy.
    public static let copiedErasures = Name(rawValue: "annals.replica.erasures")
    /// The number of positions between the end of a replica's copy and the remote log's end.
    public static let replicaBehind = Name(rawValue: "annals.replica.behind")
  }

  /// A measured value.
  ///
  /// Its case determines how values are aggregated.
  public enum Value: Hashable, Sendable {
    /// An increment, to add to a counter.
    case count(Int)
    /// A duration, to record in a histogram.
    case duration(Duration)
    /// The size of a batch, to record in a histogram.
    case size(Int)
    /// A current level, such as the length of a queue, to store as the latest value.
    case level(Int)
  }

  /// The name of the metric.
  public let name: Name
  /// The measured value.
  public let value: Value
  /// The labels that distinguish measurements of the same name.
  ///
  /// A label has only a few different values.
  public let labels: [String: String]

  /// Creates a measurement.
  ///
  /// - Parameters:
  ///   - name: The name of the metric.
  ///   - value: The measured value.
  ///   - labels: The labels that distinguish measurements of the same name.
  public init(_ name: Name, _ value: Value, _ labels: [String: String] = [:]) {
    (self.name, self.value, self.labels) = (name, value, labels)
  }
}

extension StoreEnvironment {
  /// Reports a measurement to the monitor, if one is set.
  package func note(
    _ name: StoreMeasurement.Name, _ value: StoreMeasurement.Value, _ labels: @autoclosure () -> [String: String] = [:]
  ) {
    monitor?.note(StoreMeasurement(name, value, labels()))
  }
}
