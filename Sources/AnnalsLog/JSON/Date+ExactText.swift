package import Foundation

/// The strings of dates in payloads.
///
/// Foundation's formatters write at most three fractional digits, but a date in a payload must be read back exactly.
/// Otherwise a list that is built from the log would differ from the list that received the event itself.
extension Date {
  /// The seconds from 1970 to 2001, the date from which `Date` counts.
  private static let secondsTo2001 = Int64(timeIntervalBetween1970AndReferenceDate)

  /// Returns the parts of the date's string, or `nil` if RFC 3339 with nine fractional digits can't represent the date
  /// exactly.
  ///
  /// `Date` contains a `Double`, whose step is 0.12 microseconds in the years from 2018 to 2034, so seven digits are
  /// enough there. Dates close to January 1, 2001 can have more digits.
  package var exactParts: RFC3339.Parts? {
    let value = timeIntervalSinceReferenceDate
    let whole = value.rounded(.down)
    guard whole.magnitude < 1e12 else { return nil }
    let seconds = Int64(whole) + Self.secondsTo2001
    guard RFC3339.secondsHeld.contains(seconds) else { return nil }
    let fraction = value - whole
    var (scale, step) = (1.0, 1_000_000_000 as Int64)
    while step > 0 {
      let nanoseconds = Int64((fraction * scale).rounded(.toNearestOrEven)) * step
      if nanoseconds < 1_000_000_000 {
        let parts = RFC3339.Parts(seconds: seconds, nanoseconds: nanoseconds)
        // The bits are compared, because -0.0 equals 0.0.
        if Date(parts).timeIntervalSinceReferenceDate.bitPattern == value.bitPattern { return parts }
      }
      (scale, step) = (scale * 10, step / 10)
    }
    return nil
  }

  /// Creates a date from the parts of a string.
  package init(_ parts: RFC3339.Parts) {
    self.init(
      timeIntervalSinceReferenceDate: Double(parts.seconds - Self.secondsTo2001)
        + Double(parts.nanoseconds) / 1_000_000_000)
  }
}

extension JSONValue {
  /// The time of a stored date, or `nil` if the value is no date.
  ///
  /// A date is a time or a day as a string, or the number of seconds since 2001 that older versions stored.
  package var storedTime: RFC3339.Parts? {
    switch self {
    case .string(let text): RFC3339.parts(ofTimeOrDay: text)
    case .number: Double(text).flatMap { Date(timeIntervalSinceReferenceDate: $0).exactParts }
    default: nil
    }
  }
}
