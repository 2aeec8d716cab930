public import Foundation

extension Generator where Value == UUID {
  /// A generator of UUIDs, which shrink toward the UUID that contains only zeros.
  public static var uuid: Generator {
    let half = Generator<UInt64>.integer(in: 0...UInt64.max)
    return zip(half, half).map { high, low in
      var bytes = [UInt8](repeating: 0, count: 16)
      for place in 0..<8 {
        bytes[place] = UInt8(truncatingIfNeeded: high >> UInt64(56 - 8 * place))
        bytes[place + 8] = UInt8(truncatingIfNeeded: low >> UInt64(56 - 8 * place))
      }
      return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
  }
}

extension Generator where Value == Date {
  /// Returns a generator of dates in whole microseconds, which a store preserves exactly.
  ///
  /// Dates shrink toward 1 January 2001, or the closest date in the range. Shrinking first tries times that differ from
  /// this date by whole days, then by whole seconds, and then by microseconds.
  ///
  /// - Parameters:
  ///   - range: The range, by default from the year 1 through 3000. No date is generated if the range doesn't contain a
  ///     whole microsecond, or if an end is more than 140,000 years from 2001.
  ///   - fileID: The file that contains the call, for the report if no date is generated.
  ///   - line: The line of the call.
  /// - Returns: The generator.
  public static func date(
    in range: ClosedRange<Date> = Date(
      timeIntervalSince1970: -62_135_596_800)...Date(
        timeIntervalSince1970: 32_503_680_000),
    fileID: String = #fileID, line: UInt = #line
  ) -> Generator {
    let ends = [range.lowerBound, range.upperBound].map { ($0.timeIntervalSinceReferenceDate * 1_000_000).rounded() }
    guard ends.allSatisfy({ abs($0) < 0x1p62 }) else {
      return none("date(in:)", "expected a range of dates within 140,000 years of 2001, found \(range)", fileID, line)
    }
    let (low, high) = (Int(ends[0]), Int(ends[1]))
    if low == high, !range.contains(Date(timeIntervalSinceReferenceDate: Double(low) / 1_000_000)) {
      return none("date(in:)", "expected a range that contains a whole microsecond, found \(range)", fileID, line)
    }
    var kinds: [(Int, Generator)] = []
    for (unit, weight) in [(86_400_000_000, 2), (1_000_000, 2), (1, 1)] {
      let first = low >= 0 ? (low + unit - 1) / unit : low / unit
      let last = high >= 0 ? high / unit : (high - unit + 1) / unit
      guard first <= last else { continue }
      kinds.append(
        (
          weight,
          Generator<Int>.int(in: first...last).map { count in
            Date(timeIntervalSinceReferenceDate: Double(count * unit) / 1_000_000)
          }
        ))
    }
    return frequency(kinds)
  }
}
