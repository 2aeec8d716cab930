extension Generator where Value == Double {
  /// A generator of all doubles, including extreme values.
  ///
  /// Failing cases shrink toward whole numbers near 0. If the property fails only for other values, shrinking prefers
  /// decimal fractions with few digits, then arbitrary bit patterns, and finally special values, such as the smallest
  /// and largest values, negative zero, infinities and NaN.
  public static var double: Generator {
    let whole = Generator<Int>.int(in: -(1 << 53)...(1 << 53)).map { Double($0) }
    let decimal = zip(.int(in: -999_999_999...999_999_999), .int(in: 1...9)).map { digits, places in
      (0..<places).reduce(Double(digits)) { value, _ in value / 10 }
    }
    let bits = Generator<UInt64>.integer(in: 0...UInt64.max).map { bits in
      let value = Double(bitPattern: bits)
      return value.isFinite ? value : Double(bits >> 11)
    }
    let values: [Double] = [
      -0.0, 0.1 + 0.2, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .leastNormalMagnitude, .ulpOfOne, .pi, 0x1p53,
      0x1p53 + 2, 0x1p63, 0x1p64, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .infinity, -.infinity, .nan,
    ]
    return frequency([(4, whole), (4, decimal), (2, bits), (1, .element(of: values))])
  }

  /// Returns a generator of doubles in a range.
  ///
  /// Failing cases shrink toward whole numbers near 0, or toward other numbers in the range if the property fails only
  /// for those. Both ends of the range occur often.
  ///
  /// - Parameters:
  ///   - range: The range, whose ends must be finite.
  ///   - fileID: The file that contains the call, for the report if an end isn't finite.
  ///   - line: The line of the call.
  /// - Returns: The generator.
  public static func double(
    in range: ClosedRange<Double>, fileID: String = #fileID, line: UInt = #line
  ) -> Generator {
    let (low, high) = (range.lowerBound, range.upperBound)
    guard low.isFinite && high.isFinite else {
      return none("double(in:)", "expected a range with finite ends, found \(range)", fileID, line)
    }
    var kinds: [(Int, Generator)] = []
    let (first, last) = (Swift.max(low.rounded(.up), -0x1p53), Swift.min(high.rounded(.down), 0x1p53))
    if first <= last { kinds.append((3, Generator<Int>.int(in: Int(first)...Int(last)).map { Double($0) })) }
    let steps: UInt64 = 1 << 53
    kinds.append(
      (
        3,
        Generator { source in
          let step = try source.choose(through: steps) { $0.next(through: steps) }
          let share = Double(step) / Double(steps)
          return Swift.min(Swift.max(low * (1 - share) + high * share, low), high)
        }
      ))
    kinds.append((1, .element(of: [low, high])))
    return frequency(kinds)
  }
}
