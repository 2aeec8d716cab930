import Foundation

/// A naive model of a date in a payload, which counts years and months one by one.
struct DateModel: Codable {
  let date: Date

  init(of date: Date) { self.date = date }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let text = Self.text(date) {
      try container.encode(text)
    } else {
      try container.encode(date.timeIntervalSinceReferenceDate)
    }
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      guard let date = Self.date(text) else {
        throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "no time"))
      }
      self.date = date
    } else if container.decodeNil() {
      throw DecodingError.valueNotFound(Date.self, .init(codingPath: decoder.codingPath, debugDescription: "null"))
    } else {
      do {
        date = Date(timeIntervalSinceReferenceDate: try container.decode(Double.self))
      } catch DecodingError.typeMismatch(_, let context) {
        throw DecodingError.typeMismatch(Date.self, context)
      }
    }
  }

  private static func daysOfYear(_ year: Int) -> Int { daysOfMonths(year).reduce(0, +) }

  private static func daysOfMonths(_ year: Int) -> [Int] {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  }

  /// The days from the beginning of the year 0 to the beginning of every year.
  ///
  /// They are counted once, because counting them for every date took more than five minutes.
  private static let firstDays = (0..<10_000).reduce(into: [0]) { $0.append($0[$1] + daysOfYear($1)) }
  private static let daysTo2001 = firstDays[2001]

  /// The shortest string with at most nine fractional digits that is read as exactly the same date.
  static func text(_ date: Date) -> String? {
    let value = date.timeIntervalSinceReferenceDate
    guard value >= Double(-daysTo2001 * 86_400), value < 253e9 else { return nil }
    let whole = value.rounded(.down)
    let seconds = Int(whole) + daysTo2001 * 86_400
    var days = seconds / 86_400
    guard days < firstDays[10_000] else { return nil }
    // No year has more than 366 days, so the date isn't in an earlier year than this year.
    var (year, month) = (days / 366, 0)
    while firstDays[year + 1] <= days { year += 1 }
    days -= firstDays[year]
    while days >= daysOfMonths(year)[month] { (month, days) = (month + 1, days - daysOfMonths(year)[month]) }
    let rest = seconds % 86_400
    let start = String(
      format: "%04d-%02d-%02dT%02d:%02d:%02d", year, month + 1, days + 1, rest / 3_600, rest / 60 % 60, rest % 60)
    for digits in 0...9 {
      let fraction = String(format: "%.\(digits)f", value - whole)
      // A fraction that is rounded to 1 would need the next second.
      if fraction.hasPrefix("1") { continue }
      let text = start + fraction.dropFirst() + "Z"
      if self.date(text)?.timeIntervalSinceReferenceDate.bitPattern == value.bitPattern { return text }
    }
    return nil
  }

  /// The date of a string in RFC 3339, or nil if the string has another form.
  static func date(_ text: String) -> Date? {
    let form = /(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d))/
      .asciiOnlyDigits()
    guard let found = text.wholeMatch(of: form) else { return nil }
    func number(_ text: Substring?) -> Int { text.flatMap { Int($0) } ?? 0 }
    let (year, month, day) = (number(found.1), number(found.2), number(found.3))
    let (hour, minute, second) = (number(found.4), number(found.5), number(found.6))
    guard (1...12).contains(month), day >= 1, day <= daysOfMonths(year)[month - 1], hour < 24, minute < 60,
      second <= 60,
      number(found.9) < 24, number(found.10) < 60
    else { return nil }
    let days =
      firstDays[year] + daysOfMonths(year).prefix(month - 1).reduce(0, +) + day - 1
    let offset = (number(found.9) * 60 + number(found.10)) * (found.8 == "-" ? -60 : 60)
    let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - offset
    guard seconds >= 0, seconds < firstDays[10_000] * 86_400 else {
      return nil
    }
    let digits = (found.7 ?? ".0").dropFirst().prefix(9)
    let nanoseconds = Double(digits + String(repeating: "0", count: 9 - digits.count)) ?? 0
    return Date(timeIntervalSinceReferenceDate: Double(seconds - daysTo2001 * 86_400) + nanoseconds / 1e9)
  }
}
