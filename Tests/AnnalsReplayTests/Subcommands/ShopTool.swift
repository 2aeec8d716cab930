import Foundation
import Testing

/// The tool with the log of ``ShopLog``, at noon of its day, in UTC.
struct ShopTool {
  let tool: ToolRunner

  init() throws {
    tool = try ToolRunner()
    tool.now = Date(timeIntervalSince1970: 1_772_366_400)
    tool.zone = TimeZone(identifier: "UTC")
    try ShopLog.write(to: tool.log)
  }

  /// A run, and what it printed, with LOG for the log's path.
  struct Pin {
    let words: [String]
    let status: Int32
    let output: String
    let talk: String

    /// Compares it with what is expected, apart from the last line's end.
    func `is`(
      _ status: Int32, _ output: String, says talk: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) {
      #expect(self.status == status, "\(words): \(self.talk)", sourceLocation: sourceLocation)
      #expect(self.output == output, "\(words)", sourceLocation: sourceLocation)
      #expect(self.talk == talk, "\(words)", sourceLocation: sourceLocation)
    }
  }

  func pin(_ words: [String]) -> Pin {
    let answer = tool.run(words.map { $0 == "LOG" ? tool.log : $0 })
    func text(_ text: String) -> String {
      let text = text.replacing(tool.log, with: "LOG")
      return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
    return Pin(words: words, status: answer.status, output: text(answer.output), talk: text(answer.talk))
  }
}
