import Annals

/// The numbers that a log can have.
///
/// A log is a file, and may hold any 64 bits in any of its numbers. Positions, versions and counts that no log can
/// reach are damage. The others can be added without an overflow.
enum LogNumber {
  /// The largest position, version, transaction or count: 2^53, which a JSON number in any language holds.
  static let most: Int64 = 1 << 53

  /// True of a number that counts from 1.
  @inline(__always)
  static func isPlace(_ number: Int64) -> Bool { number >= 1 && number <= most }

  /// A number that counts from 0, or an error that says what it is.
  ///
  /// - Parameters:
  ///   - number: The number, as the file has it.
  ///   - what: What it is, for the error: "the horizon".
  ///   - path: The file.
  /// - Returns: The number.
  /// - Throws: ``EventStoreError`` with the code `corrupt`.
  static func checked(_ number: Int64, _ what: @autoclosure () -> String, in path: String) throws -> Int {
    guard number >= 0, number <= most else {
      throw EventStoreError(
        .corrupt,
        "\(path): is damaged: expected \(what()) to be a number from 0 to \(most), found \(number); restore the log "
          + "from a copy")
    }
    return Int(number)
  }
}

extension SQLiteConnection {
  /// The first column of the first row of an answer as a number that counts from 0; nil if there is none.
  func number(_ sql: String, _ what: @autoclosure () -> String) throws -> Int? {
    try int(sql).map { try LogNumber.checked($0, what(), in: path) }
  }
}
