import Annals
import AnnalsLog
import Foundation
import Synchronization
import Testing

@Suite struct TimeWordsTests {
  /// A time zone, the current time, words, and the time that the words name.
  private static let times: [(zone: String, now: String, text: String, moment: String?)] = [
    // The clocks of Berlin go from two to three on 2026-03-29, and from three to two on 2026-10-25.
    ("Europe/Berlin", "2026-03-30T08:00:00Z", "yesterday", "2026-03-29T21:59:59.999999Z"),
    ("Europe/Berlin", "2026-03-30T08:00:00Z", "2026-03-28", "2026-03-28T22:59:59.999999Z"),
    ("Europe/Berlin", "2026-03-30T08:00:00Z", "yesterday 01:30", "2026-03-29T00:30:00Z"),
    ("Europe/Berlin", "2026-03-30T08:00:00Z", "yesterday 03:30", "2026-03-29T01:30:00Z"),
    ("Europe/Berlin", "2026-03-30T08:00:00Z", "2 days ago", "2026-03-28T09:00:00Z"),
    ("Europe/Berlin", "2026-03-30T08:00:00Z", "48h", "2026-03-28T08:00:00Z"),
    ("Europe/Berlin", "2026-10-26T09:00:00Z", "2026-10-25", "2026-10-25T22:59:59.999999Z"),
    ("Europe/Berlin", "2026-10-26T09:00:00Z", "1 day ago", "2026-10-25T09:00:00Z"),
    ("Europe/Berlin", "2026-10-26T09:00:00Z", "2 days ago", "2026-10-24T08:00:00Z"),
    ("Europe/Berlin", "2026-10-26T09:00:00Z", "2026-10", "2026-10-31T22:59:59.999999Z"),
    // A zone of 45 minutes, and days that begin elsewhere.
    ("Asia/Kathmandu", "2026-03-04T20:00:00Z", "today", "2026-03-05T18:14:59.999999Z"),
    ("Asia/Kathmandu", "2026-03-04T20:00:00Z", "00:10", "2026-03-04T18:25:00Z"),
    ("Pacific/Honolulu", "2026-03-04T05:00:00Z", "today", "2026-03-04T09:59:59.999999Z"),
    // A leap day, and months of several lengths.
    ("UTC", "2028-02-29T12:00:00Z", "1y", "2027-02-28T12:00:00Z"),
    ("UTC", "2026-03-31T12:00:00Z", "1 month ago", "2026-02-28T12:00:00Z"),
    ("UTC", "2026-03-31T12:00:00Z", "2028-02", "2028-02-29T23:59:59.999999Z"),
    ("UTC", "2026-03-31T12:00:00Z", "2028-02-29", "2028-02-29T23:59:59.999999Z"),
    ("UTC", "2026-03-31T12:00:00Z", "2027-02-29", nil), ("UTC", "2026-03-31T12:00:00Z", "2026-04-31", nil),
    ("UTC", "2026-01-01T00:00:00Z", "yesterday 23:59:59.5", "2025-12-31T23:59:59.5Z"),
    // It is a Wednesday.
    ("UTC", "2026-03-04T12:00:00Z", "monday", "2026-03-02T23:59:59.999999Z"),
    ("UTC", "2026-03-04T12:00:00Z", "tuesday 15:00", "2026-03-03T15:00:00Z"),
    ("UTC", "2026-03-04T12:00:00Z", "wednesday", "2026-02-25T23:59:59.999999Z"),
    ("UTC", "2026-03-04T12:00:00Z", "Thursday", "2026-02-26T23:59:59.999999Z"),
    ("UTC", "2026-03-04T12:00:00Z", "1w 2d 3h 4m 5s ago", "2026-02-23T08:55:55Z"),
    ("UTC", "2026-03-04T12:00:00Z", "last week", "2026-03-01T23:59:59.999999Z"),
    ("UTC", "2026-03-04T12:00:00Z", "this week", "2026-03-08T23:59:59.999999Z"),
    ("UTC", "2026-03-04T12:00:00Z", "last month", "2026-02-28T23:59:59.999999Z"),
    ("UTC", "2026-03-04T12:00:00Z", "last year", "2025-12-31T23:59:59.999999Z"),
    ("UTC", "2026-03-04T12:00:00Z", "next week", nil), ("UTC", "2026-03-04T12:00:00Z", "last day", nil),
    // A day of a month. Without a year it is the last such day.
    ("UTC", "2026-03-04T12:00:00Z", "1 march", "2026-03-01T23:59:59.999999Z"),
    ("UTC", "2026-03-04T12:00:00Z", "March 5", "2025-03-05T23:59:59.999999Z"),
    ("UTC", "2026-03-04T12:00:00Z", "4 mar", "2026-03-04T23:59:59.999999Z"),
    ("UTC", "2026-03-04T12:00:00Z", "29 february 2024", "2024-02-29T23:59:59.999999Z"),
    ("UTC", "2026-03-04T12:00:00Z", "dec 24 18:00", "2025-12-24T18:00:00Z"),
    ("UTC", "2026-03-04T12:00:00Z", "december 24 2024 18:00", "2024-12-24T18:00:00Z"),
    ("UTC", "2026-03-04T12:00:00Z", "april", "2025-04-30T23:59:59.999999Z"),
    ("UTC", "2026-03-04T12:00:00Z", "30 february 2024", nil), ("UTC", "2026-03-04T12:00:00Z", "0 march", nil),
    ("UTC", "2026-03-04T12:00:00Z", "march 18:00", nil), ("UTC", "2026-03-04T12:00:00Z", "2026 march", nil),
    ("UTC", "2026-03-04T12:00:00Z", "1 march 2 2026", nil),
    ("UTC", "2026-03-04T12:00:00Z", "3 weeks", "2026-02-11T12:00:00Z"),
    ("UTC", "2026-03-04T12:00:00Z", "monday tuesday", nil), ("UTC", "2026-03-04T12:00:00Z", "10:00 11:00", nil),
    ("UTC", "2026-03-04T12:00:00Z", "24:00", nil), ("UTC", "2026-03-04T12:00:00Z", "10:00:60", nil),
    ("UTC", "2026-03-04T12:00:00Z", "999999999999 days ago", nil), ("UTC", "2026-03-04T12:00:00Z", "days ago", nil),
  ]

