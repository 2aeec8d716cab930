/// The integers of a range in order of simplicity.
///
/// Integers that are closer to a target are simpler. Of two numbers with the same distance, the larger number is first.
@usableFromInline
struct Spiral: Sendable {
  @usableFromInline let above: UInt64
  @usableFromInline let below: UInt64
  @usableFromInline let both: UInt64

  @inlinable
  init(above: UInt64, below: UInt64) {
    self.above = above
    self.below = below
    both = Swift.min(above, below)
  }

  /// Returns the difference between the integer at an index and the first integer, in two's complement.
  @inlinable
  func offset(_ index: UInt64) -> UInt64 {
    if index <= 2 &* both {
      let half = index / 2
      return index & 1 == 1 ? half &+ 1 : 0 &- half
    }
    let distance = index &- both
    return above > below ? distance : 0 &- distance
  }

  /// Returns the index of the integer at a distance.
  func index(distance: UInt64, isAbove: Bool) -> UInt64 {
    if distance > both { return both &+ distance }
    return isAbove ? 2 &* distance &- 1 : 2 &* distance
  }
}

extension Generator where Value: FixedWidthInteger & Sendable {
  /// Returns a generator of integers in a range.
  ///
  /// In small ranges, all numbers are equally likely. In large ranges, some numbers are more frequent: numbers near
  /// `target`, the numbers that are farthest from `target`, powers of two and ten, and numbers next to these powers.
  /// Many draws first choose a bit length, and then a distance from `target` with this bit length. So small, medium and
  /// large distances all occur.
  ///
  /// - Parameters:
  ///   - range: The range, which can be at most 64 bits wide.
  ///   - target: The number that failing cases shrink toward, by default 0. If this number is outside the range, cases
  ///     shrink toward the closest number in the range.
  /// - Returns: The generator.
  @inlinable
  public static func integer(in range: ClosedRange<Value>, toward target: Value = 0) -> Generator {
    precondition(Value.bitWidth <= 64, "an integer must have at most 64 bits (\(Value.self) has \(Value.bitWidth))")
    let target = Swift.min(Swift.max(target, range.lowerBound), range.upperBound)
    let first = UInt64(truncatingIfNeeded: target)
    let spiral = Spiral(
      above: UInt64(truncatingIfNeeded: range.upperBound) &- first,
      below: first &- UInt64(truncatingIfNeeded: range.lowerBound))
    let bound = spiral.above &+ spiral.below
    return Generator { source in
      let index = try source.choose(through: bound) { random in
        bound < 128
          ? random.next(below: bound &+ 1) : Spread.index(through: bound, spiral: spiral, from: first, using: &random)
      }
      return Value(truncatingIfNeeded: first &+ spiral.offset(index))
    }
  }
}

/// The distribution of integers in large ranges.
@usableFromInline
enum Spread {
  @usableFromInline
  static func index(
    through bound: UInt64, spiral: Spiral, from first: UInt64, using random: inout SplitMix64
  ) -> UInt64 {
    switch random.next(below: 16) {
    case 0: return bound &- random.next(below: 4)
    case 1: return special(through: bound, spiral: spiral, from: first, using: &random)
    case 2..<6: return random.next(through: bound)
    case 6..<10: return random.next(through: Swift.min(bound, 100))
    default:
      let bits = 64 - bound.leadingZeroBitCount
      let length = Int(truncatingIfNeeded: random.next(below: UInt64(truncatingIfNeeded: bits))) + 1
      let index = random.next() >> UInt64(truncatingIfNeeded: 64 - length)
      return index <= bound ? index : random.next(through: bound)
    }
  }

  /// Returns a power of two or ten or its neighbor, with either sign.
  private static func special(
    through bound: UInt64, spiral: Spiral, from first: UInt64, using random: inout SplitMix64
  ) -> UInt64 {
    var value: UInt64 = 1
    if random.next() & 1 == 0 {
      value <<= random.next(below: 64)
    } else {
      for _ in 0..<random.next(below: 20) { value = value &* 10 }
    }
    value = value &+ random.next(below: 3) &- 1
    if random.next() & 1 == 0 { value = 0 &- value }
    let up = value &- first
    if up != 0, up <= spiral.above { return spiral.index(distance: up, isAbove: true) }
    let down = first &- value
    if down <= spiral.below { return spiral.index(distance: down, isAbove: false) }
    return random.next(through: bound)
  }
}

extension Generator where Value == Int {
  /// Returns a generator of integers.
  ///
  /// - Parameters:
  ///   - range: The range, by default all `Int` values.
  ///   - target: The number that failing cases shrink toward, by default 0.
  /// - Returns: The generator.
  @inlinable
  public static func int(in range: ClosedRange<Int> = Int.min...Int.max, toward target: Int = 0) -> Generator {
    integer(in: range, toward: target)
  }
}

extension Generator where Value == Bool {
  /// A generator of Boolean values, which shrink toward false.
  public static var bool: Generator { bool(0.5) }

  /// Returns a generator of Boolean values, which shrink toward false.
  ///
  /// - Parameter probability: The probability of true, from 0 through 1.
  /// - Returns: The generator.
  @inlinable
  public static func bool(_ probability: Double) -> Generator {
    Generator { try $0.flip(probability) }
  }
}
