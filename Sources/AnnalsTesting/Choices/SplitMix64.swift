/// A small, well-known pseudo-random number generator that can be split into independent generators.
///
/// The algorithm is from Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014. The same
/// seed produces the same numbers on every platform and in every version of this library.
public struct SplitMix64: RandomNumberGenerator, Hashable, Sendable {
  @usableFromInline var state: UInt64
  @usableFromInline let gamma: UInt64

  /// Creates a generator.
  ///
  /// - Parameter seed: The seed, which determines all numbers.
  @inlinable
  public init(seed: UInt64) {
    self.init(state: seed, gamma: 0x9E37_79B9_7F4A_7C15)
  }

  @inlinable
  init(state: UInt64, gamma: UInt64) {
    self.state = state
    self.gamma = gamma
  }

  /// Returns the next random number, in which all 64 bits are equally random.
  @inlinable
  public mutating func next() -> UInt64 {
    state &+= gamma
    return Self.mixed(state)
  }

  /// Creates another generator whose numbers are independent of this generator's numbers.
  ///
  /// - Returns: The other generator.
  public mutating func split() -> SplitMix64 {
    let seed = next()
    state &+= gamma
    return SplitMix64(state: seed, gamma: Self.mixedGamma(state))
  }

  /// Returns a number below a bound quickly, with a bias below bound ÷ 2⁶⁴.
  @inlinable
  mutating func next(below bound: UInt64) -> UInt64 {
    next().multipliedFullWidth(by: bound).high
  }

  /// Returns a number from 0 through a bound.
  @inlinable
  mutating func next(through bound: UInt64) -> UInt64 {
    bound == .max ? next() : next(below: bound &+ 1)
  }

  @inlinable
  static func mixed(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// Returns an odd number whose bits change often enough to be used as a step.
  private static func mixedGamma(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 33)) &* 0xFF51_AFD7_ED55_8CCD
    z = (z ^ (z >> 33)) &* 0xC4CE_B9FE_1A85_EC53
    z = (z ^ (z >> 33)) | 1
    return (z ^ (z >> 1)).nonzeroBitCount < 24 ? z ^ 0xAAAA_AAAA_AAAA_AAAA : z
  }
}
