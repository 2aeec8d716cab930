#if Postgres
  public import Annals
  import Foundation

  /// The settings for the connections and commits of a ``PostgresEventStore``.
  public struct PostgresOptions: Sendable {
    /// The name of the PostgreSQL schema that contains the log, from 1 to 56 bytes long.
    ///
    /// Use a separate schema for each tenant.
    public var schema: String
    /// The durability of an acknowledged append, which maps to PostgreSQL's `synchronous_commit`.
    public var durability: Durability
    /// The maximum number of connections, at least 1, in addition to one connection that listens for notifications.
    public var connections: Int
    /// The maximum time that a call waits for a connection, even while the server is unreachable.
    public var patience: Duration
    /// The maximum time without data from the server during a response, after which the connection is considered lost.
    public var answerTimeout: Duration
    /// The interval at which subscriptions check for new events even if no notification has arrived.
    public var pollInterval: Duration
    /// True if appends send `NOTIFY` and subscriptions listen for it.
    ///
    /// A connection pooler in transaction mode doesn't support `LISTEN`, so set this property to false with such a
    /// pooler.
    public var notifies: Bool
    /// True to create a missing log, or false to throw an error if the log doesn't exist.
    public var creates: Bool

    /// Creates options.
    ///
    /// - Parameters:
    ///   - schema: The schema that contains the log, `annals` by default.
    ///   - durability: The durability of an acknowledged append. By default, an append survives a power loss. With a
    ///     synchronous standby, it also survives the loss of the server.
    ///   - connections: The maximum number of connections, 4 by default.
    ///   - patience: The maximum time that a call waits for a connection, 10 seconds by default.
    ///   - answerTimeout: The maximum time without data from the server during a response, 30 seconds by default.
    ///   - pollInterval: The interval at which subscriptions check for new events even if no notification has arrived,
    ///     one second by default.
    ///   - notifies: True if appends send `NOTIFY` and subscriptions listen for it, which is the default.
    ///   - creates: True to create a missing log, which is the default.
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
    /// Reads the parameter `annals_schema` from a URL and removes it, because libpq would refuse it.
    ///
    /// - Parameter url: A URL such as `postgresql://user@host/database?annals_schema=shop`.
    /// - Returns: The URL without the parameter, and options with the schema.
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
