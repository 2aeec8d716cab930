import Annals
import AnnalsLog
package import Foundation

/// How times are shown to people.
package struct TimeStyle: Sendable {
  /// What a time is shown as.
  package enum Form: Sendable {
    /// The whole RFC 3339 text in UTC.
    case utc
    /// The same with the offset of a zone.
    case local(TimeZone)
    /// How long ago it was, from the moment that the closure answers: `2 days ago`.
    case relative(@Sendable () -> Date)
    /// Nothing.
    case none
  }

  private let form: Form

  /// - Parameter form: What a time is shown as.
  package init(_ form: Form = .utc) { self.form = form }

  /// A time in microseconds since 1970 as text, such as `2026-11-22T01:51:34.294829Z`; "" where no times are shown.
  package func text(_ microseconds: Int64) -> String {
    switch form {
    case .utc: RFC3339.text(microseconds: microseconds)
    case .local(let zone): Self.text(microseconds, in: zone)
    case .relative(let now): Self.text(microseconds, before: now())
    case .none: ""
    }
  }

  /// A time as one of the columns of a line; none where no times are shown.
  package func column(_ microseconds: Int64) -> [String] {
    if case .none = form { [] } else { [text(microseconds)] }
  }

  /// A time with the words that lead to it, such as `, moved 2 days ago`; "" where no times are shown.
  package func clause(_ lead: String, _ microseconds: Int64) -> String {
    column(microseconds).map { lead + $0 }.joined()
  }

  /// A time as a cell of a table, which has the time itself for programs.
  func cell(_ microseconds: Int64) -> TableCell {
    switch form {
    case .utc: .text(text(microseconds))
    case .local, .relative, .none: .shown(as: text(microseconds), .text(RFC3339.text(microseconds: microseconds)))
    }
  }

  private static func text(_ microseconds: Int64, in zone: TimeZone) -> String {
    let seconds = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(microseconds) / 1_000_000))
    if seconds == 0 { return RFC3339.text(microseconds: microseconds) }
    let (moved, isOutside) = microseconds.addingReportingOverflow(Int64(seconds) * 1_000_000)
    if isOutside { return RFC3339.text(microseconds: microseconds) }
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let sign = seconds < 0 ? "-" : "+"
    return RFC3339.text(microseconds: moved).dropLast() + sign + two(abs(seconds) / 3_600) + ":"
      + two(abs(seconds) / 60 % 60)
  }

  /// Two or more of the largest unit, in words that `--at` reads too; months have 30 days, and years 365.
  private static func text(_ microseconds: Int64, before now: Date) -> String {
    let seconds = now.timeIntervalSince1970 - Double(microseconds) / 1_000_000
    let units: [(name: String, seconds: Double)] = [
      ("year", 365 * 86_400), ("month", 30 * 86_400), ("week", 7 * 86_400), ("day", 86_400), ("hour", 3_600),
      ("minute", 60),
    ]
    let unit = units.first { abs(seconds) >= 2 * $0.seconds } ?? ("second", 1)
    let count = Text.counted(Int(abs(seconds) / unit.seconds), unit.name)
    return seconds < 0 ? "in \(count)" : "\(count) ago"
  }
}
