/// The sum of floating-point numbers, exact until it is read: it depends on the numbers alone, and not on their order
/// or on what was there before.
///
/// A number is a whole multiple of 2^-1074, and such multiples are added as whole numbers are.
struct DoubleSum: Sendable {
  private var finite = LimbSum()
  private var nans = 0
  private var infinities = 0
  private var negativeInfinities = 0

  /// Adds a number `times` times: -1 takes it away.
  mutating func add(_ number: Double, times: Int) {
    if number.isNaN { return nans += times }
    if number.isInfinite {
      if number < 0 { negativeInfinities += times } else { infinities += times }
      return
    }
    let exponent = Int(number.exponentBitPattern)
    let mantissa = exponent == 0 ? number.significandBitPattern : number.significandBitPattern | 1 << 52
    let shift = max(exponent - 1, 0)
    var bits = UInt128(mantissa) << UInt128(shift % 32)
    let sign = Int64(number < 0 ? -times : times)
    var place = shift / 32
    while bits != 0 {
      finite.add(sign * Int64(bits & 0xFFFF_FFFF), at: place)
      bits >>= 32
      place += 1
    }
  }

  /// The sum, rounded once, to the nearest number, of two as near to the even one.
  ///
  /// NaN if one number is, or if both infinities are there; an infinity if one is there, or if the sum is beyond all
  /// numbers. Nothing is 0, which is never -0.
  var value: Double {
    if nans > 0 || infinities > 0 && negativeInfinities > 0 { return .nan }
    if infinities > 0 { return .infinity }
    if negativeInfinities > 0 { return -.infinity }
    let (digits, isNegative) = finite.digits(base: 1 << 32)
    guard let last = digits.last else { return 0 }
    let top = (digits.count - 1) * 32 + (63 - last.leadingZeroBitCount)
    func bit(_ index: Int) -> UInt64 { UInt64(digits[index / 32] >> Int64(index % 32)) & 1 }
    // The 53 bits that a number has room for; where the sum has more of them, half of the last one decides.
    let low = max(top + finite.first * 32 - 52, 0) - finite.first * 32
    var mantissa: UInt64 = 0
    for index in stride(from: top, through: low, by: -1) { mantissa = mantissa << 1 | (index < 0 ? 0 : bit(index)) }
    if low > 0, bit(low - 1) == 1 {
      let isMore = (0..<low - 1).contains { bit($0) == 1 }
      if isMore || mantissa & 1 == 1 { mantissa += 1 }
    }
    return Double(
      sign: isNegative ? .minus : .plus, exponent: low + finite.first * 32 - 1074, significand: Double(mantissa))
  }
}
