import Annals
import AnnalsLog
import Foundation
import Testing
@testable import AnnalsReplay

/// Places in a log: positions, times in words, transactions, events and commands.
@Suite struct PlaceTests {
  private let shop: ShopTool

  init() throws { shop = try ShopTool() }

  @Test(arguments: [
    ("0", 0), ("5", 5), ("last", 9), ("-1", 8), ("-9", 0), ("first", 1), ("id:e3", 3), ("id:shop e3", 3),
    ("cmd:open-shop", 2), ("now", 9), ("10:04", 4), ("10:04:30", 4), ("09:00", 0), ("13:00", 9), ("today", 9),
    ("yesterday", 0), ("today 10:05", 4), ("2026-03-01", 9), ("2026-02-28", 0), ("2026-03", 9),
    ("2026-03-01T10:03", 3), ("2026-03-01 10:03", 3), ("2026-03-01T10:03:00Z", 3), ("2026-03-01T12:03:00+02:00", 3),
    ("1h", 9), ("115m ago", 4), ("2 hours ago", 0), ("1h 58m ago", 2), ("monday", 0), ("sunday", 0),
    ("sunday 10:03", 0), ("2028-02-29", 9), ("0m", 9), ("1 day", 0), ("1 month ago", 0), ("1y", 0), ("2026-3-1", 9),
    ("Yesterday 10:00", 0), ("last sunday", 0), ("noon", 9), ("today midnight", 0), ("yesterday noon", 0), ("march", 9),
    ("March 2026", 9), ("feb 2026", 0), ("april", 0), ("last monday 10:00", 0), ("TODAY", 9),
    ("2026-03-01T10:03:00", 3), ("2026-03-01T10:03:00.5", 3),
  ])
  func `a place is where it says, and what is no plain position is said`(place: String, position: Int) {
    let answer = shop.tool.run("show", shop.tool.log, place, "--limit", "0")
    #expect(answer.status == 0 && answer.output.hasPrefix("position \(position): 0 "), "\(answer)")
    let isPlain = Int(place).map { $0 >= 0 } ?? (place == "first")
    #expect(answer.talk.hasPrefix("\(place): position \(position)") == !isPlain, "\(answer.talk)")
  }

  @Test(arguments: [
    "tx:", "2026-13", "25:00", "10:60", "10:04pm", "1e3", " 5", "5 ", "+5", "５", "-", "ago",
    "5 fortnights ago", "last noon", "last today", "marchy", "march 32", "26-03-01", "2026-03-01T", "last-1", "1.5h",
    "-1h", "now ", "tomorrow", "in 2 hours",
    "10:04:0x1", "10:04:1e1",
  ])
  func `what is no place is a mistake that lists what a place may be`(text: String) {
    let answer = shop.tool.run("show", shop.tool.log, text)
    let message = "annals: PLACE: expected a position (120), -N from the end, first, last, a time"
    #expect(answer.status == 2 && answer.talk.hasPrefix(message), "\(answer)")
    #expect(answer.talk.hasSuffix(", found \"\(text)\"\n"))
  }

  @Test func `a list of half a transaction is said to be none that an app has shown`() {
    for (position, isHalf) in [(0, false), (1, true), (2, false), (3, false), (4, false)] {
      let answer = shop.tool.run("show", shop.tool.log, "\(position)")
      let sentence = "position 1 is inside a transaction, of the events 1 to 2: no app has shown this list\n"
      #expect(answer.status == 0 && answer.talk == (isHalf ? sentence : ""), "\(answer)")
    }
  }

  @Test func `a day that the calendar does not have is named`() {
    let answer = shop.tool.run("show", shop.tool.log, "2024-02-30")
    #expect(answer.status == 2 && answer.talk == "annals: PLACE: there is no 30 February 2024\n", "\(answer)")
    let range = shop.tool.run("log", shop.tool.log, "2024-02-01..2024-02-30")
    #expect(range.status == 2 && range.talk == "annals: A..B: there is no 30 February 2024\n", "\(range)")
  }

  @Test func `a place that the log does not have is named`() throws {
    for (text, status, message) in [
      ("-10", 2, "PLACE: expected -9 or less far from the end, found \"-10\": the log's last position is 9"),
      ("10", 2, "PLACE 10 is past the end: the log's last position is 9"),
      (
        "99999999999999999999", 2, "PLACE: expected a whole number from 0 to \(Int.max), found \"99999999999999999999\""
      ),
      ("tx:x", 1, "PLACE: the log has no transaction with the label \"x\""),
      ("id:none", 1, "PLACE: the log has no event with the id \"none\""),
      ("cmd:none", 1, "PLACE: the log has no command with the id \"none\""),
    ] {
      let answer = shop.tool.run("show", shop.tool.log, text)
      #expect(answer.status == Int32(status) && answer.talk == "annals: \(message)\n", "\(answer)")
    }
  }

