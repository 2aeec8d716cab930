import AnnalsLog

/// The range of valid numbers in a log.
///
/// A damaged or hostile log file can contain any 64 bits in place of a number. Positions, versions and counts outside
/// this range are damage, because no log can reach them. Numbers inside the range can be added without an overflow.
enum LogNumber {
  /// The largest valid position, version, transaction number or count.
  ///
  /// The value is 2^53. JSON numbers up to this value are exact in every language.
  static let most: Int64 = 1 << 53

  /// Returns true if a number that is counted from 1 is valid.
  @inline(__always)
  static func isPlace(_ number: Int64) -> Bool { number >= 1 && number <= most }

  /// Returns a number that is counted from 0, or throws if the number is invalid.
  ///
  /// - Parameters:
  ///   - number: The number in the file.
  ///   - what: The number's name in the error message, for example "the number of compactions".
  ///   - path: The path of the file.
  /// - Returns: The number.
  /// - Throws: ``EventStoreError`` with the code `corrupt`.
  static func checked(_ number: Int64, _ what: @autoclosure () -> String, in path: String) throws -> Int {
    guard number >= 0, number <= most else {
      throw EventStoreError(
        .corrupt,
        "\(path): the log is damaged: expected \(what()) to be a number from 0 to \(most), found \(number); restore "
          + "the log from a copy")
    }
    return Int(number)
  }
}

extension SQLiteConnection {
  /// Returns the first column of a query's first row as a number that is counted from 0, or `nil` without a row.
  func number(_ sql: String, _ what: @autoclosure () -> String) throws -> Int? {
    try int(sql).map { try LogNumber.checked($0, what(), in: path) }
  }
}
