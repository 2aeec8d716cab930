import AnnalsLog
public import Foundation

/// Rows can be sorted, grouped into sections and identified by a decimal number.
///
/// Numbers are compared by their exact values, so 12.5 and 12.50 are equal. NaN is sorted last, as for a `Double`.
extension Decimal: OrderedValue {
  /// Writes the number with all of its digits.
  ///
  /// A price such as 12.99 has five bytes, and a number with 38 digits has 22 bytes.
  public func encode(into writer: inout KeyWriter) {
    guard let number = exactNumber else { return writer.write(pair: 0xFFFF) }
    guard !number.digits.isEmpty else { return writer.write(pair: 0x8000) }
    // The bytes of a negative number are inverted, so that numbers with a larger magnitude are sorted first.
    writer.write(descending: number.isNegative) { writer in
      // The smallest positive number is 10^-128. So the sum is at least 0x8001, and its inverse is less than 0x8000.
      writer.write(pair: UInt16(0x8001 + 128 + number.exponent))
      let digits = number.digits
      for index in stride(from: 0, to: digits.count, by: 2) {
        let second = index + 1 < digits.count ? digits[index + 1] : 0
        writer.write(byte: digits[index] * 10 + second + 1)
      }
      // The end is sorted before every other pair of digits.
      writer.write(byte: 0)
    }
  }

  /// The number's digits as a section key, such as "12.5".
  ///
  /// Equal numbers have equal keys. For example, the key of 12.50 is also "12.5".
  public var sectionKey: SectionKey { .other(exactNumber?.canonicalText ?? "NaN") }

  /// The same number in the form that doesn't depend on how the number was computed, such as 12.5 for 12.50.
  var canonical: Decimal {
    guard let number = exactNumber else { return .nan }
    return Decimal(string: number.canonicalText) ?? self
  }

  /// The number's digits and exponent, or `nil` for NaN.
  private var exactNumber: JSONNumber? {
    isNaN ? nil : JSONNumber(text: "\(sign == .minus ? "-" : "")\(significand.magnitude)e\(exponent)")
  }
}

/// Rows can be sorted, grouped into sections and identified by a duration.
extension Duration: OrderedValue {
  /// Writes the duration in attoseconds, so that negative durations sort before positive durations.
  public func encode(into writer: inout KeyWriter) { attoseconds.encode(into: &writer) }

  /// The exact number of seconds as a section key, such as "1.5 seconds".
  public var sectionKey: SectionKey {
    let number = JSONNumber(text: "\(attoseconds)e-18")
    return .other("\(number?.canonicalText ?? description) seconds")
  }
}

/// Rows can be sorted, grouped into sections and identified by a URL.
///
/// A relative URL with a base URL is treated as the absolute URL that they form.
extension URL: OrderedValue {
  /// Writes the absolute URL's string, so that URLs sort by the Unicode scalars of their strings.
  public func encode(into writer: inout KeyWriter) { absoluteString.encode(into: &writer) }

  /// The absolute URL's string as a section key.
  public var sectionKey: SectionKey { .string(absoluteString) }
}

extension KeyWriter {
  /// Writes two bytes, most significant first.
  fileprivate mutating func write(pair: UInt16) {
    write(byte: UInt8(pair >> 8))
    write(byte: UInt8(truncatingIfNeeded: pair))
  }
}
