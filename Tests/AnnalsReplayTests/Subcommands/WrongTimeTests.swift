import Annals
import AnnalsLog
import AnnalsSQLite
import Foundation
import Testing
@testable import AnnalsReplay

/// Places by time, in logs for which a clock was wrong once.
@Suite struct WrongTimeTests {
  private let tool: ToolRunner

  init() throws {
    tool = try ToolRunner()
    tool.zone = TimeZone(identifier: "UTC")
    tool.now = RFC3339.date(of: "2026-06-01T12:00:00Z")
  }

  private func importEvents(at times: [String]) throws {
    let lines = times.enumerated().map { number, time in
      inserted(number, "r\(number)").replacing("2026-01-02T03:04:05Z", with: time)
    }
    #expect(try tool.importLines(lines).status == 0)
  }

  private static let ahead = [
    "2026-03-01T10:00:00Z", "2026-03-02T10:00:00Z", "2031-01-01T10:00:00Z", "2026-03-03T10:00:00Z",
    "2026-03-04T10:00:00Z", "2026-06-01T10:00:00Z",
  ]

  private func position(_ words: String...) -> String {
    tool.run(["show", tool.log, "--json"] + words).output.split(separator: ",").first.map(String.init) ?? ""
  }

  @Test(arguments: [
    ("now", 6), ("today", 6), ("2026-06-01T10:00:00Z", 6), ("2026-06-02", 6), ("2031-01-01", 6), ("2040-01-01", 6),
    ("2026-03-04", 5), ("2026-03-03", 4), ("2026-03-02", 2), ("2026-03-01", 1), ("2026-02-28", 0), ("3h", 5),
  ])
  func `a clock that was ahead once hides nothing after it`(place: String, expected: Int) throws {
    try importEvents(at: Self.ahead)
    #expect(position(place) == "{\"position\":\(expected)", "\(position(place))")
  }

  @Test func `now is the end where all times are to come`() throws {
    try importEvents(at: ["2031-01-01T10:00:00Z", "2032-01-01T10:00:00Z"])
    #expect(position("now") == "{\"position\":2" && position("yesterday") == "{\"position\":0")
  }

  /// A range is one of positions, as for a list, so an event with a wrong time is where it was appended.
  @Test func `events between two times are those that were appended between them`() throws {
    try importEvents(at: Self.ahead)
    func found(_ words: String...) -> String {
      tool.run(["log", tool.log] + words).lines.map { $0.prefix { $0 != " " } }.joined(separator: " ")
    }
    #expect(found("2026-03-01..2026-06-30") == "1 2 3 4 5 6")
    #expect(found("2026-03-02..2026-03-03") == "2 3 4")
    #expect(found("2030-01-01..") == "" && found("..now", "--limit", "-2") == "5 6")
    #expect(found("4..") == "4 5 6" && found("2026-06-01..last") == "6")
    #expect(found("2027-01-01..2028-01-01") == "")
  }

  @Test func `the way is the same for diff, replay, find and timeline`() throws {
    try importEvents(at: Self.ahead)
    let diff = tool.run("diff", tool.log, "2026-03-02..now", "--json")
    #expect(diff.output.contains(#""from":1,"to":6"#), "\(diff)")
    let replay = tool.run("diff", "--each", tool.log, "2026-03-04..today", "--json")
    #expect(replay.lines.last?.contains(#""from":5,"to":6"#) ?? false, "\(replay)")
    #expect(tool.run("find", tool.log, "count > 5", "..now").output.hasPrefix("6  holds"))
  }

  @Test func `a wrong time is reported once, with its place and the way around`() throws {
    try importEvents(at: Self.ahead)
    let words = "event 3 has the time 2031-01-01T10:00:00Z, which is later than the clock"
    for run in [
      ["verify", tool.log], ["show", tool.log, "now"],
      ["diff", tool.log, "2026-03-02..now"],
      ["diff", "--each", tool.log, "2026-03-02.."], ["log", tool.log, "2026-03-02..now"],
    ] {
      let answer = tool.run(run)
      #expect(answer.talk.components(separatedBy: words).count == 2, "\(run): \(answer.talk)")
      #expect(answer.talk.contains("`annals show LOG 3`"), "\(answer.talk)")
    }
    #expect(tool.run("info", tool.log).output.contains(words))
    #expect(tool.run("verify", tool.log).status == 0)
    for name in ["info", "verify"] {
      let json = tool.run(name, tool.log, "--json").output
      #expect(
        json.contains(
          #""wrongTimes":{"count":1,"events":[{"position":3,"time":"2031-01-01T10:00:00Z","later":"clock"}]}"#),
        "\(json)")
    }
    #expect(!tool.run("show", tool.log, "4").talk.contains("has the time"))
  }

  @Test func `an event that is later than many after it is reported, and small differences are not`() throws {
    try importEvents(
      at: ["2026-03-01T10:00:00Z", "2026-05-30T10:00:00Z"] + (2...6).map { "2026-03-0\($0)T10:00:00Z" })
    let info = tool.run("info", tool.log).output
    #expect(info.contains("event 2 has the time 2026-05-30T10:00:00Z, and 5 events after it are earlier"), "\(info)")
    #expect(info.contains("show LOG 7`") && tool.run("info", tool.log, "--json").output.contains(#""later":"events""#))
    let other = try WrongTimeTests()
    try other.importEvents(
      at: ["2026-03-01T10:00:00Z", "2026-03-01T12:00:00Z"] + (2...6).map { "2026-03-01T10:0\($0):00Z" })
    for words in [["info", other.tool.log], ["info", other.tool.log, "--json"], ["verify", other.tool.log]] {
      let answer = other.tool.run(words)
      #expect(!(answer.output + answer.talk).contains("rong"), "\(answer)")
    }
  }

  @Test func `a clock that was behind once is no wrong time for those after it`() throws {
    try importEvents(at: ["2026-03-01T10:00:00Z", "1970-01-01T00:00:00Z", "2026-03-02T10:00:00Z"])
    #expect(position("1975-01-01") == "{\"position\":0" && position("2026-03-01") == "{\"position\":2")
    #expect(!tool.run("info", tool.log).output.contains("has the time"))
  }
}
