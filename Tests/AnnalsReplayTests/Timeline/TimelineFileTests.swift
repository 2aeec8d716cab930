import Annals
import Foundation
import Testing

@testable import AnnalsReplay

/// The files that `annals timeline` writes.
@Suite struct TimelineFileTests {
  private let tool: ToolRunner

  init() throws {
    tool = try ToolRunner()
    try tool.importLines((1...3).map { inserted($0, "b\($0)", #"{"n":\#($0)}"#) })
  }

  private func run(_ words: String...) -> ToolRunner.Answer { tool.run(["timeline", tool.log] + words) }
  private var files: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: tool.folder.path)) ?? []).filter { $0.contains("html") }
  }

  @Test func `a page is written whole, and what was done is said`() throws {
    let file = tool.path("page.html")
    let answer = run("-o", file)
    #expect(answer.status == 0 && answer.output == "" && files == ["page.html"])
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file)).count
    #expect(answer.talk == "\(file): 3 batches by 3 events, \(PageSize.text(bytes))\n")
    let json = run("-o", file, "--yes", "--json")
    #expect(json.output == "{\"file\":\"\(file)\",\"bytes\":\(bytes),\"batches\":3,\"events\":3}\n")
  }

  @Test func `a file that is there is replaced only with --yes`() throws {
    let file = try tool.file("page.html", "mine")
    let answer = run("-o", file)
    #expect(answer.status == 4 && answer.talk.contains("there is such a file; --yes replaces it"))
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
    #expect(run("-o", file, "--yes").status == 0 && files == ["page.html"])
    #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix("<!doctype html>"))
  }

  @Test func `a page that would be too large is not written, and one says what to do`() {
    tool.largestPage = 60_000
    let answer = run("-o", tool.path("page.html"))
    #expect(answer.status == 1 && files.isEmpty)
    #expect(answer.talk.contains("larger than 60 kB: show less with A..B, --where or --limit"))
    tool.largestPage = 200
    #expect(run("-o", tool.path("page.html")).status == 1)
    tool.largestPage = 1_000_000
    #expect(run("-o", tool.path("page.html")).status == 0)
  }

  @Test func `batches are as large as the page's size needs, and their lists are those that show prints`() throws {
    let lines = (4...1_200).map { number in
      number % 20 == 0
        ? inserted(number, "c\(number)", #"{"n":\#(number)}"#)
        : line(number, "RecordUpdated", #"{"collection":"book","id":"b\#(number % 3 + 1)","fields":{"n":\#(number)}}"#)
    }
    try tool.importLines(lines)
    let all = run("-o", "-")
    #expect(try PageModel(all.output).lists[0].count == 1_201 && all.talk == "" && all.status == 0)
    tool.largestPage = all.output.utf8.count * 2 / 3
    let answer = run("-o", "-")
    #expect(
      answer.talk.hasPrefix("a batch has 100 events, so that the page has at most ")
        && answer.output.utf8.count < tool.largestPage)
    let model = try PageModel(answer.output)
    #expect(model.lists[0].map(\.position) == Array(stride(from: 0, through: 1_200, by: 100)))
    #expect(model.data["batch"]?.int == 100 && model.positions.count == 12 * 20)
    for (position, sections) in model.lists[0] {
      #expect(
        try JSONList(tool.run("show", tool.log, "--json", "\(position)").output).titled == sections, "\(position)")
    }
    // A batch names the last of its events, and the others are counted.
    let batch = try #require(model.data["lists"]?.array?[0]["batches"]?.array?[1])
    #expect(batch["e"]?.array?.map(\.int) == (181...200).map(Int?.some) && batch["n"]?.int == 100)
    let wish = run("-o", "-", "--batch", "transaction")
    #expect(wish.status == 1 && wish.talk.contains("take a larger number for --batch"))
    tool.largestPage = 20_000_000
    #expect(try PageModel(run("-o", "-", "--batch", "100").output).positions.count == 1_200)
  }

  @Test func `a page without a name is next to the log`() throws {
    let answer = tool.run("timeline", tool.log)
    #expect(answer.status == 0 && answer.talk.contains("\(tool.log).html: "), "\(answer)")
    #expect(try String(contentsOfFile: tool.log + ".html", encoding: .utf8).contains("</html>"))
    #expect(tool.run("timeline", tool.log).status == 4)
  }

  @Test func `what is no place for a page is refused before the log is read`() throws {
    for (words, status, part) in [
      (["-o", tool.log, "--yes"], 2, "is the log itself"), (["-o", tool.folder.path], 4, "found a folder"),
      (["-o", "/dev/null", "--yes"], 4, "found a device"), (["-o", tool.path("no/page.html")], 4, "no folder"),
      (["-o", ""], 2, "a file's name"),
      (["-o", "-", "3..1"], 2, "is after"), (["-o", "-", "--list", "no"], 2, "has no list"),
    ] {
      let answer = tool.run(["timeline", tool.log] + words)
      #expect(answer.status == status && answer.talk.contains(part) && answer.output == "", "\(words): \(answer.talk)")
    }
    #expect(files.isEmpty)
  }

  @Test func `sizes are written for people`() {
    let texts = [(999, "999 B"), (1_500, "1.5 kB"), (144_000, "144 kB"), (999_600, "1 MB"), (2_005_843, "2 MB")]
    for (bytes, text) in texts { #expect(PageSize.text(bytes) == text) }
  }

  @Test func `a page says the log's name, the tool's and the range`() throws {
    let page = try PageModel(run("-o", "-", "1..").output)
    #expect(page.data["log"] == "log.annals" && page.data["title"] == "log.annals" && page.data["from"] == 1)
    #expect(page.data["tool"]?.string == "annals \(ReplayTool.version)" && page.data["to"] == 3)
  }
}
