import Annals
import AnnalsLog
import AnnalsTesting
import Foundation
import Testing

/// The earliest and latest times.
@Suite struct RFC3339Tests {
  @Test(arguments: [
    ("0000-01-01T00:00:00Z", -62_167_219_200_000_000), ("0000-02-29T23:59:59.999999Z", -62_162_035_200_000_001),
    ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999), ("1970-01-01T00:00:00Z", 0),
    ("1969-12-31T23:59:59.999999Z", -1), ("0001-01-01T23:58:59.5Z", -62_135_510_460_500_000),
  ])
  func `a moment from the year 0000 through 9999 has one text`(text: String, moment: Int64) {
    #expect(RFC3339.microseconds(of: text) == moment)
    #expect(RFC3339.text(microseconds: moment) == text)
  }

  @Test(arguments: [
    ("1990-12-31T23:59:60Z", "1991-01-01T00:00:00Z"), ("1990-12-31T15:59:60-08:00", "1991-01-01T00:00:00Z"),
    ("2016-12-31T23:59:60.25Z", "2017-01-01T00:00:00.25Z"), ("9999-12-31T23:58:60Z", "9999-12-31T23:59:00Z"),
    ("0000-01-01T23:59:00+23:59", "0000-01-01T00:00:00Z"), ("9999-12-31T00:00:59-23:59", "9999-12-31T23:59:59Z"),
    ("2000-01-01T00:00:00.1234567890123456789Z", "2000-01-01T00:00:00.123456Z"),
    ("2000-01-01T00:00:00-00:00", "2000-01-01T00:00:00Z"),
  ])
  func `a leap second is the next second, offsets reach over a day's end, and digits beyond microseconds are cut`(
    text: String, same: String
  ) throws {
    #expect(RFC3339.text(microseconds: try #require(RFC3339.microseconds(of: text))) == same)
  }

  @Test(arguments: [
    "9999-12-31T23:59:60Z", "9999-12-31T23:59:59-00:01", "9999-12-31T00:01:00-23:59", "0000-01-01T00:00:00+00:01",
    "0000-01-01T23:58:59+23:59", "10000-01-01T00:00:00Z", "+10000-01-01T00:00:00Z", "-0001-01-01T00:00:00Z",
    "2026-01-01T00:00:61Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00+00:60",
    "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00", "", "Z",
  ])
  func `what RFC 3339 cannot write in UTC is not read`(text: String) {
    #expect(RFC3339.microseconds(of: text) == nil)
    #expect(RFC3339.date(of: text) == nil)
  }

  @Test(arguments: [
    (Int64.max, "+294247-01-10T04:00:54.775807Z"), (.min, "-290308-12-21T19:59:05.224192Z"),
    (253_402_300_800_000_000, "+010000-01-01T00:00:00Z"), (-62_167_219_200_000_001, "-000001-12-31T23:59:59.999999Z"),
  ])
  func `a moment of another year is written as ISO 8601 does, and is not read`(moment: Int64, text: String) {
    #expect(RFC3339.text(microseconds: moment) == text)
    #expect(RFC3339.microseconds(of: text) == nil)
  }

  @Test func `every moment is written and read again, and every date is as near as a double can be`() throws {
    let any = Generator<Int64>.integer(in: RFC3339.moments)
    let (first, last) = (RFC3339.moments.lowerBound, RFC3339.moments.upperBound)
    let ends = Generator<Int64>.oneOf(
      .integer(in: first...first + 100_000_000), .integer(in: last - 100_000_000...last))
    try check(.oneOf(any, ends), settings: CheckSettings(examples: 200)) { moment in
      let text = RFC3339.text(microseconds: moment)
      try ensureEqual(RFC3339.microseconds(of: text), moment)
      let date = RFC3339.date(of: text)
      try ensure(date.map { abs($0.microseconds - moment) <= 32 && RFC3339.moments.contains($0.microseconds) } ?? false)
    }
    try check(.integer(in: Int64.min...Int64.max), settings: CheckSettings(examples: 200)) { moment in
      let again = RFC3339.microseconds(of: RFC3339.text(microseconds: moment))
      try ensureEqual(again != nil, RFC3339.moments.contains(moment))
    }
  }

  @Test func `a date without a moment is refused by an append, and no store falls over it`() throws {
    let store = MemoryEventStore()
    for seconds in [Double.infinity, -.infinity, .nan, 1e300, 253_402_300_800, -62_167_219_200.001] {
      let event = NewEvent(type: "T", payload: nil, time: Date(timeIntervalSince1970: seconds))
      let error = #expect(throws: EventStoreError.self) { try store.append(Append([event], to: "s")) }
      #expect(error?.code == .invalidAppend)
      let message = error?.message ?? ""
      #expect(message.contains("event 1 of 1: expected a time in the years 0000 to 9999 UTC"), "\(message)")
    }
    for date in [Date.distantPast, .distantFuture, Date(timeIntervalSince1970: -62_167_219_200)] {
      try store.append(Append([NewEvent(type: "T", payload: nil, time: date)], to: "s"))
    }
    #expect(store.head() == 3)
    #expect(Date(timeIntervalSince1970: .nan).microseconds == .min)
  }
}
