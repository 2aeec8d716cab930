import Foundation

/// The prices and times of the garage, without events.
enum Fee {
  /// The fee of a stay: 15 minutes are free, and then every started half hour costs 1.50.
  static func cents(_ minutes: Int) -> Int {
    (bug(1) ? minutes < 15 : minutes <= 15) ? 0 : 150 * ((minutes + 29) / 30)
  }

  /// Whether a time is in the night in UTC, when the gate is closed.
  static func isNight(_ time: Date) -> Bool {
    var calendar = Calendar(identifier: .gregorian)
    if let utc = TimeZone(identifier: "UTC"), !bug(10) { calendar.timeZone = utc }
    if bug(10) { calendar.timeZone = .current }
    return !(6..<22).contains(calendar.component(.hour, from: time))
  }

  /// The garage's calendar.
  static let berlin: Calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(identifier: "Europe/Berlin") ?? .gmt
    return calendar
  }()

  /// The end of a day ticket, which is the following midnight in Berlin.
  static func end(ofTicketAt time: Date) -> Date {
    let start = berlin.startOfDay(for: time)
    if bug(22) { return start.addingTimeInterval(86_400) }
    return berlin.date(byAdding: .day, value: 1, to: start) ?? start
  }

  /// The minutes of a stay as they are stored in a ticket's strip.
  static func strip(_ minutes: Int) -> [UInt8] {
    let number = bug(21) ? Int(Int16(truncatingIfNeeded: minutes)) : minutes
    return withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }

  static func minutes(onStrip strip: [UInt8]) -> Int {
    strip.reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}
