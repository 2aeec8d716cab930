import Foundation
import Testing

/// Compares the table of promises with the pages and the tests.
@Suite struct PromisesTests {
  private let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }

  /// The promises that are marked in the pages, as `PAGE NAME`.
  private func marks() throws -> [String] {
    let pages = try #require(
      FileManager.default.enumerator(at: root.appendingPathComponent("Docs"), includingPropertiesForKeys: nil))
    var marks: [String] = []
    for case let file as URL in pages where file.pathExtension == "md" {
      let page = file.path.dropFirst(root.path.count).drop { $0 == "/" }
      marks += Self.marks(in: try String(contentsOf: file, encoding: .utf8)).map { "\(page) \($0)" }
    }
    let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
    return marks + Self.marks(in: readme).map { "README.md \($0)" }
  }

  private static func marks(in page: String) -> [String] {
    page.matches(of: #/<a id="promise-([a-z0-9-]+)"></a>/#).map { String($0.output.1) }
  }

  /// The names of all tests of all targets: the text between backticks after the attribute.
  private func tests() throws -> Set<String> {
    let files = try #require(
      FileManager.default.enumerator(at: root.appendingPathComponent("Tests"), includingPropertiesForKeys: nil))
    var names: Set<String> = []
    for case let file as URL in files where file.pathExtension == "swift" {
      let source = try String(contentsOf: file, encoding: .utf8)
      for text in source.components(separatedBy: "@Test").dropFirst() {
        // Between the attribute and the name there are only arguments, and no other function.
        guard let name = text.components(separatedBy: "func ").dropFirst().first, name.hasPrefix("`") else { continue }
        names.insert(String(name.dropFirst().prefix { $0 != "`" }))
      }
    }
    return names
  }

  /// The differences between table, pages and tests.
  private static func problems(
    _ table: [(page: String, name: String, tests: [String])], marks: [String], tests: Set<String>
  ) -> [String] {
    let listed = table.map { "\($0.page) \($0.name)" }
    func twice(_ names: [String]) -> [String] {
      Dictionary(grouping: names) { $0 }.filter { $0.value.count > 1 }.map { "\($0.key): twice" }
    }
    return twice(listed) + twice(marks)
      + Set(marks).subtracting(listed).map { "\($0): not in the table" }
      + Set(listed).subtracting(marks).map { "\($0): no mark in the page" }
      + table.filter(\.tests.isEmpty).map { "\($0.page) \($0.name): no test" }
      + table.flatMap { entry in
        entry.tests.filter { !tests.contains($0) }.map { "\(entry.page) \(entry.name): no test is called \($0)" }
      }
  }

  @Test func `every promise of a page names tests that exist`() throws {
    let (marks, tests) = (try marks(), try tests())
    #expect(marks.count > 60 && tests.count > 800)
    #expect(Self.problems(promises, marks: marks, tests: tests) == [])
  }

  @Test func `differences between promises, pages and tests are found`() {
    let page = """
      - <a id="promise-one"></a>Lists are sorted.
      | <a id="promise-two-2"></a>It ends. | <a id="other"></a> |
      """
    #expect(Self.marks(in: page) == ["one", "two-2"])
    let table = [(page: "A.md", name: "one", tests: ["t"]), (page: "A.md", name: "two-2", tests: ["t", "u"])]
    let (marks, tests) = (["A.md one", "A.md two-2"], Set(["t", "u"]))
    func problems(
      _ table: [(page: String, name: String, tests: [String])]? = nil, marks: [String]? = nil, tests: Set<String>
    ) -> [String] {
      Self.problems(table ?? [(page: "A.md", name: "one", tests: ["t"])], marks: marks ?? ["A.md one"], tests: tests)
    }
    #expect(Self.problems(table, marks: marks, tests: tests) == [])
    #expect(problems(table, marks: marks, tests: ["t"]) == ["A.md two-2: no test is called u"])
    #expect(problems(marks: marks, tests: tests) == ["A.md two-2: not in the table"])
    #expect(problems(table, tests: tests) == ["A.md two-2: no mark in the page"])
    #expect(problems(marks: ["A.md one", "A.md one"], tests: tests) == ["A.md one: twice"])
    #expect(problems([(page: "A.md", name: "one", tests: [])], tests: tests) == ["A.md one: no test"])
  }
}
