import Annals
import AnnalsLog
import AnnalsTesting
import Foundation
import Testing

@Suite struct PayloadDateTests {
  private let coder = PayloadCoder()

  /// Dates of apps, dates with all digits of a `Double`, and dates at the limits of the form.
  private var dates: Generator<Date> {
    let seconds: Generator<Double> = .frequency(
      (3, Generator<Int>.int(in: -2_000_000_000...2_000_000_000).map { Double($0) }),
      (3, .double(in: 0...1_000_000_000)), (2, .double(in: -63_200_000_000...252_500_000_000)),
      (1, .double(in: -1...1)),
      (2, .bordering),
      (
        1,
        .element(of: [
          0, -0.0, -63_145_526_400, (-63_145_526_400 as Double).nextDown, 252_423_993_599,
          (252_423_993_600 as Double).nextDown, 252_423_993_600, 0.999_999_999_9, -1e-20, 1e-9, 5e8.nextUp,
          5e8.nextDown,
        ])
      ))
    return seconds.map { Date(timeIntervalSinceReferenceDate: $0) }
  }

  @Test func `every date is read back to the same bits, and has the shortest string that is exact`() throws {
    try check(dates, settings: CheckSettings(examples: 20_000)) { date in
      guard date.timeIntervalSinceReferenceDate.isFinite else { return }
      let text = try coder.encode(date)
      let value = try coder.decode(Date.self, from: text).timeIntervalSinceReferenceDate
      try ensure(value.bitPattern == date.timeIntervalSinceReferenceDate.bitPattern, "\(value) is written \(text)")
      sometimes(text.hasPrefix("\""), "a string")
      sometimes(!text.hasPrefix("\""), "a number")
      // A fraction can be in the middle of two strings of the same length, such as .73828125 with seven digits.
      let model = DateModel.text(date).map { "\"\($0)\"" }
      try ensureEqual(text.count, try (model ?? coder.encode(date.timeIntervalSinceReferenceDate)).count)
    }
  }

  @Test(arguments: [
    (826_137_000.0, "2027-03-07T18:30:00Z"), (826_137_000.25, "2027-03-07T18:30:00.25Z"),
    (826_137_000.123_456_7, "2027-03-07T18:30:00.1234567Z"), (-63_145_526_400, "0000-01-01T00:00:00Z"),
    (252_423_993_599, "9999-12-31T23:59:59Z"),
  ])
  func `a date is written in RFC 3339`(_ seconds: Double, _ text: String) throws {
    #expect(try coder.encode(Date(timeIntervalSinceReferenceDate: seconds)) == "\"\(text)\"")
  }

  @Test func `the numbers of older versions and other forms of RFC 3339 are read`() throws {
    for text in [
      "804769200", "804769200.0", "8.047692e8", #""2026-07-03T11:00:00Z""#, #""2026-07-03t13:00:00+02:00""#,
      #""2026-07-03 11:00:00.000000000000z""#, #""\u0032026-07-03T11:00:00Z""#,
    ] {
      #expect(try coder.decode(Date.self, from: text).timeIntervalSinceReferenceDate == 804_769_200, "\(text)")
    }
  }

  @Test(arguments: [
    (#""2026-07-03""#, #"found "2026-07-03""#), (#""friday""#, #"found "friday""#), ("1e999", "found 1e999"),
    (#""2026-02-30T00:00:00Z""#, #"found "2026-02-30T00:00:00Z""#),
  ])
  func `another string is an error that contains an example`(_ text: String, _ found: String) throws {
    let error = #expect(throws: DecodingError.self) { try coder.decode([Date].self, from: "[\(text)]") }
    guard case .dataCorrupted(let context) = error else { throw try #require(error) }
    #expect(context.codingPath.map(\.intValue) == [0])
    #expect(
      context.debugDescription == #"Expected a time such as "2026-03-31T18:30:00Z", \#(found)."#)
  }
}
