import Foundation
import Testing
import benchmarks

/// Compares the numbers of the pages with the committed results of the benchmarks.
///
/// `ANNALS_WRITE_FIGURES=1 swift test --filter FigurePagesTests` writes the table and the numbers from the results.
@Suite(.serialized) struct FigurePagesTests {
  static let root = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
  static let table = "Docs/Evidence/Benchmarks.md"
  static let advice =
    "correct the page, or run ANNALS_WRITE_FIGURES=1 swift test --filter FigurePagesTests and read the sentence"
  private let writes = ProcessInfo.processInfo.environment["ANNALS_WRITE_FIGURES"] != nil
  private let file: FigureFile

  init() throws {
    file = try FigureFile(Self.root.appending(path: "Docs/Evidence/Figures.jsonl").path)
  }

  private static var pages: [String] {
    get throws {
      let names = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: "Docs").path)
      return ["README.md"]
        + names.filter { $0.hasSuffix(".md") && !$0.contains(".build/") }.sorted().map { "Docs/\($0)" }
    }
  }

  private func text(_ page: String) throws -> String {
    try String(contentsOf: Self.root.appending(path: page), encoding: .utf8)
  }

  private func write(_ text: String, to page: String) throws {
    try Data(text.utf8).write(to: Self.root.appending(path: page))
  }

  /// The problems of a page, with their lines.
  private func problems(_ text: String, of page: String) -> [String] {
    FigureMark.all(in: text).compactMap { mark in
      do throws(FigureMark.Problem) {
        try mark.check(file)
        return nil
      } catch {
        let line = text[..<mark.range.lowerBound].count { $0 == "\n" } + 1
        let found = "\(page):\(line): \(mark.number) \(mark.unit)"
        return switch error {
        case .notMeasured: "\(found): the file has no result of \(mark.name) \(mark.part)"
        case .severalLengths(let rows): "\(found): add the rows to the comment, one of \(rows), for example 1000 rows"
        case .otherUnit: "\(found): \(mark.name) isn't measured in this unit"
        case .differs(let expected): "\(found): \(mark.name) is \(expected) \(mark.unit); \(Self.advice)"
        }
      }
    }
  }

  @Test func `numbers of pages are the committed results of the benchmarks that they name`() throws {
    var count = 0
    for page in try Self.pages {
      var text = try text(page)
      count += FigureMark.all(in: text).count
      if writes {
        for mark in FigureMark.all(in: text).reversed() {
          do throws(FigureMark.Problem) {
            try mark.check(file)
          } catch {
            if case .differs(let expected) = error { text.replaceSubrange(mark.range, with: expected) }
          }
        }
        try write(text, to: page)
      }
      for problem in problems(text, of: page) { Issue.record("\(problem)") }
      // A misspelled comment would not be checked.
      #expect(
        text.matches(of: /<!-- benchmark:/).count == FigureMark.all(in: text).count, "\(page) has a wrong comment")
    }
    #expect(count > 40)
  }

  /// The parts of a page that need a comment: paragraphs, items of lists and rows of tables.
  private static func blocks(_ text: String) -> [String] {
    var blocks = [""]
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.isEmpty || line.hasPrefix("|") || line.hasPrefix("- ") || line.hasPrefix("#") { blocks.append("") }
      blocks[blocks.count - 1] += line + "\n"
    }
    return blocks
  }

  private static func lacksMark(_ block: String, cites: Bool) -> Bool {
    (cites || block.contains(/\]\([^)]*(?:Benchmarks|Performance)\.md/))
      && block.contains(/[0-9] (?:ns|µs|ms|s|bytes|KB|MB|GB)\b/) && FigureMark.all(in: block).isEmpty
  }

  @Test func `paragraphs that link to the benchmarks name the benchmark of their numbers`() throws {
    for page in try Self.pages where page != Self.table && !page.hasPrefix("Docs/Design") {
      for block in Self.blocks(try text(page)) {
        #expect(!Self.lacksMark(block, cites: page == "Docs/Performance.md"), "\(page) lacks a comment: \(block)")
      }
    }
    #expect(Self.lacksMark("- It takes 3 ms ([benchmarks](Evidence/Benchmarks.md)).\n", cites: false))
    #expect(!Self.lacksMark("It takes 3 ms.", cites: false))
    #expect(!Self.lacksMark("It takes 3 ms <!-- benchmark: undo -->.", cites: true))
  }

  @Test func `the page of benchmarks has all benchmarks with their results`() throws {
    let text = try text(Self.table)
    let (begin, end) = ("<!-- results: written by FigurePagesTests -->\n\n", "\n\n<!-- end of results -->")
    let start = try #require(text.range(of: begin)).upperBound
    let range = try start..<#require(text.range(of: end, range: start..<text.endIndex)).lowerBound
    let table = FigureTable.markdown(Figure.all, file)
    if writes, text[range] != table {
      try write(text.replacingCharacters(in: range, with: table), to: Self.table)
    } else {
      #expect(text[range] == table, "\(Self.table) has other results than the file; \(Self.advice)")
    }
  }

  @Test func `results are of benchmarks that exist, with their units`() throws {
    for line in file.lines {
      let figure = (Figure.all + Figure.list(rows: line.rows)).first { $0.name == line.name && $0.rows == line.rows }
      #expect(figure?.resource.rawValue == line.resource, "remove the line of \(line.name) with \(line.rows) rows")
      #expect(figure?.resource.unit == line.unit)
      #expect((figure?.baseline == nil) == (line.baseline == nil), "measure \(line.name)")
    }
  }

  @Test func `a number is compared to its own precision`() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "figures-\(UUID().uuidString).jsonl").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    var file = try FigureFile(path)
    func put(_ name: String, _ resource: Figure.Resource, _ value: Double, _ baseline: Double?, rows: Int) throws {
      let figure = Figure(name, rows: rows, "", of: resource, .cost(atMost: 1)) {
        Contest {
          value
        } baseline: {
          baseline ?? 0
        }
      }
      try file.put(FigureFile.Line(try Measurement(figure, rounds: 5), on: "2026-11-29"))
    }
    try put("undo", .time, 121_300, 26_000, rows: 100)
    try put("row-memory", .memory, 301.4, 99.96, rows: 5)
    try put("row-memory", .memory, 400, 100, rows: 6)
    func problem(_ text: String) -> FigureMark.Problem? {
      do throws(FigureMark.Problem) {
        guard let mark = FigureMark.all(in: text).first else { return .otherUnit("no mark") }
        try mark.check(file)
        return nil
      } catch {
        return error
      }
    }
    for right in [
      "0.12 ms <!-- benchmark: undo -->", "121 µs\n<!-- benchmark: undo -->", "120 µs <!-- benchmark: undo -->",
      "121,300 ns <!-- benchmark: undo 100 rows -->", "26.0 µs <!-- benchmark: undo baseline -->",
      "4.7 times <!-- benchmark: undo ratio -->", "4.67 <!-- benchmark: undo ratio -->",
      "8,200 events per second <!-- benchmark: undo -->", "301 bytes <!-- benchmark: row-memory 5 rows -->",
      "0.3 KB <!-- benchmark: row-memory 5 rows -->", "100 bytes <!-- benchmark: row-memory 5 rows baseline -->",
    ] { #expect(problem(right) == nil, "\(right)") }
    #expect(problem("0.13 ms <!-- benchmark: undo -->") == .differs(expected: "0.12"))
    #expect(problem("130 µs <!-- benchmark: undo -->") == .differs(expected: "120"))
    #expect(problem("9,000 events per second <!-- benchmark: undo -->") == .differs(expected: "8,000"))
    #expect(problem("345 bytes <!-- benchmark: row-memory 5 rows -->") == .differs(expected: "301"))
    #expect(problem("3 bytes <!-- benchmark: undo -->") == .otherUnit("bytes"))
    #expect(problem("3 ms <!-- benchmark: undo ratio -->") == .otherUnit("ms"))
    #expect(problem("3 ms <!-- benchmark: redo -->") == .notMeasured)
    #expect(problem("301 bytes <!-- benchmark: row-memory -->") == .severalLengths([5, 6]))
  }
}
