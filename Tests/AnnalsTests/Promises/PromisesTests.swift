import Foundation
import Testing

/// Compares the page of promises with the documents and the tests.
@Suite struct PromisesTests {
  private let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }

  /// The promising documents, by their names on the page, with their sentences.
  private func documents() throws -> [(name: String, sentences: [String])] {
    // Changes and measurements are history, and the page itself only repeats.
    let excluded: Set = ["Changelog.md", "Benchmarks.md", "Promises.md", "LongRuns.md", "Profiles.md"]
    let names = try ["", "Evidence/", "Guides/"].flatMap { folder in
      try FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent("Docs/\(folder)").path)
        .filter { $0.hasSuffix(".md") && !excluded.contains($0) }.sorted().map { folder + $0 }
    }
    return try (["README.md"] + names.map { "Docs/\($0)" }).map { name in
      (name, promisingSentences(of: try read(name)))
    }
  }

  private func read(_ name: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(name), encoding: .utf8)
  }

  /// The names of all tests of all targets: the text between backticks after the attribute.
  private func tests() throws -> Set<String> {
    let files = FileManager.default.enumerator(
      at: root.appendingPathComponent("Tests"), includingPropertiesForKeys: nil)
    var names: Set<String> = []
    for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
      let source = try String(contentsOf: file, encoding: .utf8)
      for text in source.components(separatedBy: "@Test").dropFirst() {
        // Between the attribute and the name there are only arguments, and no other function.
        guard let name = text.components(separatedBy: "func ").dropFirst().first, name.hasPrefix("`") else { continue }
        names.insert(String(name.dropFirst().prefix { $0 != "`" }))
      }
    }
    return names
  }

  @Test func `every sentence that promises stands beside the tests that attack it`() throws {
    let page = PromisePage(try read("Docs/Promises.md"))
    let documents = try documents()
    let tests = try tests()
    // There must be some of each kind.
    #expect(documents.count > 15 && documents.flatMap(\.sentences).count > 60 && tests.count > 800)
    #expect(page.entries.contains { $0.reason != nil })
    for problem in page.problems(documents: documents, tests: tests) { Issue.record("\(problem)") }
  }

  private static let page = """
    # Promises

    Words before that are no entry.

    ## A.md

    - Lists are always
      sorted.
      → a list is sorted · it stays
      sorted
    - Any word.
      → not a promise: a manner of speaking
    ## B.md
    - `f()` never throws (1 of 2.)
      → f does not throw
    """

  private func problems(
    _ page: String = Self.page, a: [String] = ["Lists are always sorted.", "Any word."],
    b: [String] = ["`f()` never throws (1 of 2.)"],
    tests: Set<String> = ["a list is sorted", "it stays sorted", "f does not throw"]
  ) -> [String] {
    PromisePage(page).problems(documents: [("A.md", a), ("B.md", b)], tests: tests)
  }

  @Test func `what the page has not, has too much or names wrongly is a problem`() {
    #expect(problems() == [])
    #expect(
      problems(a: ["Lists are always sorted.", "Any word.", "It never ends."]) == [
        "the page has not, under A.md: It never ends."
      ])
    #expect(problems(a: ["Any word."]) == ["A.md does not say: Lists are always sorted."])
    #expect(problems(a: ["Any word.", "Lists are always sorted."]).first?.contains("in another order") == true)
    #expect(
      problems(tests: ["a list is sorted", "f does not throw"]) == [
        "no test is called: it stays sorted (named for: Lists are always sorted.)"
      ])
    #expect(
      problems(Self.page.replacing("  → f does not throw", with: "")) == [
        "neither a test nor a reason is named for: `f()` never throws (1 of 2.)"
      ])
    #expect(
      problems(Self.page.replacing(": a manner of speaking", with: ":")) == [
        "neither a test nor a reason is named for: Any word."
      ])
    // Sentences under another document, or under one that does not exist.
    #expect(problems(Self.page.replacing("## B.md\n", with: "")).count == 2)
    #expect(problems(Self.page + "\n## C.md\n- Never.\n  → f does not throw") == ["there is no document C.md"])
  }

  @Test func `sentences are found in paragraphs, bullets, numbers and cells, and not in code or headings`() {
    let text = """
      # Never in a heading

      One is never
      two. It is. (Every bracket closes.) **Always** e.g. this, v. 2.5 too! "Any" more? Manyfold anything everybody.
      - A bullet is Every
        thing that it says.
      - Another. `any` code that is a word is found.
      1. Never numbered.

      | always here | not | any.
      |---|
          never in a block that is indented
      ```swift
      // never in code
      ```
      """
    #expect(
      promisingSentences(of: text) == [
        "One is never two.", "(Every bracket closes.)", "**Always** e.g. this, v. 2.5 too!", #""Any" more?"#,
        "A bullet is Every thing that it says.", "`any` code that is a word is found.", "Never numbered.",
        "always here", "any.",
      ])
  }
}
