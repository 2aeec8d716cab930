import Foundation

/// A page of the documentation.
struct Page {
  /// Its path from the package's folder.
  let path: String
  let text: String

  init(_ path: String) throws {
    self.path = path
    text = try String(contentsOf: Guide.root.appending(path: path), encoding: .utf8)
  }

  /// The README, and all pages of the folder `Docs` and of those in it.
  static var all: [Page] {
    get throws {
      let docs = Guide.root.appending(path: "Docs")
      let names = try FileManager.default.subpathsOfDirectory(atPath: docs.path)
      let isOfNoPackage = { (name: String) in !name.contains(".build/") }
      return try
        (["README.md"] + names.filter { $0.hasSuffix(".md") && isOfNoPackage($0) }.sorted().map { "Docs/\($0)" })
        .map(Page.init)
    }
  }

  /// The lines of each fenced block of a language, without the indentation that a block in a list has.
  func blocks(of language: String) -> [[String]] {
    var blocks: [[String]] = []
    var block: (lines: [String], language: Substring, indentation: Int)?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let words = line.drop { $0 == " " }
      guard words.hasPrefix("```") else {
        if let indentation = block?.indentation { block?.lines.append(String(line.dropFirst(indentation))) }
        continue
      }
      if let ended = block {
        if ended.language == language { blocks.append(ended.lines) }
        block = nil
      } else {
        block = ([], words.dropFirst(3), line.count - words.count)
      }
    }
    return blocks
  }

  /// The text without its blocks of code.
  var prose: String {
    var isCode = false
    return text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
      if line.drop(while: { $0 == " " }).hasPrefix("```") {
        isCode.toggle()
        return false
      }
      return !isCode && !line.hasPrefix("    ")
    }.joined(separator: "\n")
  }
}
