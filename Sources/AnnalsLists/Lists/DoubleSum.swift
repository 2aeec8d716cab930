/// A sum of floating-point numbers that is exact until it is read, and depends only on the numbers.
///
/// The sum doesn't depend on the numbers' order, or on numbers that were added and later subtracted. A number is stored
/// as an integer multiple of 2^-1074, and such multiples are added as integers.
struct DoubleSum: Sendable {
  private var finite = LimbSum()
  private var nans = 0
  private var infinities = 0
  private var negativeInfinities = 0

  /// Adds a number `times` times, or subtracts it if `times` is -1.
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

  /// The sum, rounded once to the nearest number, with ties to even.
  ///
  /// The sum is NaN if one of the numbers is NaN or if both positive and negative infinity occur. The sum is infinite
  /// if infinities of only one sign occur or if the sum is out of range. Without numbers, the sum is 0, and never -0.
  var value: Double {
    if nans > 0 || infinities > 0 && negativeInfinities > 0 { return .nan }
    if infinities > 0 { return .infinity }
    if negativeInfinities > 0 { return -.infinity }
    let (digits, isNegative) = finite.digits(base: 1 << 32)
    guard let last = digits.last else { return 0 }
    let top = (digits.count - 1) * 32 + (63 - last.leadingZeroBitCount)
    func bit(_ index: Int) -> UInt64 { UInt64(digits[index / 32] >> Int64(index % 32)) & 1 }
    // A `Double` has 53 significant bits. If the sum has more bits, the remaining bits decide the rounding.
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
