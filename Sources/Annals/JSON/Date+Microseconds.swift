package import Foundation

extension Date {
  /// Whole microseconds since 1970, what a store keeps: an integer compares and sums the same in every language.
  package var microseconds: Int64 {
    let value = (timeIntervalSince1970 * 1_000_000).rounded()
    // A date that is no number is neither, and no integer.
    return value >= 9.2e18 ? .max : value > -9.2e18 ? Int64(value) : .min
  }

  /// Creates a date from whole microseconds since 1970.
  package init(microseconds: Int64) {
    self.init(timeIntervalSince1970: Double(microseconds) / 1_000_000)
  }
}
