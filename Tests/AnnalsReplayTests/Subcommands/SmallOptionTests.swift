import AnnalsSamples
import Foundation
import Testing

/// Options of one or two subcommands: `--yes`, `--list`, `--with-list` and `--time`, and the file of `demo`.
@Suite struct SmallOptionTests {
  private let shop: ShopTool
  private var tool: ToolRunner { shop.tool }

  init() throws { shop = try ShopTool() }

  @Test(arguments: Scenario.names) func `a sample's log is kept, and shown as its own list`(name: String) throws {
    let log = tool.path("kept log")
    let answer = tool.run("demo", name, log)
    #expect(answer.status == 0 && answer.talk == "the log is in \(log); try: annals show \(log)\n")
    #expect(answer.output == tool.run("demo", name).output)
    let shown = tool.run("show", log, "--json")
    // The year is the bookshop's.
    let list = name == "year" ? "bookshop" : name
    #expect(shown.status == 0 && tool.run("show", log, "--list", list, "--json").output == shown.output)
    #expect(tool.run("info", log).output.contains("\nlists       \(list) (a sample)\n"))
    #expect(tool.run("verify", log).status == 0 && tool.run("diff", "--each", log, "--check").status == 0)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: log))
    let again = tool.run("demo", name, log)
    #expect(
      again.status == 4 && again.output == "" && again.talk.hasSuffix("is there already; name a file that is not\n"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: log)) == bytes)
  }

  @Test func `a tour is not kept, and a log in a folder that is not there is an error`() {
    let tour = tool.run("demo", tool.path("tour"))
    #expect(tour.status == 2 && tour.talk.hasPrefix("annals: unknown sample "))
    #expect(!FileManager.default.fileExists(atPath: tool.path("tour")))
    #expect(tool.run("demo", "bookshop", tool.path("none/log")).status == 4)
  }

  @Test func `records are added to a log of an app's own events only with --yes`() {
    let log = tool.path("app")
    tool.run("demo", "bookshop", log)
    let before = tool.run("log", "--json", log).output
    let refused = tool.run("do", log, "insert", "b1", "--list", "book")
    #expect(refused.status == 1 && refused.talk.contains("--yes inserts it nevertheless"))
    #expect(tool.run("log", "--json", log).output == before)
    #expect(tool.run("do", log, "insert", "b1", "--list", "book", "--yes").status == 0)
    // From then on it is a log of both, and the list is chosen.
    #expect(tool.run("do", log, "insert", "b2", "--list", "book").status == 0)
    #expect(tool.run("show", log, "--list", "records").lines.first?.hasSuffix(": 2 rows") == true)
    #expect(tool.run("show", log, "--list", "bookshop").lines.first?.hasSuffix(": 7 rows") == true)
    let unknown = tool.run("show", log, "--list", "bokshop")
    #expect(
      unknown.status == 2
        && unknown.talk.hasPrefix(
          "annals: the log has no list or collection \"bokshop\". It has \"book\"; did you mean bookshop?")
    )
  }

  @Test func `without the list at the beginning the first batch is the first change`() throws {
    let json = tool.run("diff", "--each", tool.log, "4..", "--json").lines
    #expect(json.prefix(2).map { $0.prefix(16) } == [#"{"from":0,"to":4"#, #"{"from":4,"to":6"#])
    let all = tool.run("diff", "--each", tool.log, "4..", "--with-list").output
    let rest = tool.run("diff", "--each", tool.log, "4..").output
    #expect(all.hasSuffix(rest) && all.hasPrefix("0 → 4") && rest.hasPrefix("4 → 6"), "\(all)")
  }

  @Test func `counts of batches are those of their changes, and the rest of each line is as it is`() throws {
    func object(_ line: String) throws -> [String: Any] {
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    func counts(_ changes: Any?) throws -> [String: Int] {
      var counts = ["inserted": 0, "deleted": 0, "moved": 0, "updated": 0]
      for change in try #require(changes as? [[String: Any]]) {
        switch (change["type"] as? String, change["moved"] as? Bool ?? false) {
        case ("insert", false): counts["inserted", default: 0] += 1
        case ("delete", false): counts["deleted", default: 0] += 1
        case ("insert", true), ("move", _): counts["moved", default: 0] += 1
        case ("update", _): counts["updated", default: 0] += 1
        default: break
        }
      }
      return counts
    }
    var moves = 0
    for words in [
      ["diff", "--each", tool.log], ["diff", "--each", tool.log, "--sort", "price", "--section-by", "shelf"],
      ["diff", "--each", tool.log, "--sort", "-price", "--batch", "3"], ["diff", tool.log, "2..9"],
      ["diff", tool.log, "9..1", "--section-by", "shelf"],
      ["diff", tool.log, tool.log, "3", "9"],
    ] {
      let (whole, short) = (tool.run(words + ["--json"]), tool.run(words + ["--json", "--stat"]))
      #expect(
        short.status == whole.status && short.lines.count == whole.lines.count && !whole.lines.isEmpty, "\(words)")
      for (line, shortLine) in zip(whole.lines, short.lines) {
        var (all, some) = try (object(line), object(shortLine))
        let found = try #require(some.removeValue(forKey: "counts") as? [String: [String: Int]])
        #expect(try found["rows"] == counts(all.removeValue(forKey: "rows")), "\(words): \(line)")
        #expect(try found["sections"] == counts(all.removeValue(forKey: "sections")), "\(words): \(line)")
        #expect(NSDictionary(dictionary: all) == NSDictionary(dictionary: some))
        moves += found["rows"]?["moved"] ?? 0
      }
    }
    #expect(moves > 0)
  }

  @Test func `counts are a line for each section and each batch, and one for all`() {
    let all = tool.run("diff", "--each", tool.log, "--section-by", "shelf", "--sort", "price", "..9", "--stat").lines
    let heads = tool.run("diff", "--each", tool.log, "--section-by", "shelf", "--sort", "price", "..9").lines
      .filter { $0.contains(" → ") && $0.first?.isNumber == true }
    #expect(heads.allSatisfy(all.contains))
    #expect(all[1...3] == ["+ even  +1", "+ odd  +1", "  sections: 2 inserted; rows: 2 inserted"])
    #expect(all.filter { $0.hasPrefix("  ") && $0.contains(": ") }.count == heads.count)
    #expect(all.last?.hasPrefix("\(heads.count) batches  sections: ") == true, "\(all)")
    // One batch is its own sum.
    let diff = tool.run("diff", tool.log, "0..9", "--stat")
    #expect(diff.lines.count == 2 && diff.lines[1].contains("rows: "))
  }

  @Test func `times are printed as how long ago they were, or not at all, and JSON has them in UTC`() throws {
    let words = ["log", tool.log, "--limit", "1", "--fields", "time", "--format", "tsv"]
    let time = try #require(tool.run(words).lines.last)
    let began = try Date(time, strategy: .iso8601.year().month().day().time(includingFractionalSeconds: true))
    for (hours, words) in [(0.0, "0 seconds ago"), (1, "60 minutes ago"), (47, "47 hours ago"), (49, "2 days ago")] {
      tool.now = began.addingTimeInterval(hours * 3_600)
      let line = tool.run("log", tool.log, "--limit", "1", "--time", "relative").output
      #expect(line.hasPrefix("1  \(words)  "), "\(line)")
    }
    tool.now = began.addingTimeInterval(-400 * 86_400)
    #expect(tool.run("log", tool.log, "1", "--time", "relative").output.contains("time        in 13 months"))
    for words in [
      ["log", "--limit", "1"], ["why", "b1.price"], ["why", "b1"], ["find", "exists(b1)"], ["log", "--tree", "1"],
      ["log", "1"], ["log", "--commands", "--limit", "1"], ["info"], ["diff", "--each", "..2"], ["followers"],
      ["diff", "1.."], ["scrub", "--keys", "g1", "--size", "90x24"],
    ] {
      let all = [words[0], tool.log] + words.dropFirst()
      let none = tool.run(all + ["--time", "none"])
      #expect(!none.output.contains(try Regex("[0-9]T[0-9]{2}:")), "\(words): \(none.output)")
      #expect(none.status == tool.run(all).status, "\(words)")
      if words[0] == "scrub" { continue }
      for how in ["none", "relative"] {
        #expect(tool.run(all + ["--time", how, "--json"]).output == tool.run(all + ["--json"]).output, "\(words)")
      }
    }
    #expect(tool.run("log", tool.log, "--time", "none", "--limit", "1").output.hasPrefix("1  "))
    let cells = ["log", tool.log, "--limit", "1", "--fields", "position,time", "--time", "relative", "--format"]
    #expect(tool.run(cells + ["csv"]).output.contains("\n1,\(time)"))
    #expect(tool.run(cells + ["table"]).output.contains("in 13 months"))
  }

  @Test func `times are local like the times that you pass, and programs get UTC`() {
    tool.zone = TimeZone(identifier: "Asia/Kathmandu")
    for words in [
      ["log", "--limit", "1"], ["why", "b1.price"], ["why", "b1"], ["find", "exists(b1)"], ["log", "--tree", "1"],
      ["log", "1"],
      ["log", "--commands", "--limit", "1"], ["info"], ["diff", "--each", "..2"],
    ] {
      let all = [words[0], tool.log] + words.dropFirst()
      let (local, utc) = (tool.run(all), tool.run(all + ["--time", "utc"]))
      #expect(local.output.contains("+05:45") && !local.output.contains("Z  "), "\(words): \(local.output)")
      #expect(local.output == tool.run(all + ["--time", "local"]).output)
      #expect(utc.output.contains("Z") && !utc.output.contains("+05:45"), "\(words)")
      // JSON is for programs, which have one zone.
      #expect(tool.run(all + ["--time", "local", "--json"]).output == tool.run(all + ["--json"]).output)
    }
    let csv = tool.run("log", tool.log, "-n", "1", "--fields", "time", "--format", "csv").output
    #expect(csv.contains("T10:01:00Z"), "\(csv)")
    #expect(tool.run("show", tool.log, "--time", "mars").status == 2)
    // The printed time is a place.
    let printed = tool.run("log", tool.log, "-n", "3").lines[2].split(separator: " ")[1]
    #expect(
      printed.hasSuffix("+05:45")
        && tool.run("show", tool.log, String(printed), "-n", "0").output.contains("position 3:"))
    // A time without a zone is one of the place.
    #expect(tool.run("show", tool.log, "2026-03-01 15:48", "-n", "0").output == "position 3: 0 of 3 rows\n")
  }
}
