import Annals
import AnnalsTesting
import Foundation
import Testing

/// Compares the guide with the code of this folder, and the guide's report with the actual one.
@Suite struct GuideTests {
  private let settings = CheckSettings(examples: 300, seed: 1, environment: .patient)

  @Test func `the guide's mistake is found, and its smallest history is the one in the guide`() throws {
    let failure = #expect(throws: PropertyFailure.self) {
      try check(history, settings: settings, shelvesHoldTheirBooks)
    }
    #expect(failure?.input == ["[.put(shelf: 1, books: 2), .taken(shelf: 1, books: 1)]"])
    let guide = try guide()
    for line in failure?.input ?? [] { #expect(guide.contains("  \(line)\n")) }
    #expect((failure?.error as? Unmet).map { guide.contains($0.description) } == true)
  }

  @Test func `each block of the guide is code of this folder, which runs`() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    let code = try files.map { words(try String(contentsOf: $0, encoding: .utf8)) }
    let blocks = try guide().components(separatedBy: "```swift\n").dropFirst()
    #expect(blocks.count > 12)
    for block in blocks.compactMap({ $0.components(separatedBy: "```").first }) {
      // A line with an ellipsis leaves code out.
      let parts = block.components(separatedBy: "…\n").map(words)
      #expect(code.contains { code in parts.allSatisfy { code.contains($0) } }, "\(block)")
    }
  }

  @Test func `the picture of a shrinking history shows the failing histories of a check`() throws {
    var failures: [[ShelfEvent]] = []
    let failure = #expect(throws: PropertyFailure.self) {
      try check(history, settings: CheckSettings(examples: 300, seed: 305, environment: .patient)) { history in
        do {
          try shelvesHoldTheirBooks(history)
        } catch {
          if history.count < failures.last?.count ?? .max { failures.append(history) }
          throw error
        }
      }
    }
    #expect(failures.first?.count == 40 && failures.last?.count == 2)
    // A letter for each event: p for put, t for taken.
    let rows = failures.map { String($0.compactMap { "\($0)".first }) } + (failure?.input ?? [])
    let lines = rows.joined(separator: "\n") + "\n"
    let file = try String(contentsOf: packageFolder.appending(path: "Docs/Pictures/Shrinking.txt"), encoding: .utf8)
    #expect(
      file == lines, "write to Docs/Pictures/Shrinking.txt, and draw the picture with .ci/pictures:\n\(lines)")
  }

  private func guide() throws -> String { try testingGuide() }

  private func words(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}

/// The text of the pages about tests, and of the page about stores.
func testingGuide() throws -> String {
  try ["Testing", "TestingHowTos", "TestingReference", "OwnStores"]
    .map { try String(contentsOf: packageFolder.appending(path: "Docs/\($0).md"), encoding: .utf8) }.joined()
}

private let packageFolder = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent()
}
