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
  /// Dates shrink toward 1 January 2001 in UTC, or toward the closest day in the range. A date that isn't the start of
  /// a day shrinks toward the start of its day, and then toward a whole second.
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
    let (day, second) = (86_400_000_000, 1_000_000)
    let days = Generator<Int>.int(in: (low.quotient(day))...(high.quotient(day)))
    let (seconds, fractions) = (Generator<Int>.int(in: 0...86_399), Generator<Int>.int(in: 0...(second - 1)))
    return Generator { source in
      // A date is a day, a whole second of the day, and microseconds. So a date of microseconds shrinks to a whole
      // second, and this date shrinks to a whole day.
      var date = try days.draw(source) * day
      try source.span(.branch) {
        let times = max(low - date, 0)...min(high - date, day - 1)
        guard try source.isMore(0.6, in: times) else { return }
        let range = (times.lowerBound / second)...(times.upperBound / second)
        let time = try (range == 0...86_399 ? seconds : .int(in: range)).draw(source) * second
        date += time
        try source.span(.branch) {
          let rest = max(times.lowerBound - time, 0)...min(times.upperBound - time, second - 1)
          guard try source.isMore(1.0 / 3, in: rest) else { return }
          date += try (rest == 0...(second - 1) ? fractions : .int(in: rest)).draw(source)
        }
      }
      return Date(timeIntervalSinceReferenceDate: Double(date) / 1_000_000)
    }
  }
}

extension Int {
  /// Returns the quotient, rounded down.
  fileprivate func quotient(_ divisor: Int) -> Int { self >= 0 ? self / divisor : (self + 1) / divisor - 1 }
}

extension Draw {
  /// Returns whether a date has a more exact part, which is forced if only one result is in the range.
  fileprivate func isMore(_ probability: Double, in range: ClosedRange<Int>) throws -> Bool {
    try flip(probability, forced: range == 0...0 ? false : range.contains(0) ? nil : true)
  }
}
