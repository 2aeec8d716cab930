import Foundation
import Testing

/// Compares the glossary with the public names of the library.
@Suite struct ConceptsTests {
  /// The words of Swift names in a code span, for example `Append` and `condition` of `Append.Condition`.
  private static func names(in code: Substring) -> [String] {
    code.split { (character: Character) in !character.isLetter && !character.isNumber && character != "_" }
      .map(String.init).filter { $0.first?.isLetter == true }
  }

  /// The names that the public declarations of the products have, with cases, parameters and labels.
  private static func publicNames() throws -> Set<String> {
    let sources = Guide.root.appending(path: "Sources")
    var names: Set<String> = []
    for path in try FileManager.default.subpathsOfDirectory(atPath: sources.path) where path.hasSuffix(".swift") {
      let source = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
      var isPublic = false
      for line in source.split(separator: "\n") {
        let words = line.trimmingPrefix { $0 == " " }
        // A declaration can take several lines, and cases and requirements have the access of their type.
        if words.hasPrefix("//") { continue }
        isPublic = words.contains("public ") || (isPublic && !words.isEmpty && !words.hasPrefix("}"))
        if isPublic || words.hasPrefix("case ") || words.hasPrefix("func ") || words.hasPrefix("var ") {
          names.formUnion(Self.names(in: words))
        }
      }
    }
    return names
  }

  @Test func `identifiers of the glossary are public names`() throws {
    let page = try Page("Docs/Concepts.md")
    let known = try Self.publicNames()
    // Words of programs, tables and files, which the library doesn't declare.
    let others: Set = [
      "try", "await", "throws", "mutating", "store", "annals", "insertBook", "BookInserted", "nil", "command", "event",
      "Event",
    ]
    var count = 0
    for match in page.prose.matches(of: /`([^`]+)`/) {
      for name in Self.names(in: match.1) where !others.contains(name) {
        count += 1
        #expect(known.contains(name), "Docs/Concepts.md: `\(match.1)` contains \(name), which isn't a public name")
      }
    }
    #expect(count > 60)
    #expect(!known.contains("FetchRequest"))
  }

  @Test func `the glossary is in the order of the alphabet`() throws {
    let page = try Page("Docs/Concepts.md")
    let terms = page.text.matches(of: /(?m)^- \*\*([^*]+)\*\*/).map { String($0.1).lowercased() }
    #expect(terms.count > 40)
    #expect(terms == terms.sorted())
  }
}
