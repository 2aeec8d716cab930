import AnnalsReplay
import Foundation
import Testing

private let shared = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
  .appending(path: "shared")
private let history = shared.appending(path: "data/sqlite-swift-history.jsonl").path
private let oracle = shared.appending(path: "data/sqlite-swift-history.oracle.json").path
private let mirror = shared.appending(path: "checks/mirror.py").path
private let isThere = [history, oracle, mirror].allSatisfy { FileManager.default.fileExists(atPath: $0) }

/// The history of a real repository, if it is available, with an independent checker.
@Suite(.enabled(if: isThere, "the shared history is not there")) struct SharedHistoryTests {
  private static let options = ["--json", "--section-by", "directory", "--sort", "name"]

  @Test(arguments: ["transaction", "event", "50", "7"])
  func `an independent table view accepts every batch of a real history`(batch: String) throws {
    let tool = try ToolRunner()
    #expect(tool.run("import", tool.log, history).status == 0)
    let show = try tool.file("show.json", tool.run(["show", tool.log] + Self.options).output)
    let replay = try tool.file(
      "replay.jsonl", tool.run(["diff", "--each", tool.log, "--batch", batch] + Self.options).output)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", mirror, "--oracle", oracle, "--final", show]
    process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: replay))
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let answer = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0 && answer.hasPrefix("accepted:"), "\(answer)")
  }

  @Test func `show at each of the oracle's positions is what must be listed`() throws {
    let tool = try ToolRunner()
    tool.run("import", tool.log, history)
    let all = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: oracle))) as? [[String: Any]])
    for entry in all {
      let position = try #require(entry["position"] as? Int)
      let rows = try #require(entry["rows"] as? [[String]])
      let list = try JSONList(tool.run(["show", tool.log, "\(position)"] + Self.options).output)
      #expect(list.sections.flatMap { section in section.rows.map { [section.title, $0.name] } } == rows)
      #expect(list.position == position)
    }
  }

  @Test func `a diff between two positions leads from what show prints at one to what it prints at the other`() throws {
    let tool = try ToolRunner()
    tool.run("import", tool.log, history)
    var state: UInt64 = 1
    for _ in 0..<12 {
      let positions = (0..<2).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % 2_464
      }
      let lists = try positions.map {
        try JSONList(tool.run(["show", tool.log, "\($0)"] + Self.options).output)
      }
      let diff = tool.run(["diff", tool.log, "\(positions[0])..\(positions[1])"] + Self.options)
      var list = lists[0]
      if diff.status == 1 { try list.apply(diff.output) }
      #expect(diff.status == (lists[0].sections == lists[1].sections ? 0 : 1))
      #expect(list.sections == lists[1].sections)
    }
  }

  @Test func `an export imported and exported again is the same to the byte`() throws {
    let tool = try ToolRunner()
    tool.run("import", tool.log, history)
    let first = tool.run("log", "--json", tool.log).output
    tool.run("import", tool.path("two.annals"), try tool.file("export.jsonl", first))
    #expect(tool.run("log", "--json", tool.path("two.annals")).output == first)
    #expect(first.split(separator: "\n").count == 2_463)
    #expect(tool.run("log", tool.log, "--json").output == first)
  }
}
