import Foundation
import Testing

/// Looks for the blocks of Swift of all pages in the files that are compiled.
@Suite struct BlockTests {
  /// A file's text or a block's, without a difference in spaces.
  static func words(_ text: some StringProtocol) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// The pieces of a block: what stands between empty lines, and lines that only say that something is left out.
  static func pieces(of block: [String]) -> [String] {
    block.split { $0.allSatisfy(\.isWhitespace) || $0.trimmingCharacters(in: .whitespaces) == "…" }
      .map { words($0.joined(separator: "\n")) }
  }

  private func code() throws -> [String] {
    try ["Tests", "Docs/Examples"].flatMap { folder in
      let folder = Guide.root.appending(path: folder)
      return try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        .filter { $0.hasSuffix(".swift") && !$0.contains(".build/") }
        .map { Self.words(try String(contentsOf: folder.appending(path: $0), encoding: .utf8)) }
    }
  }

  @Test func `each block of Swift of each page is in a file that is compiled`() throws {
    let code = try code()
    var count = 0
    for page in try Page.all {
      for block in page.blocks(of: "swift") {
        for piece in Self.pieces(of: block) {
          count += 1
          #expect(code.contains { $0.contains(piece) }, "\(page.path): no file has \(piece)")
        }
      }
    }
    #expect(count > 200)
  }

  @Test func `a block is taken apart at its empty lines and where something is left out`() {
    let block = ["struct A: Row {", "  let id: String", "  …", "}", "", "let a = 1  // one"]
    #expect(Self.pieces(of: block) == ["struct A: Row { let id: String", "}", "let a = 1 // one"])
  }

  /// The brackets of a block that have no counterpart in it, for example `{`.
  static func unbalanced(in block: [String]) -> [Character] {
    let text = block.joined(separator: "\n").replacing(/\/\/.*/, with: "")
    return zip("{([", "})]").filter { open, close in
      text.count { $0 == open } != text.count { $0 == close }
    }.map(\.0)
  }

  @Test func `each block of Swift of each page closes the brackets that it opens`() throws {
    for page in try Page.all {
      for block in page.blocks(of: "swift") {
        #expect(Self.unbalanced(in: block).isEmpty, "\(page.path):\n\(block.joined(separator: "\n"))")
      }
    }
    #expect(Self.unbalanced(in: ["struct A {", "  let b = [f(1)]  // :)"]) == ["{"])
    #expect(Self.unbalanced(in: ["print(\"\\(a)\"", "let c = [1, 2"]) == ["(", "["])
  }
}
