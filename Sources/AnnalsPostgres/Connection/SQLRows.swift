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
#endif