  @Test func `a transaction is found by its label, or by a beginning that is its own`() throws {
    let log = shop.tool.path("labels")
    try shop.tool.importLines(
      [
        inserted(1, "b1", transaction: "aa1"), inserted(2, "b2", transaction: "aa1"),
        inserted(3, "b3", transaction: "aa2"), inserted(4, "b4", transaction: "b"),
        inserted(5, "b5", transaction: "bc"),
      ], to: log)
    for (label, position) in [("aa1", 2), ("aa2", 3), ("b", 4), ("bc", 5)] {
      #expect(
        shop.tool.run("show", log, "tx:\(label)", "-n", "0").output
          == "position \(position): 0 of \(position) rows\n",
        "\(label)")
    }
    let ambiguous = shop.tool.run("show", log, "tx:aa")
    #expect(
      ambiguous.status == 2
        && ambiguous.talk == "annals: PLACE: 2 transactions have labels that begin with aa; say more of it\n")
    #expect(shop.tool.run("show", log, "tx:aa12").status == 1)
  }

  @Test(arguments: [
    ["show"], ["diff", "..", "0"], ["find", "count > 0", ".."], ["log", ".."], ["why", "b1"],
    ["compact", "--dry-run"], ["scrub", "--keys", "q"],
  ])
  func `everything that takes a place takes all forms, and names itself in a mistake`(words: [String]) {
    let isRange = words.contains("..")
    var words = words.filter { $0 != ".." && $0 != "0" }
    words.insert(shop.tool.log, at: 1)
    for place in ["3", "id:e3", "cmd:open-shop", "-4", "10:03", "first"] {
      let answer = shop.tool.run(words + [isRange ? "..\(place)" : place])
      #expect(answer.status < 2, "\(words) \(place): \(answer.talk)")
    }
    for text in ["nonsense", isRange ? "..nonsense" : "x y"] {
      let wrong = shop.tool.run(words + [text])
      #expect(
        wrong.status == 2 && wrong.talk.contains("expected ") && wrong.talk.contains("a position (120)"), "\(words)")
    }
    #expect(shop.tool.run(words + [isRange ? "..id:none" : "id:none"]).status == 1, "\(words)")
  }

  /// A named day begins a range with its first moment, and ends it with its last.
  @Test(arguments: [
    ("today..", 1, 9), ("today", 1, 9), ("march 2026", 1, 9), ("2026-03-01..2026-03-01", 1, 9),
    ("yesterday..today", 1, 9), ("2026-03..", 1, 9),
    ("10:03..10:04", 3, 4), ("..10:03", 1, 3), ("id:e2..id:e4", 2, 4), ("tx:e5..", 5, 9), ("-2..", 7, 9),
    ("cmd:open-shop..cmd:reprice-b3", 1, 4), ("first..-8", 1, 1), ("..", 1, 9), ("115m ago..", 5, 9), ("3..3", 3, 3),
  ])
  func `a range of events includes its first and its last place`(range: String, from: Int, to: Int) {
    let answer = shop.tool.run("log", shop.tool.log, range, "--fields", "position", "--format", "tsv")
    #expect(answer.lines.dropFirst().compactMap { Int($0) } == Array(from...to), "\(answer)")
    // The list changes from the place before the first event, if the first place is a time.
    let isTime = range.contains("today") || range.contains("2026") || range.hasPrefix("10:")
    if isTime {
      let diff = shop.tool.run("diff", shop.tool.log, range, "--json").output
      #expect(diff.hasPrefix("{\"from\":\(from - 1),\"to\":\(to),"), "\(diff)")
    }
  }

  @Test(arguments: [
    ("events", "log LOG A..B"), ("replay", "diff LOG --each"), ("follow", "diff LOG --follow"),
    ("event", "log LOG PLACE"),
    ("export", "log LOG --json"), ("trace", "log LOG --tree ID"), ("commands", "log LOG --commands"),
  ])
  func `a removed subcommand leads to the new command line`(name: String, line: String) {
    let answer = shop.tool.run(name, shop.tool.log)
    #expect(answer.status == 2 && answer.talk.hasPrefix("annals: unknown subcommand \(name); did you mean \(line)?\n"))
  }

  @Test(arguments: [
    ("--at", "PLACE after the log"), ("--from", "A..B after the log"), ("--since", "A..B after the log"),
    ("--type", "type:NAME after the log"), ("--actor", "author:NAME after the log"), ("--tail", "--limit -N"),
    ("--redacted", "--redact app"),
  ])
  func `a removed option leads to the new form`(name: String, form: String) {
    let answer = shop.tool.run("log", shop.tool.log, name, "x")
    let message = "annals: unknown option \(name) of annals log; did you mean \(form)?\n"
    #expect(answer.status == 2 && answer.talk.hasPrefix(message), "\(answer)")
  }
}
