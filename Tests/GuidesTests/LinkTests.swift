import Foundation
import Testing

/// Follows the links of the pages.
@Suite struct LinkTests {
  /// The targets of a text's links: `[words](target)`, `src="target"`.
  static func targets(in text: String) -> [String] {
    text.matches(of: /\]\(([^()\s]+)\)|(?:src|srcset|href)="([^"]+)"/).map { String($0.1 ?? $0.2 ?? "") }
  }

  /// The anchors of a page's headings, as GitHub makes them.
  static func anchors(of page: Page) -> Set<String> {
    var anchors: Set<String> = []
    for line in page.prose.split(separator: "\n") where line.hasPrefix("#") {
      let title = line.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces).lowercased()
      let anchor = title.filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
        .replacing(" ", with: "-")
      var (name, number) = (anchor, 0)
      while !anchors.insert(name).inserted {
        number += 1
        name = "\(anchor)-\(number)"
      }
    }
    return anchors
  }

  private func problem(_ target: String, of page: Page) throws -> String? {
    if target.contains("://") { return nil }
    let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let folder = Guide.root.appending(path: page.path).deletingLastPathComponent()
    let file = parts[0].isEmpty ? Guide.root.appending(path: page.path) : folder.appending(path: parts[0]).standardized
    guard FileManager.default.fileExists(atPath: file.path) else { return "\(page.path): \(target) is not there" }
    guard parts.count == 2 else { return nil }
    let path = String(file.path.dropFirst(Guide.root.standardized.path.count).drop { $0 == "/" })
    return try Self.anchors(of: Page(path)).contains(parts[1]) ? nil : "\(page.path): \(target) has no such heading"
  }

  @Test func `the links of all pages lead to files and headings that are there`() throws {
    var count = 0
    for page in try Page.all {
      for target in Self.targets(in: page.prose) {
        count += 1
        if let problem = try problem(target, of: page) { Issue.record("\(problem)") }
      }
    }
    #expect(count > 40)
  }

  @Test func `a page names other pages in links only`() throws {
    // The style page shows the mistake.
    for page in try Page.all where page.path != "Docs/Style.md" {
      for match in page.prose.matches(of: /`([A-Za-z0-9\/_-]+\.md)`/) {
        Issue.record("\(page.path): link the page \(match.1) by its title")
      }
    }
    #expect("see `A/b.md`".contains(/`([A-Za-z0-9\/_-]+\.md)`/))
  }

  @Test func `each page of the documentation is in its index`() throws {
    let index = try Page("Docs/README.md")
    let targets = Set(Self.targets(in: index.prose).map { "Docs/\($0)" })
    let pages = try Page.all.map(\.path).filter {
      ($0.split(separator: "/").count == 2 || $0.hasPrefix("Docs/Evidence/")) && $0 != "Docs/README.md"
    }
    #expect(pages.count > 25)
    for page in pages { #expect(targets.contains(page), "Docs/README.md has no link to \(page)") }
  }

  /// The rows of a page's tables that are no rows for GitHub: without a header, or with another number of cells.
  private func wrongRows(_ text: String) -> [Substring] {
    var (columns, isHeader) = (0, false)
    return text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
      guard line.hasPrefix("|") else {
        (columns, isHeader) = (0, false)
        return false
      }
      // A bar in a cell has a backslash.
      let cells = line.replacing("\\|", with: "").count { $0 == "|" } - 1
      let isAfterHeader = isHeader
      isHeader = columns == 0
      if isHeader { columns = cells }
      return cells != columns || (isAfterHeader && !line.contains(/^[|: -]+$/))
    }
  }

  @Test func `tables have a header, and the same number of cells in every row`() throws {
    for page in try Page.all {
      #expect(wrongRows(page.prose).isEmpty, "\(page.path)")
    }
    #expect(wrongRows("| a | b |\n|---|---|\n| c | d |\n\n| e |\n|---|").isEmpty)
    #expect(wrongRows("| a | b |\n|---|---|\n\n| c | d |\n| e | f |") == ["| e | f |"])
    #expect(wrongRows("| a | b |\n|---|---|\n| c \\| d |") == ["| c \\| d |"])
  }

  @Test func `a link to a file or a heading that is not there is a problem`() throws {
    let page = try Page("Docs/Concepts.md")
    #expect(try problem("Durability.md", of: page) == nil)
    #expect(try problem("#a-to-e", of: page) == nil)
    #expect(try problem("Durability.md#what-is-atomic", of: page) == nil)
    #expect(try problem("Nowhere.md", of: page) == "Docs/Concepts.md: Nowhere.md is not there")
    #expect(
      try problem("Durability.md#no-such-heading", of: page)
        == "Docs/Concepts.md: Durability.md#no-such-heading has no such heading")
    #expect(Self.targets(in: #"[a](b.md) and [c](d.md#e), <img src="f.svg">"#) == ["b.md", "d.md#e", "f.svg"])
  }
}
