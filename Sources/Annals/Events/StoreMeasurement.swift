/// One number that a ``StoreMonitor`` gets.
public struct StoreMeasurement: Hashable, Sendable {
  /// What is measured; later versions may add some.
  public struct Name: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The name, such as `annals.append.events`.
    public let rawValue: String

    /// Creates one that is none of those below.
    ///
    /// - Parameter rawValue: The name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The name.
    public var description: String { rawValue }

    /// How long an operation took, with the labels `operation` and `outcome`: `done`, an error's code, `refused` or
    /// `cancelled`.
    public static let operation = Name(rawValue: "annals.operation")
    /// Events that were committed.
    public static let appendedEvents = Name(rawValue: "annals.append.events")
    /// How many appends shared a transaction of the server.
    public static let appendGroup = Name(rawValue: "annals.append.group")
    /// Commands that another writer overtook, and that were decided again.
    public static let conflicts = Name(rawValue: "annals.execute.conflicts")
    /// How long a message waited for a connection to PostgreSQL.
    public static let connectionWait = Name(rawValue: "annals.connection.wait")
    /// Connections to PostgreSQL that could not be made, or were lost.
    public static let connectionFailures = Name(rawValue: "annals.connection.failures")
    /// Events that a follower has handled, with the label `follower`, and for a remote log `partition`.
    public static let followedEvents = Name(rawValue: "annals.follower.events")
    /// Calls of a follower's code that threw, and events that could not be decoded.
    public static let followerFailures = Name(rawValue: "annals.follower.failures")
    /// How many positions of the log a follower has not passed yet.
    public static let followerBehind = Name(rawValue: "annals.follower.behind")
    /// How many streams of a partition a follower has set aside.
    public static let followerQuarantine = Name(rawValue: "annals.follower.quarantine")
    /// Events that a replica has copied.
    public static let copiedEvents = Name(rawValue: "annals.replica.events")
    /// How many erasures a replica has done in its copy: a count.
    public static let copiedErasures = Name(rawValue: "annals.replica.erasures")
    /// How many positions of the remote log a replica does not have yet.
    public static let replicaBehind = Name(rawValue: "annals.replica.behind")
  }

  /// The number, and how numbers of its kind are put together.
  public enum Value: Hashable, Sendable {
    /// So many more: they are added up.
    case count(Int)
    /// So long: they are put into a histogram.
    case duration(Duration)
    /// So many at once: they are put into a histogram.
    case size(Int)
    /// So many now: the last one counts.
    case level(Int)
  }

  /// What is measured.
  public let name: Name
  /// The number.
  public let value: Value
  /// What tells measurements of a name apart; each has few values.
  public let labels: [String: String]

  /// Creates a measurement.
  ///
  /// - Parameters:
  ///   - name: What is measured.
  ///   - value: The number.
  ///   - labels: What tells measurements of a name apart.
  public init(_ name: Name, _ value: Value, _ labels: [String: String] = [:]) {
    (self.name, self.value, self.labels) = (name, value, labels)
  }
}

extension StoreEnvironment {
  /// Notes a measurement, if there is a monitor.
  package func note(
    _ name: StoreMeasurement.Name, _ value: StoreMeasurement.Value, _ labels: @autoclosure () -> [String: String] = [:]
  ) {
    monitor?.note(StoreMeasurement(name, value, labels()))
  }
}
