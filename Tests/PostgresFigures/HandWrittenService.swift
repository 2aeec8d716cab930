#if Postgres
  import CAnnalsPQ
  import Foundation
  import Synchronization

  /// The commands of a hand-written service, with a connection and prepared statements for every writer.
  ///
  /// A command reads the stream's last event, whose version is all that the rule of this load needs, and then adds an
  /// event with the next version. If another writer has added that version, the command is a conflict and is repeated.
  ///
  /// Unchecked, because only one writer uses the connection, and its commands never overlap.
  final class HandWrittenService: @unchecked Sendable {
    private let connection: OpaquePointer
    /// The number of conflicts so far.
    let conflicts = Mutex(0)

    /// Connects, and prepares the statements.
    ///
    /// - Parameters:
    ///   - url: The URL of the server.
    ///   - log: The table or the functions to use.
    /// - Throws: `Server.Failed` with the server's message.
    init(_ url: String, _ log: CommandLog) throws {
      guard let connection = PQconnectdb(url) else { throw Server.Failed(description: "expected memory for libpq") }
      self.connection = connection
      guard PQstatus(connection) == CONNECTION_OK else { throw failure }
      let (read, add) = Self.statements(for: log)
      if log == .messageDB { try check(PQexec(connection, "SET search_path TO message_store, public")) }
      try check(PQprepare(connection, "read", read, 0, nil))
      try check(PQprepare(connection, "add", add, 0, nil))
    }

    /// Returns the statements that read the version of a stream's last event, and add an event after a version.
    private static func statements(for log: CommandLog) -> (read: String, add: String) {
      switch log {
      case .annals: preconditionFailure("the commands of Annals are executed by its store")
      case .table:
        let read = "SELECT version, body FROM handwritten.event WHERE stream = $1 ORDER BY version DESC LIMIT 1"
        let add = """
          INSERT INTO handwritten.event (stream, version, type, body) VALUES ($1, $2::bigint + 1, 'Sent', $3)
          ON CONFLICT (stream, version) DO NOTHING RETURNING version
          """
        return (read, add)
      case .messageDB:
        let read = "SELECT position, data FROM get_last_stream_message($1)"
        let add = "SELECT write_message(gen_random_uuid()::text, $1, 'Sent', $3, NULL, $2)"
        return (read, add)
      }
    }

    deinit { PQfinish(connection) }

    /// Executes a command.
    ///
    /// - Parameters:
    ///   - number: The number in the event.
    ///   - stream: The stream.
    /// - Throws: `Server.Failed` with the server's message.
    func execute(_ number: Int, on stream: String) throws {
      while true {
        let version = try value("read", stream) ?? "-1"
        if try value("add", stream, version, #"{"number":\#(number)}"#) != nil { return }
        conflicts.withLock { $0 += 1 }
      }
    }

    /// Executes a prepared statement, and returns the first column of the first row.
    ///
    /// Returns nil without a row, or if message-db refuses the version.
    private func value(_ statement: String, _ values: String...) throws -> String? {
      let copies = values.map { strdup($0) }
      defer { copies.forEach { free($0) } }
      let result = PQexecPrepared(
        connection, statement, Int32(values.count), copies.map { UnsafePointer($0) }, nil, nil, 0)
      defer { PQclear(result) }
      if PQresultStatus(result) == PGRES_TUPLES_OK {
        return PQntuples(result) == 0 ? nil : String(cString: PQgetvalue(result, 0, 0))
      }
      // message-db has no SQLSTATE for this error.
      let message = PQresultErrorField(result, Int32(UInt8(ascii: "M"))).map { String(cString: $0) } ?? ""
      if message.hasPrefix("Wrong expected version") { return nil }
      throw failure
    }

    private func check(_ result: OpaquePointer?) throws {
      defer { PQclear(result) }
      if PQresultStatus(result) != PGRES_COMMAND_OK { throw failure }
    }

    private var failure: Server.Failed { Server.Failed(description: String(cString: PQerrorMessage(connection))) }
  }
#endif
