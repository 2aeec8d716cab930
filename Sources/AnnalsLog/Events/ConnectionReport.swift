/// A report about a store's connection to its server, for example that the connection was lost.
///
/// Write the reports to your program's log in ``StoreMonitor/report(_:)``. A report doesn't mean that a call fails,
/// because a store opens a new connection and retries. The report contains neither the URL's password nor payloads.
public struct ConnectionReport: Hashable, Sendable, CustomStringConvertible {
  /// A kind of report.
  ///
  /// Later versions may add more kinds.
  public struct Kind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The kind's name, such as `lost`.
    public let rawValue: String

    /// Creates a custom kind.
    ///
    /// - Parameter rawValue: The kind's name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The kind's name.
    public var description: String { rawValue }

    /// A report that a connection was opened.
    public static let opened = Kind(rawValue: "opened")
    /// A report that a connection couldn't be opened.
    ///
    /// While calls wait for an unreachable server, the store retries and reports about once per second.
    public static let failed = Kind(rawValue: "failed")
    /// A report that the server or the network ended an open connection.
    public static let lost = Kind(rawValue: "lost")
    /// A report that the store closed a connection because the server's response didn't arrive.
    public static let silent = Kind(rawValue: "silent")
    /// A report that the store closes a connection because its server is a standby, which can't write.
    public static let standby = Kind(rawValue: "standby")
    /// A report that the next attempt to connect uses another host of the URL.
    public static let hostChanged = Kind(rawValue: "hostChanged")
    /// A report that the store closed a connection while its server process might still be executing statements.
    public static let abandoned = Kind(rawValue: "abandoned")
  }

  /// The kind of report.
  public let kind: Kind
  /// The connection's host and port, for example `db1.example.com:5432`.
  ///
  /// It's empty if the URL contains a mistake, so that no host is known. For the kind ``Kind/hostChanged``, it's the
  /// earlier host.
  public let host: String
  /// A message with the host, its address and the reason.
  public let message: String
  /// The labels of the store, as in a ``StoreMeasurement``, for example its database schema.
  public let labels: [String: String]

  init(_ kind: Kind, host: String, message: String, labels: [String: String]) {
    self.kind = kind
    self.host = host
    self.message = message
    self.labels = labels
  }

  /// The message.
  public var description: String { message }
}

extension StoreEnvironment {
  /// Passes a report about a connection to the monitor, if one is set.
  package func note(_ kind: ConnectionReport.Kind, host: String, _ message: String) {
    monitor?.report(ConnectionReport(kind, host: host, message: message, labels: labels))
  }
}
