/// A measurement that a store, a follower or a replica passes to a `StoreMonitor`.
public struct StoreMeasurement: Hashable, Sendable {
  /// A metric's name.
  ///
  /// Later versions may add more names.
  public struct Name: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The metric's name, such as `annals.append.events`.
    public let rawValue: String

    /// Creates a custom metric name.
    ///
    /// - Parameter rawValue: The metric's name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The metric's name.
    public var description: String { rawValue }

    /// The duration of a `StoreOperation`.
    ///
    /// The measurement has the operation's labels, and also the labels `operation` and `outcome`. The outcome is
    /// `done`, `cancelled`, the code of an ``EventStoreError``, or `refused` for all other errors, such as a decider's
    /// refusal.
    public static let operation = Name(rawValue: "annals.operation")
    /// The number of new events that were committed.
    public static let appendedEvents = Name(rawValue: "annals.append.events")
    /// The number of appends that were committed together in one transaction on the PostgreSQL server.
    public static let appendGroup = Name(rawValue: "annals.append.group")
    /// The number of appends to PostgreSQL that wait until the group before them is committed.
    public static let appendQueue = Name(rawValue: "annals.append.queue")
    /// The number of conflicts.
    ///
    /// In a conflict, an attempt of a command fails because another writer appended first.
    public static let conflicts = Name(rawValue: "annals.execute.conflicts")
    /// The time that a request waited for a free connection to PostgreSQL.
    public static let connectionWait = Name(rawValue: "annals.connection.wait")
    /// The number of connections to PostgreSQL that couldn't be opened or were lost.
    public static let connectionFailures = Name(rawValue: "annals.connection.failures")
    /// The number of calls and groups of appends that wait for a free connection to PostgreSQL.
    public static let connectionQueue = Name(rawValue: "annals.connection.queue")
    /// The number of a store's connections to PostgreSQL in a state.
    ///
    /// The measurement has the label `state`, which is `idle`, `used`, `opening`, `listening` or `checking`. Listening
    /// connections receive notifications of new events. Checking connections find out why a response is late.
    public static let connections = Name(rawValue: "annals.connections")
    /// The number of events that a follower has handled.
    ///
    /// The measurement has the label `follower`. For a `RemoteFollower`, it also has the label `partition`.
    public static let followedEvents = Name(rawValue: "annals.follower.events")
    /// The number of calls to a follower's code that threw, plus the number of events that the follower couldn't
    /// decode.
    public static let followerFailures = Name(rawValue: "annals.follower.failures")
    /// The number of positions by which a follower is behind the log's end.
    public static let followerBehind = Name(rawValue: "annals.follower.behind")
    /// The number of quarantined streams in a partition of a `RemoteFollower`.
    ///
    /// The events of a quarantined stream wait until you retry or skip the event that failed (`FollowerQuarantine`). A
    /// partition is a share of the log's streams.
    public static let followerQuarantine = Name(rawValue: "annals.follower.quarantine")
    /// The number of events that a `Replica` has copied from the remote log.
    public static let copiedEvents = Name(rawValue: "annals.replica.events")
    /// The number of the remote log's erasures that a `Replica` has repeated in its copy.
    public static let copiedErasures = Name(rawValue: "annals.replica.erasures")
    /// The number of positions by which the end of a replica's copy is behind the remote log's end.
    public static let replicaBehind = Name(rawValue: "annals.replica.behind")
    /// The time of the remote log's last response to a `Replica`, in whole seconds since 1970.
    ///
    /// The difference to the current time is the age of the replica's copy. The measurement is a time and not an age,
    /// so the age that a monitoring system calculates also grows while the replica receives no response.
    public static let replicaContact = Name(rawValue: "annals.replica.contact")
  }

  /// A measured value.
  ///
  /// The case tells a monitor how to aggregate the values of a metric.
  public enum Value: Hashable, Sendable {
    /// An increment that the monitor adds to a counter.
    case count(Int)
    /// A duration that the monitor records in a histogram.
    case duration(Duration)
    /// The size of a batch, which the monitor records in a histogram.
    case size(Int)
    /// A current amount, such as the length of a queue, which replaces the metric's previous value (a gauge).
    case level(Int)
  }

  /// The metric's name.
  public let name: Name
  /// The measured value.
  public let value: Value
  /// The labels that distinguish measurements of the same metric, as a dictionary from label names to values.
  ///
  /// Every label has only a few different values, so that the labels are suitable for metrics.
  public let labels: [String: String]

  /// Creates a measurement.
  ///
  /// - Parameters:
  ///   - name: The metric's name.
  ///   - value: The measured value.
  ///   - labels: The labels that distinguish measurements of the same metric.
  public init(_ name: Name, _ value: Value, _ labels: [String: String] = [:]) {
    self.name = name
    self.value = value
    self.labels = labels
  }
}

extension StoreEnvironment {
  /// Reports a measurement to the monitor, if one is set.
  package func note(
    _ name: StoreMeasurement.Name, _ value: StoreMeasurement.Value, _ labels: @autoclosure () -> [String: String] = [:]
  ) {
    monitor?.note(StoreMeasurement(name, value, self.labels.merging(labels()) { $1 }))
  }
}
