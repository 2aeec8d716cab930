import Annals

/// The range of numbers that a log can contain.
///
/// A log is a file, and can contain any 64 bits in any of its numbers. Positions, versions and counts that no log can
/// reach indicate damage. All other numbers can be added without an overflow.
enum LogNumber {
  /// The largest position, version, transaction or count: 2^53, the largest integer for JSON numbers in any language.
  static let most: Int64 = 1 << 53

  /// Returns true for a valid number that counts from 1.
  @inline(__always)
  static func isPlace(_ number: Int64) -> Bool { number >= 1 && number <= most }

  /// Returns a number that counts from 0, or throws an error that contains its name.
  ///
  /// - Parameters:
  ///   - number: The number in the file.
  ///   - what: The name of the number for the error: "the number of compactions".
  ///   - path: The path of the file.
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
  /// Returns the first column of the first row as a number that counts from 0, or `nil` without a row.
  func number(_ sql: String, _ what: @autoclosure () -> String) throws -> Int? {
    try int(sql).map { try LogNumber.checked($0, what(), in: path) }
  }
}
