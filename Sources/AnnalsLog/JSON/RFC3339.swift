package import Foundation

/// Functions that write and parse times in the format of RFC 3339, with microseconds.
package enum RFC3339 {
  /// The range of times that RFC 3339 can represent: the years 0000 to 9999, in UTC.
  package static let moments: ClosedRange<Int64> = -62_167_219_200_000_000...253_402_300_799_999_999

  /// Returns the canonical string of a time, in UTC and with only as many fractional digits as needed.
  ///
  /// A time outside the years 0000 to 9999 isn't valid in RFC 3339 and cannot be read back. It is written in ISO 8601's
  /// expanded format, in which the year has a sign and six digits.
  package static func text(microseconds: Int64) -> String {
    let text = JSONText(capacity: 32)
    write(microseconds: microseconds, to: text)
    return text.text
  }

  /// Writes the string of a time.
  static func write(microseconds: Int64, to text: JSONText) {
    let (seconds, rest) = floorDivide(microseconds, by: 1_000_000)
    write(Parts(seconds: seconds, nanoseconds: rest * 1_000), to: text)
  }

  /// A time with whole seconds since 1970 in UTC.
  package struct Parts: Comparable, Sendable {
    package var seconds: Int64
    /// The fraction of the second, from 0 to 999,999,999.
    package var nanoseconds: Int64

    package static func < (left: Parts, right: Parts) -> Bool {
      (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }
  }

  /// Writes the string of a time, with only the needed fractional digits.
  static func write(_ time: Parts, to text: JSONText) {
    let (days, seconds) = floorDivide(time.seconds, by: 86_400)
    let (year, month, day) = date(ofDay: days)
    if (0...9_999).contains(year) {
      append(year, 4, to: text)
    } else {
      text.add(UInt8(ascii: year < 0 ? "-" : "+"))
      append(abs(year), 6, to: text)
    }
    func add(_ mark: Unicode.Scalar, _ value: Int64) {
      text.add(UInt8(ascii: mark))
      append(value, 2, to: text)
    }
    add("-", month)
    add("-", day)
    add("T", seconds / 3_600)
    add(":", seconds / 60 % 60)
    add(":", seconds % 60)
    var (fraction, width) = (time.nanoseconds, 9)
    if fraction > 0 {
      while fraction % 10 == 0 { (fraction, width) = (fraction / 10, width - 1) }
      text.add(UInt8(ascii: "."))
      append(fraction, width, to: text)
    }
    text.add(UInt8(ascii: "Z"))
  }

  /// Parses a time, or returns `nil` if the string is invalid or isn't in the years 0000 to 9999 in UTC.
  ///
  /// Digits beyond microseconds are truncated. A leap second, `23:59:60Z`, is read as the second after it, as in POSIX.
  package static func microseconds(of text: String) -> Int64? {
    var text = text
    return text.withUTF8 { parts(of: $0) }.map { $0.seconds * 1_000_000 + $0.nanoseconds / 1_000 }
  }

  /// Parses a time or a day, or returns `nil` if the string is neither.
  ///
  /// A day such as 2026-03-31 means its beginning in UTC. Digits beyond nanoseconds are truncated.
  package static func parts(ofTimeOrDay text: String) -> Parts? {
    var text = text.utf8.count == 10 ? text + "T00:00:00Z" : text
    return text.withUTF8 { parts(of: $0) }
  }

  /// Parses a time, or returns `nil` if the string is invalid or isn't in the years 0000 to 9999 in UTC.
  ///
  /// Digits beyond nanoseconds are truncated.
  static func parts(of bytes: UnsafeBufferPointer<UInt8>) -> Parts? {
    var place = 0
    func digit() -> Int64? {
      guard place < bytes.count, bytes[place] >= 0x30, bytes[place] <= 0x39 else { return nil }
      place += 1
      return Int64(bytes[place - 1] - 0x30)
    }
    func number(_ count: Int, _ range: ClosedRange<Int64>) -> Int64? {
      var value: Int64 = 0
      for _ in 0..<count {
        guard let digit = digit() else { return nil }
        value = value * 10 + digit
      }
      return range.contains(value) ? value : nil
    }
    func skip(_ letters: StaticString) -> Bool {
      guard place < bytes.count else { return false }
      for index in 0..<letters.utf8CodeUnitCount where letters.utf8Start[index] == bytes[place] {
        place += 1
        return true
      }
      return false
    }
    guard let year = number(4, 0...9_999), skip("-"), let month = number(2, 1...12), skip("-"),
      let day = number(2, 1...31)
    else { return nil }
    guard day <= daysInMonth(year, month), skip("Tt "), let hour = number(2, 0...23), skip(":"),
      let minute = number(2, 0...59)
    else { return nil }
    guard skip(":"), let second = number(2, 0...60) else { return nil }
    var fraction: Int64 = 0
    if skip(".") {
      var count = 0
      while let digit = digit() {
        if count < 9 { fraction = fraction * 10 + digit }
        count += 1
      }
      if count == 0 { return nil }
      for _ in min(count, 9)..<9 { fraction *= 10 }
    }
    var offset: Int64 = 0
    if !skip("Zz") {
      let sign: Int64 = place < bytes.count && bytes[place] == UInt8(ascii: "-") ? -1 : 1
      guard skip("+-"), let hours = number(2, 0...23), skip(":"), let minutes = number(2, 0...59) else { return nil }
      offset = sign * (hours * 3_600 + minutes * 60)
    }
    guard place == bytes.count else { return nil }
    let seconds = self.day(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset
    return secondsHeld.contains(seconds) ? Parts(seconds: seconds, nanoseconds: fraction) : nil
  }

  /// The seconds of ``moments``.
  static let secondsHeld = moments.lowerBound / 1_000_000...moments.upperBound / 1_000_000

  /// Parses a time as a date, or returns `nil` if RFC 3339 cannot represent it in UTC.
  package static func date(of text: String) -> Date? {
    microseconds(of: text).map { moment in
      let date = Date(microseconds: moment)
      // A date in the year 9999 is exact only to 30 microseconds, so rounding could move it to the year 10000.
      return date.microseconds <= moments.upperBound ? date : Date(timeIntervalSince1970: 253_402_300_800.0.nextDown)
    }
  }

  /// Adds the digits of a number, padded with zeros to a width.
  private static func append(_ value: Int64, _ width: Int, to text: JSONText) {
    var (power, count) = (1 as Int64, 1)
    while count < width || value / power >= 10 { (power, count) = (power * 10, count + 1) }
    var rest = value
    while power > 0 {
      text.add(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / power))
      rest %= power
      power /= 10
    }
  }

  private static func floorDivide(_ value: Int64, by divisor: Int64) -> (quotient: Int64, rest: Int64) {
    let (quotient, rest) = value.quotientAndRemainder(dividingBy: divisor)
    // The remainder is not subtracted from the value, because this would overflow for the smallest integer.
    return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
  }

  private static func isLeap(_ year: Int64) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

  private static func daysInMonth(_ year: Int64, _ month: Int64) -> Int64 {
    month == 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  /// Returns the days since 1970-01-01 in the Gregorian calendar.
  ///
  /// In this computation, years begin in March, so that the leap day is the last day of a year.
  private static func day(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month > 2 ? year : year - 1
    let (era, yearOfEra) = floorDivide(shifted, by: 400)
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func date(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = floorDivide(day + 719_468, by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let part = (5 * dayOfYear + 2) / 153
    let month = part < 10 ? part + 3 : part - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * part + 2) / 5 + 1)
  }
}
