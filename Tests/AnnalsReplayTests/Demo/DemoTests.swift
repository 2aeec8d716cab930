import Annals
import AnnalsLog
import AnnalsSQLite
import AnnalsSamples
import Foundation
import Testing

/// `annals demo`.
@Suite struct DemoTests {
  private let tool: ToolRunner

  init() throws {
    tool = try ToolRunner()
  }

  @Test(arguments: Scenario.names) func `a demo runs its sample to the end, within 80 columns`(_ name: String) throws {
    let answer = tool.run("demo", name)
    #expect(answer.status == 0)
    #expect(answer.talk == "")
    #expect(answer.lines.contains(name))
    #expect(answer.lines.filter { $0.first?.isNumber ?? false }.count >= 2)
    #expect(answer.lines.filter { $0.count > 80 } == [])
    #expect(!answer.output.contains("\u{1B}"))
  }

  @Test(arguments: Scenario.names) func `a kept log shows at least the rows of the demo's last step`(_ name: String)
    throws
  {
    let kept = tool.path("kept")
    let steps = tool.run("demo", name, kept, "--json").lines
    let last = try JSONValue(parsing: try #require(steps.last))
    let rows = (last["sections"]?.array ?? []).reduce(0) { $0 + ($1["rows"]?.array?.count ?? 0) }
    let shown = try JSONValue(parsing: tool.run("show", kept, "--json").output)
    #expect(rows > 0 && (shown["count"]?.int ?? 0) >= rows, "\(last)")
  }

  @Test func `a demo shows list and notifications as they come`() throws {
    let lines = tool.run("demo", "bookshop").lines
    #expect(
      lines.starts(with: [
        "bookshop", "Books by price. The delegate handles no moves, so none are reported.", "  position 7 lists",
        "    《西游记》  ¥48.5", "    《红楼梦》  ¥50.5", "    《本草纲目》  ¥59.0", "    《水浒传》  ¥67.5", "    《三国演义》  ¥70.0",
        "    《资治通鉴》  ¥79.0", "    《二十四史》  ¥98.0", "1. Delete the last book.", "  the delegate gets",
        "    will change", "      delete [0, 6] 《二十四史》  ¥98.0", "    did change", "  position 8 lists",
      ]))
    #expect(lines.filter { $0 == "  the table shows instead" }.count == 1)
  }

  @Test func `a form in the bookshop is ahead of the log, follows it, is saved at once, and undone`() throws {
    let lines = tool.run("demo", "bookshop").lines
    let start = try #require(lines.firstIndex { $0.hasPrefix("5. In a form,") })
    func heard(_ number: Int) -> [String] {
      guard let step = lines.firstIndex(where: { $0.hasPrefix("\(number). ") }) else { return [] }
      let rest = lines[step...].drop { $0 != "    will change" }
      return rest.prefix { !$0.hasPrefix("  position") }.filter { $0.hasPrefix("      ") }.map {
        String($0.dropFirst(6))
      }
    }
    #expect(heard(5).count == 3 && heard(6) == ["delete [0, 7] 《资治通鉴》  ¥79.0"])
    #expect(heard(7).count == 3 && heard(7).contains("insert [0, 1] 《论衡》  ¥33.0"))
    #expect(heard(8) == ["delete [0, 2] 《狂人日记》  ¥50.0", "insert [0, 0] 《狂人日记》  ¥20.0"])
    #expect(lines[start...].filter { $0.hasPrefix("  position") } == [14, 15, 15, 16].map { "  position \($0) lists" })
  }

