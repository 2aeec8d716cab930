#if Postgres
  public import Annals
  import Foundation

  /// How a ``PostgresEventStore`` connects and commits.
  public struct PostgresOptions: Sendable {
    /// The schema of PostgreSQL that holds the log, 1 to 56 bytes; a tenant has one of its own.
    public var schema: String
    /// What an acknowledged append survives: PostgreSQL's `synchronous_commit`.
    public var durability: Durability
    /// How many connections there are at most, 1 or more, beside one that listens for notifications.
    public var connections: Int
    /// How long a call waits for a connection, even while the server is away.
    public var patience: Duration
    /// How long the server may be silent while it owes an answer, before the connection counts as lost.
    public var answerTimeout: Duration
    /// How often subscriptions look for new events without having heard of any.
    public var pollInterval: Duration
    /// True if subscriptions listen for `NOTIFY`, and appends send it; false behind a pooler in transaction mode.
    public var notifies: Bool
    /// True if a log that is not there is made; false if that is an error.
    public var creates: Bool

    /// Creates options.
    ///
    /// - Parameters:
    ///   - schema: The schema that holds the log; by default `annals`.
    ///   - durability: What an acknowledged append survives; by default a loss of power, and of the server where it has
    ///     a synchronous standby.
    ///   - connections: How many connections there are at most; by default 4.
    ///   - patience: How long a call waits for a connection; by default 10 seconds.
    ///   - answerTimeout: How long the server may be silent while it owes an answer; by default 30 seconds.
    ///   - pollInterval: How often subscriptions look without having heard; by default once a second.
    ///   - notifies: True, as by default, if subscriptions listen for `NOTIFY`.
    ///   - creates: True, as by default, if a log that is not there is made.
    public init(
      schema: String = "annals", durability: Durability = .power, connections: Int = 4,
      patience: Duration = .seconds(10), answerTimeout: Duration = .seconds(30), pollInterval: Duration = .seconds(1),
      notifies: Bool = true, creates: Bool = true
    ) {
      precondition(connections >= 1, "`connections` must be at least 1 (was \(connections))")
      (self.schema, self.durability, self.connections, self.patience) = (schema, durability, connections, patience)
      (self.answerTimeout, self.pollInterval, self.notifies) = (answerTimeout, pollInterval, notifies)
      self.creates = creates
    }
  }

  extension PostgresOptions {
    /// Takes what is Annals' own out of a URL, which libpq would refuse: `annals_schema`.
    ///
    /// - Parameter url: A URL such as `postgresql://user@host/database?annals_schema=shop`.
    /// - Returns: The URL without it, and options with the schema.
    package static func reading(_ url: String) -> (url: String, options: PostgresOptions) {
      var options = PostgresOptions()
      guard let start = url.firstIndex(of: "?") else { return (url, options) }
      let words = url[url.index(after: start)...].split(separator: "&")
      let name = "annals_schema="
      if let word = words.last(where: { $0.hasPrefix(name) }) {
        let text = String(word.dropFirst(name.count))
        options.schema = text.removingPercentEncoding ?? text
      }
      let rest = words.filter { !$0.hasPrefix(name) }.joined(separator: "&")
      return (url[..<start] + (rest.isEmpty ? "" : "?" + rest), options)
    }
  }

  extension Durability {
    /// The value of `synchronous_commit` (postgresql.org/docs, "WAL settings").
    var synchronousCommit: String {
      switch self {
      case .process: "off"
      case .system: "local"
      case .power: "on"
      }
    }
  }
#endif
