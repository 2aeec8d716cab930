import Foundation
import Testing

/// Compares the page of rules with the tests.
@Suite struct ChangeSemanticsTests {
  private let tests = (0..<2).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }

  /// The rules of the page: its bullets, each of them one sentence.
  private func rules() throws -> [String] {
    let root = tests.deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(contentsOf: root.appendingPathComponent("Docs/ChangeSemantics.md"), encoding: .utf8)
    var rules: [String] = []
    var isInRule = false
    for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
      let line = line.replacing(#/<a id="[^"]*"></a>/#, with: "")
      if line.hasPrefix("- ") {
        rules.append(String(line.dropFirst(2)))
        isInRule = true
      } else if isInRule, line.hasPrefix("  ") {
        rules[rules.count - 1] += " " + line.drop { $0 == " " }
      } else {
        // Another rule or an empty line must follow a rule.
        if isInRule { #expect(line.isEmpty, "\(line)") }
        isInRule = false
      }
    }
    return rules
  }

  /// The names of the tests in some files of this target, or in all files.
  private func testNames(in files: Set<String>? = nil) throws -> [String] {
    let paths = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL }
    return try (paths ?? []).filter { url in
      url.pathExtension == "swift" && files?.contains(url.deletingPathExtension().lastPathComponent) ?? true
    }.flatMap { url in
      let source = try String(contentsOf: url, encoding: .utf8)
      return source.components(separatedBy: "@Test").dropFirst().compactMap { text -> String? in
        // Between the attribute and the name there are only arguments, and no other function.
        let parts = text.components(separatedBy: "func ")
        guard parts.count > 1 else { return nil }
        let name = parts[1].drop { $0.isWhitespace }
        return name.hasPrefix("`") ? String(name.dropFirst().prefix { $0 != "`" }) : nil
      }
    }
  }

  /// A rule as a test's name: without the full stop, and with a lower-case first letter.
  private func name(_ rule: String) -> String {
    rule.prefix(1).lowercased() + rule.dropFirst().dropLast()
  }

  @Test func `every rule is one sentence and the name of a test`() throws {
    let rules = try rules()
    let names = Set(try testNames())
    #expect(rules.count > 80 && Set(rules).count == rules.count)
    for rule in rules {
      #expect(rule.hasSuffix(".") && !rule.dropLast().contains(".") && !rule.contains("`"), "\(rule)")
      #expect(names.contains(name(rule)), "no test is called: \(name(rule))")
    }
  }

  @Test func `every test of the rules is a rule of the page`() throws {
    let names = Set(try rules().map(name))
    let files: Set = ["LawTests", "RuleTests", "DeliveryTests", "DeliveryRuleTests", "CollapseTests", "IsolationTests"]
    let tests = try testNames(in: files)
    #expect(tests.count > 60)
    for test in tests { #expect(names.contains(test), "the page does not say: \(test)") }
  }
}
