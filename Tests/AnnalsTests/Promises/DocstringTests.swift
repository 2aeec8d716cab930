import Foundation
import Testing

/// The rules of `Docs/Contributing.md` for docstrings that the formatter does not check.
@Suite struct DocstringTests {
  @Test func `every public declaration has a docstring whose first sentence stands alone`() throws {
    let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    let files = try #require(
      FileManager.default.enumerator(at: root.appendingPathComponent("Sources"), includingPropertiesForKeys: nil))
    var count = 0
    for case let file as URL in files where file.pathExtension == "swift" {
      let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
        .map { $0.trimmingCharacters(in: .whitespaces) }
      for (index, line) in lines.enumerated() where isPublic(line) {
        count += 1
        let place = "\(file.lastPathComponent):\(index + 1)"
        // Attributes are between the docstring and the declaration, some of them on several lines.
        var start = index
        while start > 0 {
          let line = lines[start - 1]
          if line.hasPrefix("@") || line.hasPrefix("#if") {
            start -= 1
          } else if line == ")", let opening = lines[..<start].lastIndex(where: { $0.hasSuffix("(") }),
            lines[opening].hasPrefix("@")
          {
            start = opening
          } else {
            break
          }
        }
        let docstring = lines[..<start].reversed().prefix { $0.hasPrefix("///") }.reversed().map {
          $0.dropFirst(3).trimmingCharacters(in: .whitespaces)
        }
        let summary = docstring.prefix { !$0.isEmpty }.joined(separator: " ")
        #expect(!summary.isEmpty, "\(place) has no docstring")
        #expect(isOneSentence(summary), "\(place): \(summary)")
      }
    }
    #expect(count > 900)
  }

  private func isPublic(_ line: String) -> Bool {
    let words = line.split(separator: " ").drop { $0.hasPrefix("@") }
    return words.first == "public" && !["import", "extension"].contains(words.dropFirst().first)
  }

  /// True if the text ends with a full stop, and has none before a space outside of code.
  private func isOneSentence(_ text: String) -> Bool {
    let plain = text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .map { $0.offset % 2 == 0 ? String($0.element) : "x" }.joined()
    return ".!?".contains(plain.last ?? " ") && !plain.contains(#/[.!?] /#)
  }
}
