import Foundation
import Testing

/// The commands of `Docs/ToolQuestions.md`, with their output.
@Suite struct ToolPageTests {
  private static let docs = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
    url.deletingLastPathComponent()
  }.appending(path: "Docs")

  /// A command of the page, and the lines that stand under it.
  private struct Sample {
    let command: String
    var lines: [String] = []
    /// True if the page leaves out what follows.
    var isCut = false
  }

  private static func samples() throws -> [Sample] {
    let page = try String(contentsOf: docs.appending(path: "ToolQuestions.md"), encoding: .utf8)
    let start = try #require(page.range(of: "\n## "))
    var samples: [Sample] = []
    for line in page[start.upperBound...].split(separator: "\n") where line.hasPrefix("    ") {
      let text = String(line.dropFirst(4))
      if text.hasPrefix("$ ") {
        samples.append(Sample(command: String(text.dropFirst(2))))
      } else if text == "…" {
        samples[samples.count - 1].isCut = true
      } else {
        samples[samples.count - 1].lines.append(text)
      }
    }
    return samples
  }

  @Test func `each question of the page is answered by one command, with the output that stands there`() throws {
    let runner = try ToolRunner()
    let source = Self.docs.appending(path: "Examples/sqlite-swift.jsonl")
    let text = try String(contentsOf: source, encoding: .utf8)
    _ = try runner.file("half.jsonl", text.split(separator: "\n").prefix(400).map { $0 + "\n" }.joined())
    _ = try runner.file("books.csv", "isbn,title,price\n1,Emma,9.5\n2,Dune,12\n")
    let made = try ToolProcess.shell(
      "\"$TOOL\" demo year year.annals && \"$TOOL\" import files.annals '\(source.path)'"
        + " && \"$TOOL\" import other.annals half.jsonl", in: runner.folder)
    #expect(made.status == 0, "\(made.talk)")
    let samples = try Self.samples()
    #expect(samples.count > 25)
    // What follows a log does not end by itself.
    for sample in samples where !sample.command.contains("--follow") {
      let words = sample.command.replacing("annals ", with: "\"$TOOL\" ", maxReplacements: 1)
      let answer = try ToolProcess.shell(words, in: runner.folder)
      let printed = answer.output.isEmpty ? answer.talk : answer.output
      let found = printed.split(separator: "\n").map(String.init)
      let least = sample.isCut ? Array(found.prefix(sample.lines.count)) : found
      #expect(least == sample.lines, "\(sample.command)\n\(printed)")
      #expect(answer.status < 2, "\(sample.command)")
    }
  }
}
