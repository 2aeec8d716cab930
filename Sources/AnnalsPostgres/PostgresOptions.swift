#if Postgres
  public import Annals
  import Foundation

  /// The settings for the connections and commits of a ``PostgresEventStore``.
  public struct PostgresOptions: Sendable {
    /// The name of the PostgreSQL schema that contains the log, with a length of 1 to 56 UTF-8 bytes.
    ///
    /// If several tenants share a database, give each tenant a separate schema.
    public var schema: String
    /// The kinds of failure that an acknowledged append survives.
    ///
    /// The store sets PostgreSQL's `synchronous_commit` to the corresponding value.
    public var durability: Durability
    /// The maximum number of connections for all calls, which must be at least 1.
    ///
    /// If ``notifies`` is true, subscriptions use one additional connection to listen for notifications. If a response
    /// takes longer than a second, the store opens one more connection for a moment, to check the server process.
    public var connections: Int
    /// The maximum time that a call waits for a connection, including attempts to reconnect to an unreachable server.
    ///
    /// It's also the maximum time that a call waits for a lock of another session.
    public var patience: Duration
    /// The maximum time that a call waits for the next data from the server.
    ///
    /// After this time, the store treats the connection as lost.
    public var answerTimeout: Duration
    /// The interval at which subscriptions check for new events even if no notification has arrived.
    public var pollInterval: Duration
    /// True if appends send `NOTIFY` and subscriptions listen for it.
    ///
    /// A connection pooler in transaction mode doesn't support `LISTEN`, so set this property to false with such a
    /// pooler.
    public var notifies: Bool
    /// The changes that opening a log can make in the database.
    public var setup: Setup

    /// The changes that opening a log can make in the database.
    ///
    /// Migrating a log is a deployment step, because programs that know only the log's previous format can't open the
    /// log afterwards. So a migration happens only if you select it.
    public enum Setup: Sendable {
      /// Opening makes no changes, and throws an error if the log is missing or has an older format.
      case existing
      /// Opening creates a missing log, and throws an error if the log has an older format.
      case create
      /// Opening creates a missing log, and migrates a log of an older format.
      case migrate
    }

    /// Creates options.
    ///
    /// - Parameters:
    ///   - schema: The schema that contains the log, `annals` by default.
    ///   - durability: The kinds of failure that an acknowledged append survives. By default, an append survives a
    ///     power loss. If the server has a synchronous standby, the append also survives the loss of the server.
    ///   - connections: The maximum number of connections for all calls, 4 by default.
    ///   - patience: The maximum time that a call waits for a connection or for a lock, 10 seconds by default.
    ///   - answerTimeout: The maximum time that a call waits for the next data from the server, 30 seconds by default.
    ///   - pollInterval: The interval at which subscriptions check for new events even if no notification has arrived,
    ///     one second by default.
    ///   - notifies: True (the default) if appends send `NOTIFY` and subscriptions listen for it.
    ///   - setup: The changes that opening a log can make in the database, by default only the creation of a missing
    ///     log.
    public init(
      schema: String = "annals", durability: Durability = .power, connections: Int = 4,
      patience: Duration = .seconds(10), answerTimeout: Duration = .seconds(30), pollInterval: Duration = .seconds(1),
      notifies: Bool = true, setup: Setup = .create
    ) {
      precondition(connections >= 1, "`connections` must be at least 1 (was \(connections))")
      self.schema = schema
      self.durability = durability
      self.connections = connections
      self.patience = patience
      self.answerTimeout = answerTimeout
      self.pollInterval = pollInterval
      self.notifies = notifies
      self.setup = setup
    }
  }

  extension PostgresOptions {
    /// The form that a schema's name must have.
    static let schemaForm = "a schema name of 1 to 56 bytes without NUL and without $$"

    /// Returns true if a schema can have a name.
    static func isSchema(_ name: String) -> Bool {
      (1...56).contains(name.utf8.count) && !name.utf8.contains(0) && !name.contains("$$")
    }

    /// Reads the parameter `annals_schema` from a URL and removes it, because libpq would refuse the parameter.
    ///
    /// - Parameter url: A URL such as `postgresql://user@host/database?annals_schema=shop`.
    /// - Returns: The URL without the parameter, and the schema, or `nil` if the URL doesn't contain the parameter.
    static func readingSchema(in url: String) -> (url: String, schema: String?) {
      guard let start = url.firstIndex(of: "?") else { return (url, nil) }
      let words = url[url.index(after: start)...].split(separator: "&")
      let name = "annals_schema="
      let schema = words.last { $0.hasPrefix(name) }.map { String($0.dropFirst(name.count)) }
      let rest = words.filter { !$0.hasPrefix(name) }.joined(separator: "&")
      return (url[..<start] + (rest.isEmpty ? "" : "?" + rest), schema.map { $0.removingPercentEncoding ?? $0 })
    }
  }

  extension PostgresOptions {
    /// Returns the maximum time for which the server lets a statement wait for a lock.
    ///
    /// The time is at most a third of ``answerTimeout``, because a statement can wait for several locks in sequence.
    /// With a longer time, the store would close the connection first, and would resend the statement, although the
    /// server process of the first connection still waits.
    ///
    /// - Parameter deadline: The time after which the caller no longer waits, on the monotonic clock. Even after the
    ///   deadline, the statement waits for up to half a second, because the lock might be free by then.
    /// - Returns: A value for PostgreSQL's setting `lock_timeout`.
    func lockTimeout(until deadline: UInt64) -> String {
      let now = nowInNanoseconds()
      let rest = max(deadline > now ? deadline - now : 0, 500_000_000)
      return Self.lockTimeout(nanoseconds: min(rest, answerTimeout.inNanoseconds / 3))
    }

    /// Returns a time as a value for PostgreSQL's setting `lock_timeout`.
    static func lockTimeout(nanoseconds: UInt64) -> String {
      // The value 0 would mean no timeout, and the setting is a 32-bit number.
      "\(min(max(nanoseconds / 1_000_000, 1), 2_147_483_647))ms"
    }

    /// The time after which a call that begins now no longer waits for a lock, on the monotonic clock.
    var lockDeadline: UInt64 { nowInNanoseconds() + patience.inNanoseconds }
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