  @Test func `times in words are those of the calendar in each zone`() throws {
    for (zone, now, text, moment) in Self.times {
      let now = try #require(RFC3339.microseconds(of: now).map { Date(microseconds: $0) })
      let words = TimeWords(now: now, zone: try #require(TimeZone(identifier: zone)))
      let found = words.date(of: text).map { RFC3339.text(microseconds: $0.microseconds) }
      #expect(found == moment, "\(text) in \(zone)")
    }
  }

  @Test func `a time that the clocks pass over, or pass twice, is within the hour of it`() throws {
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    for (text, least, most) in [
      ("2026-03-29 02:30", "2026-03-29T01:00:00Z", "2026-03-29T01:30:00Z"),
      ("2026-10-25 02:30", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"),
    ] {
      let date = try #require(TimeWords(now: Date(timeIntervalSince1970: 0), zone: zone).date(of: text))
      let found = RFC3339.text(microseconds: date.microseconds)
      #expect(found >= least && found <= most, "\(text): \(found)")
    }
  }

  private enum Ring: Event {
    case rung
  }

  @Test func `a store finds the position at a time in words, by its own clock and in a time zone`() throws {
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    let now = try #require(RFC3339.date(of: "2026-03-30T08:00:00Z"))
    let store = MemoryEventStore(environment: StoreEnvironment(now: { now }))
    for time in ["2026-03-27T17:00:00Z", "2026-03-27T17:00:01Z", "2026-03-28T22:59:59Z", "2026-03-29T22:00:00Z"] {
      try store.append(Append([.init(stream: "s", event: try NewEvent(Ring.rung, time: RFC3339.date(of: time)))]))
    }
    #expect(try store.position(at: "friday 18:00", in: zone) == 1)
    #expect(try store.position(at: "Friday 19:00", in: zone) == 2)
    #expect(try store.position(at: "2026-03-28", in: zone) == 3)
    #expect(try store.position(at: "yesterday", in: zone) == 3)
    #expect(try store.position(at: "yesterday", in: .gmt) == 4)
    #expect(try store.position(at: "now") == 4 && store.position(at: "10 years ago") == 0)
    let error = #expect(throws: EventStoreError.self) { try store.position(at: "someday") }
    #expect(error?.code == .notFound)
    #expect(error?.message.hasSuffix(", found \"someday\"") == true && error?.message.contains("friday 18:00") == true)
  }
}
