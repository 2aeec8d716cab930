import Foundation

/// A sum of decimal numbers that is exact until it is read, like ``DoubleSum``.
///
/// A number is stored as an integer multiple of 10^-128, in places of nine digits.
struct DecimalSum: Sendable {
  private static let base: Int64 = 1_000_000_000
  private var finite = LimbSum()
  private var nans = 0

  /// Adds a number `times` times, or subtracts it if `times` is -1.
  mutating func add(_ number: Decimal, times: Int) {
    guard !number.isNaN, let digits = UInt128(number.significand.magnitude.description) else { return nans += times }
    let shift = number.exponent + 128
    let sign = Int64(number.sign == .minus ? -times : times)
    // The lowest digits are added first, and zeros fill an incomplete place.
    let fill = UInt128((0..<shift % 9).reduce(1) { power, _ in power * 10 })
    var (rest, place) = (digits, shift / 9)
    var carry: UInt128 = 0
    while rest != 0 || carry != 0 {
      let part = rest % UInt128(Self.base) * fill + carry
      finite.add(sign * Int64(part % UInt128(Self.base)), at: place)
      rest /= UInt128(Self.base)
      carry = part / UInt128(Self.base)
      place += 1
    }
  }

  /// The sum, rounded once to the precision of a decimal number, with ties to even.
  ///
  /// The sum is NaN if one of the numbers is NaN, or if the sum is out of range.
  var value: Decimal {
    if nans > 0 { return .nan }
    let (limbs, isNegative) = finite.digits(base: Self.base)
    guard !limbs.isEmpty else { return 0 }
    // All digits, most significant first.
    var digits: [UInt8] = []
    for limb in limbs.reversed() {
      let text = String(limb).utf8.map { $0 - UInt8(ascii: "0") }
      digits += Array(repeating: 0, count: 9 - text.count) + text
    }
    var exponent = finite.first * 9 - 128
    digits.removeFirst(digits.firstIndex { $0 != 0 } ?? 0)
    while digits.last == 0 {
      digits.removeLast()
      exponent += 1
    }
    let most = digits.count == 39 && Self.number(digits[...]) != nil ? 39 : 38
    let dropped = max(digits.count - most, 0)
    guard var whole = Self.number(digits.dropLast(dropped)) else { return .nan }
    if dropped > 0 {
      let rest = digits.suffix(dropped)
      let isMore = rest.dropFirst().contains { $0 != 0 }
      if rest[rest.startIndex] > 5 || rest[rest.startIndex] == 5 && (isMore || whole % 2 == 1) { whole += 1 }
    }
    exponent += dropped
    while exponent > 127, whole <= UInt128.max / 10 {
      whole *= 10
      exponent -= 1
    }
    while exponent < -128, whole % 10 == 0 {
      whole /= 10
      exponent += 1
    }
    guard exponent <= 127, let significand = Decimal(string: String(whole)) else { return .nan }
    // `Decimal` shortens a significand with trailing zeros, so the significand's exponent could exceed the maximum
    // before both parts are joined. In contrast, a string is parsed as a whole.
    if exponent > 0 { return Decimal(string: "\(isNegative ? "-" : "")\(whole)e\(exponent)") ?? .nan }
    return Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: significand)
  }

  /// Returns the number with the given digits, or `nil` if the number is too large.
  private static func number(_ digits: ArraySlice<UInt8>) -> UInt128? {
    var number: UInt128 = 0
    for digit in digits {
      let (product, isTooLarge) = number.multipliedReportingOverflow(by: 10)
      let (sum, isOver) = product.addingReportingOverflow(UInt128(digit))
      if isTooLarge || isOver { return nil }
      number = sum
    }
    return number
  }
}
