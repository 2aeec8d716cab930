#if Postgres
  import AnnalsRemote

  /// The reason why a connection couldn't do its work.
  enum SQLFailure: Error, Sendable {
    /// The server refused a statement, and rolled back all statements that were sent with it.
    case refused(state: String, message: String)
    /// No server accepted a connection, and no statement was sent.
    ///
    /// The address might be wrong.
    case unreachable(String)
    /// A server accepted a connection, but closed it before it was open, for example because the server is starting.
    ///
    /// No statement was sent. A later attempt to connect with the same URL can succeed.
    case interrupted(String)
    /// The server is reachable but has no free connection.
    ///
    /// No statement was sent.
    case full(String)
    /// A later attempt to connect with the same URL would fail as well.
    ///
    /// No statement was sent.
    case rejected(String, remedy: String)
    /// The connection was lost after statements were sent, so the outcome is unknown.
    case lost(String)
    /// The server committed an append, but didn't confirm that the append survives a failure of the server.
    case unconfirmed(String)
    /// The server is a standby, and refused to write.
    ///
    /// The pool has closed its connections to the standby, so the next attempt reaches the primary if the address now
    /// belongs to the primary.
    case standby(String)
    /// Another session held a lock for too long, and the server rolled back the statements.
    ///
    /// The message names the session.
    case locked(String)
    /// No connection became free before the timeout, and no statement was sent.
    case busy
    /// No connection became free before the timeout, because server processes hold locks.
    ///
    /// No statement was sent. The numbers are the ids of the server processes.
    case blocked(by: [Int])
    /// No connection became free before the timeout, because all connections wait for responses.
    ///
    /// No statement was sent. The number is the minimum time for which they have received no data.
    case silent(seconds: UInt64)
    /// Too many other calls wait, and no statement was sent.
    case crowded
    case closed
  }

  extension SQLFailure {
    var isStandby: Bool { if case .standby = self { true } else { false } }
    var isUnreachable: Bool { if case .unreachable = self { true } else { false } }

    /// The message of the server or of libpq, or `nil` if the pool itself failed the work.
    var message: String? {
      switch self {
      case .refused(_, let message), .unreachable(let message), .interrupted(let message), .full(let message),
        .rejected(let message, _), .lost(let message), .unconfirmed(let message), .standby(let message),
        .locked(let message):
        message
      case .busy, .blocked, .silent, .crowded, .closed: nil
      }
    }

    /// The failure if the server confirms another end of a transaction than its commit.
    static let rolledBack = SQLFailure.refused(
      state: "", message: "the server rolled back the transaction without an error. Retry")

    /// Creates the failure if a server hasn't responded for a time in nanoseconds.
    static func late(after nanoseconds: UInt64) -> SQLFailure {
      let time = Duration.nanoseconds(Int64(clamping: nanoseconds))
      return .unreachable("the server didn't respond within \(time.spelled)")
    }

    /// The remedy if the server rejects the user.
    static let access = "check the URL (user, password, database) and the server's pg_hba.conf"

    /// Creates the failure for a connection that couldn't be opened.
    ///
    /// The words of a message depend on the server's language (`lc_messages`), so only its SQLSTATE codes are compared.
    ///
    /// - Parameters:
    ///   - message: libpq's message, with the verbosity `PQERRORS_VERBOSE`.
    ///   - other: A closure that returns the failure if the message contains no code, because it's libpq's own message.
    init(toConnect message: String, without other: () -> SQLFailure) {
      let states = Self.states(in: message)
      // PgBouncer has the same code for most of its messages, and doesn't translate them.
      if states.contains("53300") || message.contains("no more connections allowed") {
        self = .full(message)
      } else if states.isEmpty {
        self = other()
      } else if states.contains(where: { ["08", "53", "57", "58", "XX"].contains($0.prefix(2)) }) {
        // The server is starting or stopping (57), lacks memory or another resource (53, 58, XX), or a pooler has lost
        // its server (08).
        self = .interrupted(message)
      } else {
        self = .rejected(message, remedy: Self.access)
      }
    }

    /// Returns the SQLSTATE codes in a message, one per failed attempt.
    ///
    /// libpq writes `FATAL:  57P03: message`. The severity can be translated.
    private static func states(in message: String) -> [Substring] {
      message.split(separator: ":  ", omittingEmptySubsequences: false).dropFirst().compactMap { part in
        let state = part.prefix(5)
        let isState = state.utf8.count == 5 && state.allSatisfy { $0.isNumber || $0.isUppercase }
        return isState && part.dropFirst(5).hasPrefix(": ") ? state : nil
      }
    }

    /// Returns libpq's message in one line, without the place in the server's source code.
    static func sentence(_ message: String) -> String {
      message.split(separator: "\n").map { $0.drop(while: \.isWhitespace) }.filter { line in
        // For example `LOCATION:  ProcessStartupPacket, postmaster.c:2415`, where the first word can be translated.
        let parts = line.split(separator: ":")
        return !(parts.count > 1 && Int(parts[parts.count - 1]) != nil && parts[parts.count - 2].hasSuffix(".c"))
      }.joined(separator: "; ")
    }
  }
#endif
