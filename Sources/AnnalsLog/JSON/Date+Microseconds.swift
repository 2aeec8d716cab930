package import Foundation

extension Date {
  /// The whole microseconds since 1970.
  ///
  /// Stores keep times in this form, because integers are compared and added in the same way in every programming
  /// language.
  package var microseconds: Int64 {
    let value = (timeIntervalSince1970 * 1_000_000).rounded()
    // The date can be infinite or NaN, which is not an integer.
    return value >= 9.2e18 ? .max : value > -9.2e18 ? Int64(value) : .min
  }

  /// Creates a date from whole microseconds since 1970.
  package init(microseconds: Int64) {
    self.init(timeIntervalSince1970: Double(microseconds) / 1_000_000)
  }
}
