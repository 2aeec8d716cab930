#if Postgres
  import CAnnalsPQ

  /// The rows of a statement's result.
  ///
  /// `@unchecked Sendable`: libpq's result is a block of memory that isn't modified after its creation.
  final class SQLRows: @unchecked Sendable {
    private let result: OpaquePointer

    /// Takes ownership of a libpq result.
    init(_ result: OpaquePointer) { self.result = result }

    deinit { PQclear(result) }

    var count: Int { Int(PQntuples(result)) }
    /// The name of the executed command, such as `COMMIT`.
    var status: String { String(cString: PQcmdStatus(result)) }

    /// Returns the string in a cell, or `nil` for null.
    func text(_ row: Int, _ column: Int) -> String? {
      if PQgetisnull(result, Int32(row), Int32(column)) != 0 { return nil }
      guard let bytes = PQgetvalue(result, Int32(row), Int32(column)) else { return nil }
      let count = Int(PQgetlength(result, Int32(row), Int32(column)))
      return String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// Returns the number in a cell, or `nil` for null.
    func int(_ row: Int, _ column: Int) -> Int? { text(row, column).flatMap(Int.init) }
  }

  /// The reason why a connection couldn't do its work.
  enum SQLFailure: Error, Sendable {
    /// The server refused a statement, and rolled back all statements that were sent with it.
    case refused(state: String, message: String)
    /// No connection could be opened, and no statement was sent.
    case unreachable(String)
    /// The server is reachable but has no free connection.
    ///
    /// No statement was sent.
    case full(String)
    /// The server rejects the client permanently.
    ///
    /// No statement was sent.
    case rejected(String)
    /// The connection was lost after statements were sent, so the outcome is unknown.
    case lost(String)
    /// No connection became free before the timeout, and no statement was sent.
    case busy
    case closed
  }
#endif
