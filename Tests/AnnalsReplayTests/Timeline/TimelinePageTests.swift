import Foundation
import Testing

@testable import AnnalsReplay

/// The page's own files, without a browser.
@Suite struct TimelinePageTests {
  private static let node: String? = ["/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"].map { $0 + "node" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// The first groups of all matches of a pattern.
  private func found(_ pattern: String, in text: String) throws -> Set<String> {
    Set(text.matches(of: try Regex(pattern)).compactMap { $0.output[1].substring.map(String.init) })
  }

  @Test func `only the page's own script and style run, by a number that each page draws anew`() throws {
    let pages = (1...2).map { _ in
      TimelinePage.html(title: "%%script%%", tool: "%%data%%", data: "{\"a\":\"%%tool%%\"}")
    }
    let numbers = try pages.map { page in
      let policy = try #require(page.firstMatch(of: #/Policy"\s+content="([^"]*)">/#)).output.1
      let number = try #require(policy.firstMatch(of: #/script-src 'nonce-([-0-9A-F]{36})'/#)).output.1
      #expect(policy.hasPrefix("default-src 'none'; ") && !policy.contains("unsafe") && !policy.contains("*"))
      #expect(policy.contains("style-src 'nonce-\(number)'"))
      #expect(page.contains("<script type=\"module\" nonce=\"\(number)\">\n" + TimelinePage.script + "</script>"))
      #expect(page.contains("<style nonce=\"\(number)\">\n" + TimelinePage.style + "</style>"))
      #expect(page.components(separatedBy: " nonce=").count == 3)
      // Only the page's own names are replaced by values.
      #expect(page.contains("<title>%%script%%</title>") && page.contains("id=\"data\">{\"a\":\"%%tool%%\"}</script>"))
      return number
    }
    #expect(numbers[0] != numbers[1])
  }

  @Test func `the script makes no element of a string, and its ids and classes are those of the page`() throws {
    let script = TimelinePage.script, style = TimelinePage.style, template = TimelinePage.template
    for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "fetch("] {
      #expect(!script.contains(word), "\(word)")
    }
    let ids = try found(#"\bid="([a-z-]+)""#, in: template).union(try found(#"\.id = "([a-z-]+)""#, in: script))
    let used = try found(#"\$\("([a-z-]+)"\)"#, in: script).union(
      try found(#"(?:controls|labelledby)="([a-z-]+)""#, in: template))
    #expect(used.subtracting(ids) == [])
    #expect(used.count > 20)
    let named = try found(#"var\((--[a-z-]+)"#, in: style)
    #expect(named.subtracting(try found(#"(--[a-z-]+):"#, in: style + script)).subtracting(["--grid"]) == [])
    #expect(style.count { $0 == "{" } == style.count { $0 == "}" })
    // A class without a rule is a word that was changed in one of the files only.
    let classes = try found(#"class="([a-z-]+)[ "]"#, in: template).union(
      try found(#"make\("\w+", "([a-z-]+)""#, in: script))
    #expect(classes.filter { !style.contains("." + $0) } == [])
  }

  @Test(.enabled(if: node != nil, "there is no Node here")) func `the script is a module without errors of syntax`()
    throws
  {
    let tool = try ToolRunner()
    let file = try tool.file("script.mjs", TimelinePage.script)
    let answer = try ToolProcess.shell("\(Self.node ?? "") --check '\(file)'", in: tool.folder)
    #expect(answer.status == 0, "\(answer.talk)")
  }
}
