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
    ("Yesterday 10:00", 0), ("TODAY", 9), ("2026-03-01T10:03:00", 3), ("2026-03-01T10:03:00.5", 3),
  ])
  func `a place is where it says, and what is no plain position is said`(place: String, position: Int) {
    let answer = shop.tool.run("show", shop.tool.log, "--at", place, "--limit", "0")
    #expect(answer.status == 0 && answer.output.hasPrefix("position \(position): 0 "), "\(answer)")
    let isPlain = Int(place).map { $0 >= 0 } ?? (place == "first")
    #expect(answer.talk.hasPrefix("--at \(place): position \(position)") == !isPlain, "\(answer.talk)")
  }

  @Test(arguments: [
    "tx:", "2026-02-29", "2026-13", "25:00", "10:60", "10:04pm", "1e3", " 5", "5 ", "+5", "５", "-", "--at", "ago",
    "5 fortnights ago", "noon", "26-03-01", "2026-03-01T", "last-1", "1.5h", "-1h", "now ", "tomorrow", "in 2 hours",
    "10:04:0x1", "10:04:1e1", "",
  ])
  func `what is no place is a mistake that lists what a place may be`(text: String) {
    let answer = shop.tool.run("show", shop.tool.log, "--at", text)
    let message = "annals: --at: expected a position (120), -N from the end, first, last, a time"
    #expect(answer.status == 2 && answer.talk.hasPrefix(message), "\(answer)")
    #expect(answer.talk.hasSuffix(", found \"\(text)\"\n"))
  }

  @Test func `a list of half a transaction is said to be none that an app has shown`() {
    for (position, isHalf) in [(0, false), (1, true), (2, false), (3, false), (4, false)] {
      let answer = shop.tool.run("show", shop.tool.log, "--at", "\(position)")
      let sentence = "position 1 is inside a transaction, of the events 1 to 2: no app has shown this list\n"
      #expect(answer.status == 0 && answer.talk == (isHalf ? sentence : ""), "\(answer)")
    }
  }

  @Test func `a place that the log does not have is named`() throws {
    for (text, status, message) in [
      ("-10", 2, "--at: expected -9 or less far from the end, found \"-10\": the log's last position is 9"),
      ("10", 2, "--at 10 is past the end: the log's last position is 9"),
      ("99999999999999999999", 2, "--at: expected a whole number from 0 to \(Int.max), found \"99999999999999999999\""),
      ("tx:x", 1, "--at: the log has no transaction with the label \"x\""),
      ("id:none", 1, "--at: the log has no event with the id \"none\""),
      ("cmd:none", 1, "--at: the log has no command with the id \"none\""),
    ] {
      let answer = shop.tool.run("show", shop.tool.log, "--at", text)
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
        shop.tool.run("show", log, "--at", "tx:\(label)", "-n", "0").output
          == "position \(position): 0 of \(position) rows\n",
        "\(label)")
    }
    let ambiguous = shop.tool.run("show", log, "--at", "tx:aa")
    #expect(
      ambiguous.status == 2
        && ambiguous.talk == "annals: --at: 2 transactions have labels that begin with aa; say more of it\n")
    #expect(shop.tool.run("show", log, "--at", "tx:aa12").status == 1)
  }

  @Test func `every option that takes a place takes all forms, and names itself in a mistake`() {
    let names: Set = ["--at", "--from", "--to", "--since", "--until", "--before"]
    // A follower's place is tried where there is a follower.
    let others: Set = ["scrub", "follow", "timeline", "followers"]
    let operands = [
      "blame": ["b1"], "why": ["b1"], "find": ["count > 0"], "event": ["1"], "trace": ["1"],
    ]
    var count = 0
    for subcommand in ReplayTool.subcommands where !others.contains(subcommand.name) {
      for option in subcommand.options where names.contains(option.name) && option.value != "POSITION" {
        // The ends of two logs, and not of one.
        if subcommand.name == "diff", option.name == "--at" { continue }
        let other = ["diff": option.name == "--to" ? ["--from", "0"] : ["--to", "last"], "compact": ["--dry-run"]][
          subcommand.name]
        let words =
          [subcommand.name, shop.tool.log] + (operands[subcommand.name] ?? []) + (other ?? []) + [option.name]
        for place in ["3", "id:e3", "cmd:open-shop", "-4", "10:03", "first"] {
          let answer = shop.tool.run(words + [place])
          #expect(answer.status < 2, "\(words) \(place): \(answer.talk)")
        }
        let wrong = shop.tool.run(words + ["nonsense"])
        #expect(
          wrong.status == 2 && wrong.talk.hasPrefix("annals: \(option.name): expected a position (120)"), "\(words)")
        #expect(shop.tool.run(words + ["id:none"]).status == 1, "\(words)")
        count += 1
      }
    }
    #expect(count >= 12)
  }
}