  @Test func `a year in the bookshop is the same each time, and every subcommand reads its log`() throws {
    let (log, other) = (tool.path("year"), tool.path("other"))
    for path in [log, other] { #expect(tool.run("demo", "year", path).status == 0) }
    // Only the source differs, by which a log tells its events from another log's.
    let logs = try [log, other].map { path in
      tool.run("log", "--json", path).output.replacing(try Regex("urn:uuid:[-0-9a-f]+"), with: "source")
    }
    #expect(logs[0] == logs[1])
    let events = try SQLiteEventStore(readingFrom: log).head().rawValue
    #expect((1_900...2_100).contains(events), "\(events)")
    for words in [
      ["info"], ["show"], ["log", "--commands"], ["log", "-n", "1"], ["followers"], ["erase"], ["verify"],
      ["why", "b1"], ["timeline", "-o", "-"], ["scrub", "--keys", "q", "--size", "80x24"],
      ["log", "--tree", "order-o1"], ["diff", "--each", "--check"],
    ] {
      let answer = tool.run([words[0], log] + words.dropFirst())
      #expect(answer.status == 0 && !(answer.output + answer.talk).isEmpty, "\(words): \(answer.talk)")
    }
    #expect(tool.run("followers", log).lines.last?.hasSuffix("moved 2025-12-31T20:00:00Z") == true)
  }

  @Test func `the mistake in the bookshop's year is found by the commands that the demo prints`() throws {
    let log = tool.path("year")
    let demo = tool.run("demo", "year", log).lines
    let commands = demo.filter { $0.hasPrefix("  annals ") }.map { line in
      line.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap { index, part in
        index % 2 == 1 ? [String(part)] : part.split(separator: " ").map { $0 == "FILE" ? log : String($0) }
      }.dropFirst()
    }
    let answers = commands.map { tool.run(Array($0)) }
    try #require(answers.count == 4 && answers.allSatisfy { $0.status == 0 })
    #expect(answers[0].lines[0].hasSuffix("  BookRepriced  mia  by summer-end-retry-b5  of summer-sale-end"))
    #expect(answers[1].lines.last?.contains("57.5, was 45.5") == true)
    #expect(answers[2].output.contains("summer-end-b5") && answers[2].output.contains("summer-end-retry-b5"))
    #expect(answers[3].output.contains("  b5  title: 《资治通鉴》, price: 45.5\n"))
  }

  @Test func `what another user appends reaches the team's list`() throws {
    let lines = tool.run("demo", "team").lines
    #expect(lines.contains("      insert [0, 1] Pia, 20"))
    #expect(lines.filter { $0 == "  the delegate gets nothing" }.count == 1)
  }

  @Test func `without a name the demo is a tour of all samples`() throws {
    let answer = tool.run("demo")
    #expect(answer.status == 0)
    #expect(answer.lines.filter { Scenario.names.contains($0) } == Scenario.names)
    #expect(answer.lines.filter { $0.count > 80 } == [])
    #expect(answer.lines.count < tool.run("demo", "course").lines.count * 3)
  }

  @Test func `a demo prints an object a step as JSON`() throws {
    struct Step: Decodable {
      struct Section: Decodable {
        let title: String
        let rows: [String]
      }
      struct Table: Decodable {
        let sections: [Section]
      }
      let sample: String
      let step: Int
      let position: Int
      let notifications: [String]
      let sections: [Section]
      let wrongTable: Table?
    }
    let steps = try tool.run("demo", "bookshop", "--json").lines.map {
      try JSONDecoder().decode(Step.self, from: Data($0.utf8))
    }
    #expect(steps.map(\.step) == Array(0...8))
    #expect(steps.allSatisfy { $0.sample == "bookshop" && $0.sections.count == 1 })
    #expect(steps[1].notifications == ["will change", "delete [0, 6] 《二十四史》  ¥98.0", "did change"])
    #expect(steps.filter { $0.wrongTable != nil }.map(\.step) == [4])
    let tour = try tool.run("demo", "--json").lines.map { try JSONDecoder().decode(Step.self, from: Data($0.utf8)) }
    #expect(Set(tour.map(\.sample)) == Set(Scenario.names))
  }

  @Test func `a demo has colours on a terminal, unless NO_COLOR is there`() throws {
    tool.isTerminal = true
    #expect(tool.run("demo", "staff").output.contains("\u{1B}[1mstaff"))
    tool.environment = ["NO_COLOR": "1"]
    #expect(!tool.run("demo", "staff").output.contains("\u{1B}"))
  }

  @Test func `an unknown sample is a mistake, and the nearest is named`() throws {
    let answer = tool.run("demo", "bookshp")
    #expect(answer.status == 2)
    #expect(
      answer.talk == "annals: unknown sample bookshp; did you mean bookshop?\n"
        + "the samples are bookshop, team, course, staff, year\n")
    #expect(tool.run("demo", "team", "course", "x").status == 2)
    #expect(tool.run("demo", "--help").output.contains("usage: annals demo [NAME] [FILE]"))
  }

  @Test func `a demo leaves no file behind`() throws {
    #expect(tool.run("demo").status == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: tool.folder.path) == [])
  }

  @Test func `a demo that finds no place for its log says so`() throws {
    try FileManager.default.removeItem(at: tool.folder)
    let answer = tool.run("demo", "staff")
    #expect(answer.status == 4)
    #expect(answer.output == "")
  }
}
