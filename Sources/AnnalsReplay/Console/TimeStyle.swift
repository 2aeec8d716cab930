import Annals
package import Foundation

/// How times are shown to people.
package struct TimeStyle: Sendable {
  /// The zone of the times; nil to show the whole RFC 3339 text in UTC.
  package var zone: TimeZone?

  /// - Parameter zone: The zone of the times; nil for UTC.
  package init(zone: TimeZone? = nil) { self.zone = zone }

  /// A time in microseconds since 1970 as text, such as `2026-11-22T01:51:34.294829Z`.
  package func text(_ microseconds: Int64) -> String {
    guard let zone else { return RFC3339.text(microseconds: microseconds) }
    let seconds = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(microseconds) / 1_000_000))
    if seconds == 0 { return RFC3339.text(microseconds: microseconds) }
    let (moved, isOutside) = microseconds.addingReportingOverflow(Int64(seconds) * 1_000_000)
    if isOutside { return RFC3339.text(microseconds: microseconds) }
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let sign = seconds < 0 ? "-" : "+"
    return RFC3339.text(microseconds: moved).dropLast() + sign + two(abs(seconds) / 3_600) + ":"
      + two(abs(seconds) / 60 % 60)
  }
}
