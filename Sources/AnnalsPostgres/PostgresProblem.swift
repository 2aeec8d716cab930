#if Postgres
  public import Annals
  import AnnalsRemote

  extension EventStoreError.Code {
    /// The server refuses the connection because the user name, password or database is wrong, or because the role
    /// lacks privileges.
    public static let refused = EventStoreError.Code(rawValue: "refused")
  }

  /// The time for which a call waits for a connection or a lock, in an error message.
  struct WaitLimit: CustomStringConvertible {
    let time: Duration
    /// The option or the parameter that limits the time.
    let name: String
    var description: String { "\(time.spelled) (\(name))" }
  }

  extension EventStoreError {
    /// Creates the error for a connection failure that left the log unchanged.
    ///
    /// - Parameters:
    ///   - failure: The failure.
    ///   - options: The store's options.
    ///   - limit: The time for which the call has waited, or `nil` for ``PostgresOptions/patience``.
    init(_ failure: SQLFailure, _ options: PostgresOptions, waiting limit: WaitLimit? = nil) {
      let limit = limit ?? WaitLimit(time: options.patience, name: "PostgresOptions.patience")
      switch failure {
      case .refused(let state, let message): self.init(state: state, message, options)
      case .unreachable(let message): self = .unreachable(message)
      case .interrupted(let message):
        self.init(
          .unreachable,
          "the PostgreSQL server was reached, but no connection could be opened for \(limit): \(message). "
            + "Check that the server has started, and retry")
      case .full(let message):
        self.init(
          .busy,
          "the PostgreSQL server had no free connection for \(limit): \(message). Allow more connections on "
            + "the server (max_connections, the role's CONNECTION LIMIT), reduce PostgresOptions.connections in the "
            + "server's clients, or add a connection pooler")
      case .rejected(let message, let remedy):
        self.init(.refused, "no connection to the PostgreSQL server can be opened: \(message); \(remedy)")
      case .lost(let message):
        self.init(.unreachable, "the connection to the PostgreSQL server was lost: \(message); retry")
      case .unconfirmed(let message):
        self.init(
          .unreachable,
          "the PostgreSQL server committed events, but didn't confirm that its disk and its synchronous standbys "
            + "contain them: \(message); check the standbys (SELECT * FROM pg_stat_replication), and retry")
      case .busy:
        self.init(
          .busy,
          "all \(options.connections) connections of this store were busy for \(limit). Increase "
            + "PostgresOptions.connections, or run fewer calls at the same time")
      case .blocked(let pids):
        let isOne = pids.count == 1
        self.init(
          .busy,
          "the connections of this store were busy for \(limit), because the server "
            + "\(isOne ? "process" : "processes") \(pids.map(String.init).joined(separator: ", ")) "
            + "\(isOne ? "holds" : "hold") locks for which they wait. Retry, or end the "
            + "\(isOne ? "process" : "processes") (SELECT pg_terminate_backend(\(pids.first ?? 0)))")
      case .silent(let seconds):
        self.init(
          .busy,
          "all connections of this store have waited for the server's responses for \(seconds) s or longer. Retry. If "
            + "the error persists, search pg_stat_activity for slow statements, and check the network and any pooler "
            + "between this program and the server")
      case .crowded:
        self.init(
          .busy,
          "\(SQLPool.mostWaiting) calls of this store already wait for the server, so this call had no effect. Retry "
            + "later, and run fewer calls at the same time")
      case .standby(let message): self.init(state: "25006", message, options)
      case .locked(let message):
        self.init(
          .busy,
          "schema \"\(options.schema)\": another session held a lock for longer than \(limit): \(message)")
      case .closed: self = .storeClosed
      }
    }

    /// Creates the error for a log in a format that only a newer program can use.
    static func newerFormat(_ format: Int, _ options: PostgresOptions) -> EventStoreError {
      newerFormat(
        found: format,
        "expected a log of format \(SchemaText.format) or older in schema \"\(options.schema)\", found format "
          + "\(format), which a newer version of Annals created; update this program")
    }

    /// Creates the error for a log that has to be migrated first.
    static func olderFormat(_ format: Int, _ options: PostgresOptions) -> EventStoreError {
      var error = EventStoreError(
        .olderFormat,
        "expected a log of format \(SchemaText.format) in schema \"\(options.schema)\", found format \(format). "
          + "Programs that know only format \(format) can't open a migrated log, so opening doesn't migrate the log by "
          + "default. Migrate it with `annals migrate URL`, or open it once with PostgresOptions(setup: .migrate)")
      error.format = format
      return error
    }

    /// Creates the error for a schema without a log.
    static func missingLog(_ options: PostgresOptions) -> EventStoreError {
      EventStoreError(
        .io,
        "expected a log in schema \"\(options.schema)\", found none. Check the names of the database and the schema, "
          + "or create the log with a program that opens it with PostgresOptions(setup: .create)")
    }

    /// Creates the error for an SQLSTATE code from the server (postgresql.org/docs, "PostgreSQL Error Codes").
    private init(state: String, _ message: String, _ options: PostgresOptions) {
      let place = "schema \"\(options.schema)\""
      switch state {
      case "42501":
        self.init(
          .refused,
          "\(place): \(message). Docs/PostgreSQL.md lists the privileges that a role needs")
      case "25006", "0A000":
        // A standby reports the start of a write transaction as an unsupported feature (0A000).
        self.init(
          .readOnly, "\(place): \(message). The server is a standby, which can't write. Connect to the primary server")
      case "3F000", "42P01", "42883", "P0002":
        self.init(
          .replaced,
          "\(place): \(message). The log was removed, or the schema doesn't contain an Annals log. Check the schema's "
            + "name, and reopen the log")
      case "42703", "42P07", "42804":
        self.init(
          .notALog,
          "\(place): \(message). The schema contains another program's tables. Choose another schema")
      case "55P03", "57014", "40001", "40P01":
        self.init(.busy, "\(place): \(message). The server canceled the statement. Retry")
      case "54000":
        self.init(
          .invalidAppend,
          "\(place): \(message). PostgreSQL can index at most 2,700 bytes, but a stream name, a tag, a type or an id "
            + "is longer. Choose a shorter value")
      case "22021", "22P05":
        self.init(
          .invalidAppend,
          "\(place): \(message). A string in the append contains a character that the database can't store, such as "
            + "NUL. Remove the character")
      case "53100":
        self.init(
          .io,
          "\(place): \(message). The server's disk is full, and no event was added. Free disk space and retry")
      default:
        let isPassing = state.hasPrefix("08") || state.hasPrefix("57P")
        self.init(isPassing ? .unreachable : .io, "\(place): \(message)\(state.isEmpty ? "" : " (SQLSTATE \(state))")")
      }
    }
  }
#endif
