import Annals
import Foundation
import Testing

@testable import AnnalsReplay

/// What `show` says beside the rows.
@Suite struct ShowTests {
  private let runner: ToolRunner

  init() throws {
    runner = try ToolRunner()
    try runner.importLines(
      (1...7).map { number in
        inserted(number, "b\(number)", #"{"shelf":"\#(number < 4 ? "a" : "b")"\#(number == 7 ? #","rare":1"# : "")}"#)
      })
  }

  private func show(_ words: String...) -> ToolRunner.Answer { runner.run(["show", runner.log] + words) }

  @Test func `rows that --limit leaves out are counted too`() throws {
    #expect(
      show("--section-by", "shelf", "--limit", "4").lines.filter { !$0.hasPrefix("  ") } == [
        "position 7: 4 of 7 rows in 2 sections", "a  3", "b  1 of 4",
      ])
    #expect(
      show("--section-by", "shelf", "--limit", "1").lines.filter { !$0.hasPrefix("  ") } == [
        "position 7: 1 of 7 rows in 1 section", "a  1 of 3",
      ])
    #expect(show("--where", "shelf = b", "--limit", "2").lines[0] == "position 7: 2 of 4 rows")
    #expect(show("--limit", "0").lines == ["position 7: 0 of 7 rows"])
    // What is shown whole says nothing of a total.
    #expect(show("--limit", "7").lines[0] == "position 7: 7 rows")
    struct List: Decodable {
      struct Section: Decodable {
        let rows: [Row]
        let total: Int?
      }
      struct Row: Decodable { let id: String }
      let count: Int
      let total: Int?
      let sections: [Section]
    }
    func list(_ words: String...) throws -> List {
      let answer = runner.run(["show", runner.log, "--json", "--section-by", "shelf"] + words)
      return try JSONDecoder().decode(List.self, from: Data(answer.output.utf8))
    }
    let cut = try list("--limit", "4")
    #expect(cut.count == 4 && cut.total == 7 && cut.sections.map(\.total) == [nil, 4])
    let whole = try list()
    #expect(whole.count == 7 && whole.total == nil && whole.sections.map(\.total) == [nil, nil])
  }

  @Test func `a field that no row has is noticed where it cuts the rows, however few are shown`() {
    for words in [["--section-by", "shlf"], ["--section-by", "shlf", "--limit", "1"], ["--sort", "shlf"]] {
      let answer = runner.run(["show", runner.log] + words)
      #expect(answer.status == 2 && answer.output.isEmpty)
      #expect(answer.talk == "annals: no row has a field shlf; did you mean shelf?\n")
      // The log's last list has the field, but not this one.
      #expect(runner.run(["show", runner.log, "0"] + words).status == 0)
    }
    // One row has it, and is not shown.
    #expect(show("--section-by", "rare", "--limit", "1").talk == "")
  }
}
