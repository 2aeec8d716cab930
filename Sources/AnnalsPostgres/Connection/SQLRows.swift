#if Postgres
  import CAnnalsPQ

  /// The rows that a statement answered.
  ///
  /// `@unchecked Sendable`: a result of libpq is a block of memory that no one changes once it is there.
  final class SQLRows: @unchecked Sendable {
    private let result: OpaquePointer

    /// Takes over a result.
    init(_ result: OpaquePointer) { self.result = result }

    deinit { PQclear(result) }

    var count: Int { Int(PQntuples(result)) }
    /// What was done, such as `COMMIT`.
    var status: String { String(cString: PQcmdStatus(result)) }

    /// The text in a cell; nil for null.
    func text(_ row: Int, _ column: Int) -> String? {
      if PQgetisnull(result, Int32(row), Int32(column)) != 0 { return nil }
      guard let bytes = PQgetvalue(result, Int32(row), Int32(column)) else { return nil }
      let count = Int(PQgetlength(result, Int32(row), Int32(column)))
      return String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// The number in a cell; nil for null.
    func int(_ row: Int, _ column: Int) -> Int? { text(row, column).flatMap(Int.init) }
  }

  /// Why a connection could not do its work.
  enum SQLFailure: Error, Sendable {
    /// The server refused a statement; nothing of the work was done.
    case refused(state: String, message: String)
    /// There is no connection; nothing was sent.
    case unreachable(String)
    /// The server is there and has no connection left for us: nothing was sent.
    case full(String)
    /// The server refuses to connect us, and will again: nothing was sent.
    case rejected(String)
    /// The connection was lost after something was sent: the work may be done or not.
    case lost(String)
    /// No connection was free in time; nothing was sent.
    case busy
    case closed
  }
#endif
