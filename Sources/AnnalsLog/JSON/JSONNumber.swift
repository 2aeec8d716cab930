/// A JSON number that is compared by its exact decimal value, and keeps its original string.
///
/// A stored payload can contain numbers that a `Double` can't represent. For example, a `Double` can't distinguish
/// 9007199254740993 from 9007199254740992, and 1e999 would be infinite.
public struct JSONNumber: Hashable, Comparable, Sendable {
  /// The number as it was originally written, such as `1.50`.
  public let text: String
  /// True for a number below zero.
  ///
  /// Zero is never negative, even if it was written as "-0".
  package let isNegative: Bool
  /// The significant digits as 0…9, without zeros at either end, and empty for zero.
  package let digits: [UInt8]
  /// The exponent of the power of ten by which the first digit is multiplied, or 0 if the number is zero.
  package let exponent: Int

  /// The largest exponent that a number's string can have.
  ///
  /// The smallest exponent is -1,000,000,000.
  package static let largestPower = 1_000_000_000

  /// Creates a number from a string that follows JSON's grammar.
  ///
  /// The result is `nil` if the exponent is beyond ±1,000,000,000. No JSON reader could use such a number.
  package init?(text: String) {
    self.text = text
    var negative = false
    var all: [UInt8] = []
    var scale = 0
    var power = 0
    var inFraction = false
    var bytes = Substring(text).utf8
    if bytes.first == UInt8(ascii: "-") {
      negative = true
      bytes.removeFirst()
    }
    while let byte = bytes.popFirst() {
      switch byte {
      case UInt8(ascii: "."): inFraction = true
      case UInt8(ascii: "e"), UInt8(ascii: "E"):
        // The absolute value is not used, because the smallest integer has none.
        guard let value = Int(Substring(bytes)), (-Self.largestPower...Self.largestPower).contains(value) else {
          return nil
        }
        power = value
        bytes = Substring("").utf8
      default:
        all.append(byte &- UInt8(ascii: "0"))
        if inFraction { scale += 1 }
      }
    }
    let firstSignificant = all.firstIndex { $0 != 0 }
    guard let firstSignificant, let last = all.lastIndex(where: { $0 != 0 }) else {
      isNegative = false
      digits = []
      exponent = 0
      return
    }
    isNegative = negative
    digits = Array(all[firstSignificant...last])
    exponent = power + (all.count - scale) - 1 - firstSignificant
  }

  /// Creates a number from an integer.
  ///
  /// - Parameter value: The integer.
  public init(_ value: Int) {
    self.init(text: String(value))!  // An integer's text is a number without an exponent.
  }

  /// Creates a number from a double, or returns `nil` if the double is infinite or NaN.
  ///
  /// - Parameter value: The double.
  public init?(_ value: Double) {
    guard value.isFinite else { return nil }
    self.init(text: "\(value)")
  }

  /// The nearest double, or `nil` if the number is outside the range of `Double`.
  public var double: Double? { Double(text).flatMap { $0.isFinite ? $0 : nil } }

  /// The number as an `Int`, or `nil` if the number isn't an integer or is outside the range of `Int`.
  public var int: Int? {
    if digits.isEmpty { return 0 }
    guard exponent >= digits.count - 1, exponent <= 18 else { return nil }
    let zeros = String(repeating: "0", count: exponent - digits.count + 1)
    return Int((isNegative ? "-" : "") + digitText + zeros)
  }

  private var digitText: String { String(decoding: digits.map { $0 + UInt8(ascii: "0") }, as: UTF8.self) }

  /// A string for the number's value, which is the same for all equal numbers.
  ///
  /// If ``exponent`` is from -6 to 20, the string contains only digits and a point. Otherwise, it has an exponent.
  package var canonicalText: String {
    guard !digits.isEmpty else { return "0" }
    let sign = isNegative ? "-" : ""
    let all = digitText
    if exponent >= digits.count - 1, exponent < 21 {
      return sign + all + String(repeating: "0", count: exponent - digits.count + 1)
    }
    if exponent >= 0, exponent < 21 {
      return sign + all.prefix(exponent + 1) + "." + all.dropFirst(exponent + 1)
    }
    if exponent < 0, exponent > -7 {
      return sign + "0." + String(repeating: "0", count: -exponent - 1) + all
    }
    // A number that was written with many digits before or after the point can have an exponent beyond the limit. Then
    // some digits are written before or after the point, so that the written exponent is within the limit.
    if exponent < -Self.largestPower {
      let zeros = String(repeating: "0", count: -Self.largestPower - exponent - 1)
      return sign + "0." + zeros + all + "e-\(Self.largestPower)"
    }
    let before = max(1, exponent - Self.largestPower + 1)
    let whole = all.prefix(before)
    let zeros = String(repeating: "0", count: before - whole.utf8.count)
    return sign + whole + zeros + (digits.count > before ? "." + all.dropFirst(before) : "")
      + "e\(min(exponent, Self.largestPower))"
  }

  /// Returns whether two numbers have the same decimal value, even if they were written differently.
  public static func == (left: JSONNumber, right: JSONNumber) -> Bool {
    left.isNegative == right.isNegative && left.exponent == right.exponent && left.digits == right.digits
  }

  /// Hashes the number's decimal value.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(isNegative)
    hasher.combine(exponent)
    hasher.combine(digits)
  }

  /// Returns whether the left number's decimal value is less than the right number's decimal value.
  public static func < (left: JSONNumber, right: JSONNumber) -> Bool {
    if left.digits.isEmpty { return !right.digits.isEmpty && !right.isNegative }
    if right.digits.isEmpty { return left.isNegative }
    if left.isNegative != right.isNegative { return left.isNegative }
    let (smaller, larger) = left.isNegative ? (right, left) : (left, right)
    if smaller.exponent != larger.exponent { return smaller.exponent < larger.exponent }
    return smaller.digits.lexicographicallyPrecedes(larger.digits)
  }
}
