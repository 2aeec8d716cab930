import Foundation
import Testing

/// The commands of the tool's pages, with their output.
@Suite struct ToolPageTests {
  private static let docs = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
    url.deletingLastPathComponent()
  }.appending(path: "Docs")

  /// A command of a page, and the lines below it.
  private struct Sample {
    let command: String
    var lines: [String] = []
    /// True if the page leaves out the following lines.
    var isCut = false

    /// Compares the sample with the tool's output.
    ///
    /// A terminal shows output and messages together. In which order depends on the message.
    func compare(with output: String, _ messages: String, status: Int32) {
      func lines(_ text: String) -> [String] { text.split(whereSeparator: \.isNewline).map(String.init) }
      let (found, messages) = (lines(output), lines(messages))
      let shown = self.lines.filter { !messages.contains($0) }
      #expect(shown == (isCut ? Array(found.prefix(shown.count)) : found), "\(command)\n\(output)")
      #expect(isCut || messages.allSatisfy(self.lines.contains), "\(command) also prints \(messages)")
      #expect(status <= 2, "\(command)")
    }
  }

  private static func samples(of page: String) throws -> [Sample] {
    let page = try String(contentsOf: docs.appending(path: page), encoding: .utf8)
    var samples: [Sample] = []
    var isSample = false
    for line in page.split(separator: "\n") {
      let text = String(line.dropFirst(4))
      if !line.hasPrefix("    ") {
        isSample = false
      } else if text.hasPrefix("$ ") {
        samples.append(Sample(command: String(text.dropFirst(2))))
        isSample = true
      } else if isSample {
        let last = samples.count - 1
        if text == "…" { samples[last].isCut = true } else { samples[last].lines.append(text) }
      }
    }
    return samples
  }

  @Test(arguments: [("Tool.md", 12), ("ToolRecipes.md", 30), ("ToolReference.md", 4)])
  func `the commands of a page print the lines below them`(page: String, count: Int) throws {
    let runner = try ToolRunner()
    try FileManager.default.createSymbolicLink(at: runner.folder.appending(path: "Docs"), withDestinationURL: Self.docs)
    let samples = try Self.samples(of: page)
    #expect(samples.count >= count)
    // A command that follows a log doesn't end.
    for sample in samples where !sample.command.contains("--follow") {
      let answer = try ToolProcess.shell("annals() { \"$TOOL\" \"$@\"; }; " + sample.command, in: runner.folder)
      sample.compare(with: answer.output, answer.talk, status: answer.status)
    }
  }

  @Test func `the commands of an app's tool print the lines below them`() throws {
    let runner = try ToolRunner()
    runner.tool = ToolRunner.wares
    try runner.makeWares("shop.annals")
    let samples = try Self.samples(of: "YourOwnTool.md")
    #expect(samples.count > 5)
    for sample in samples {
      let words = sample.command.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap {
        $0.offset % 2 == 1 ? [String($0.element)] : $0.element.split(separator: " ").map(String.init)
      }
      #expect(words[0] == "shoptool")
      let answer = runner.run(words.dropFirst().map { $0 == "shop.annals" ? runner.path($0) : $0 })
      // The page's module is the app's.
      let output = answer.output.replacing("AnnalsReplayTests", with: "Shop")
      sample.compare(with: output, answer.talk, status: answer.status)
    }
  }
}
