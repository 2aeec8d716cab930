import AnnalsLog
import AnnalsTesting
import Foundation
import Testing

@testable import AnnalsReplay

@Suite struct DateConditionTests {
  private func holds(_ condition: String, _ json: String) throws -> Bool {
    try RowCondition(condition).includes(JSONValue(parsing: json))
  }

  @Test func `conditions compare dates in both stored forms, by time`() throws {
    let seconds = Generator<Int>.int(in: 800_000_000...800_000_020).map { Double($0) / 2 }
    try check(
      seconds, seconds, .element(of: ["<", "<=", "=", "!=", ">", ">="]), settings: CheckSettings(examples: 200)
    ) { found, wanted, sign in
      let (found, wanted) = (found * 2, wanted * 2)
      let coder = PayloadCoder()
      let literal = try coder.encode(Date(timeIntervalSinceReferenceDate: wanted))
      let expected =
        switch sign {
        case "<": found < wanted
        case "<=": found <= wanted
        case "=": found == wanted
        case "!=": found != wanted
        case ">": found > wanted
        default: found >= wanted
        }
      for json in ["\(found)", try coder.encode(Date(timeIntervalSinceReferenceDate: found))] {
        try ensureEqual(try holds("from \(sign) \(literal)", #"{"from":\#(json)}"#), expected)
      }
    }
  }

  @Test(arguments: [
    // A fraction comes later than the whole second, although "." precedes "Z".
    ("at > 2026-07-03T11:00:00Z", #""2026-07-03T11:00:00.5Z""#, true),
    ("at < 2026-07-03T11:00:00Z", #""2026-07-03T12:30:00+02:00""#, true),
    ("at = 2026-07-03T11:00:00Z", #""2026-07-03T13:00:00+02:00""#, true),
    ("at != 2026-07-03T11:00:00Z", #""2026-07-03T13:00:00+02:00""#, false),
    ("at >= 2026-07-03", #""2026-07-03T00:00:00Z""#, true), ("at < 2026-07-03", #""2026-07-02T23:59:59.9Z""#, true),
    ("at in (2026-07-03, 2026-07-04)", #""2026-07-04T00:00:00Z""#, true), ("at >= 2026-07-03", "804769200", true),
    // A day is compared with days too, and other strings are compared by their bytes.
    ("at < 2026-07-03", #""2026-07-02""#, true), ("at < 2026-07-03", #""2026""#, true),
    ("at > 2026-07-03", #""friday""#, true), ("at > 5", #""2026-07-03""#, false), ("at < 5", "804769200", false),
    ("at = 2026-07-03", "null", false), ("at != 2026-07-03", "null", true),
  ])
  func `a condition on a date`(_ condition: String, _ value: String, _ expected: Bool) throws {
    #expect(try holds(condition, #"{"at":\#(value)}"#) == expected)
  }
}
