import Foundation
import Testing

/// Compares the guides with the programs of this folder: what they show is compiled, and prints what they say.
@Suite(.serialized) struct GuidePageTests {
  private static let guides = [
    Guide(path: "README.md", file: "Readme", run: Readme.run),
    Guide(path: "Docs/Why.md", file: "Why", run: Why.run),
    Guide("01-YourFirstList", run: YourFirstList.run),
    Guide("02-CommandsStreamsAndBoundaries", run: CommandsStreamsAndBoundaries.run),
    Guide("03-Lists", run: Lists.run),
    Guide("04-HearingOfChanges", run: HearingOfChanges.run),
    Guide("05-WorkInTheBackground", run: WorkInTheBackground.run),
    Guide("06-SeveralProcesses", run: SeveralProcesses.run),
    Guide("07-GoingBackInTime", run: GoingBackInTime.run),
    Guide("08-Followers", run: Followers.run),
    Guide("09-BringingDataIn", run: BringingDataIn.run),
    Guide("10-UndoAndDrafts", run: UndoAndDrafts.run),
    Guide("11-EventsOverTheYears", run: EventsOverTheYears.run),
    Guide("12-TestingADomain", run: TestingADomain.run),
    Guide("14-ShippingOnIOS", run: ShippingOnIOS.run),
  ]

  private static let examples = [Guide("15-OnAServer", example: "Service")]

  /// The pages whose programs draw a screen as text, which the real frameworks can't do.
  #if canImport(UIKit) || os(macOS)
    private static let drawn: [Guide] = []
  #else
    private static let drawn = [
      Guide("01b-AScreenInSwiftUI", run: AScreenInSwiftUI.run),
      Guide("01c-AScreenInUIKit", run: AScreenInUIKit.run),
      Guide(path: "Docs/PortedBookshop.md", file: "PortedBookshop", run: PortedBookshop.run),
      Guide(path: "Docs/PortedCourse.md", file: "PortedCourse", run: PortedCourse.run),
    ]
  #endif

  @Test(arguments: guides + drawn + examples)
  func `each block of a guide is code that is compiled`(guide: Guide) throws {
    let program = BlockTests.words(try guide.text)
    let blocks = try guide.page.blocks(of: "swift")
    #expect(!blocks.isEmpty)
    for block in blocks.map({ $0.joined(separator: "\n") }) {
      #expect(program.contains(BlockTests.words(block)), "\(guide.program) has no\n\(block)")
    }
  }

  @MainActor
  @Test(arguments: guides + drawn)
  func `the program of a guide prints what the guide says`(guide: Guide) async throws {
    let expected = try guide.page.blocks(of: "text").flatMap { $0 }
    let printed = try await guide.output()
    #expect(!expected.isEmpty)
    if printed != expected {
      Issue.record("\(guide) says\n\(expected.joined(separator: "\n"))\nand prints\n\(printed.joined(separator: "\n"))")
    }
  }

  @Test func `each page with code in the folder of guides has a program, and the folder's list has each page`() throws {
    let pages = try Page.all.filter { $0.path.hasPrefix("Docs/Guides/") }
    let index = try Page("Docs/Guides/README.md").text
    #expect(pages.count > 12)
    for page in pages where page.path != "Docs/Guides/README.md" {
      let name = String(page.path.dropFirst("Docs/Guides/".count).dropLast(".md".count))
      let isRun = (Self.guides + Self.drawn + Self.examples).contains { $0.path == page.path }
      #expect(page.blocks(of: "swift").isEmpty || isRun || Self.drawn.isEmpty, "\(page.path)")
      #expect(index.contains("](\(name).md)"), "\(page.path)")
    }
  }

  /// The names that code declares: of types, and of functions unless `typesOnly`.
  static func declarations(in code: String, typesOnly: Bool = false) -> Set<String> {
    let found = code.matches(of: /\b(struct|class|enum|actor|protocol|typealias|func) +(\w+)/)
    return Set(found.filter { $0.1 != "func" || !typesOnly }.map { String($0.2) })
  }

  /// The names that code uses, without members and the content of strings and comments.
  static func uses(in code: String) -> Set<String> {
    let code = code.replacing(/"[^"\n]*"/, with: "\"\"").replacing(/\/\/.*/, with: "")
    return Set(code.matches(of: /(?:^|[^.\w])([A-Za-z_]\w*)/).map { String($0.1) })
  }

  @Test func `a guide shows each type and function of its program that it uses, or links to a page that does`() throws {
    let guides = (Self.guides + Self.drawn).filter { $0.path.hasPrefix("Docs/Guides/") }
    func code(_ page: Page) -> String { page.blocks(of: "swift").flatMap(\.self).joined(separator: "\n") }
    var types: Set<String> = []
    for guide in guides { types.formUnion(Self.declarations(in: try guide.text, typesOnly: true)) }
    for guide in guides {
      let page = try guide.page
      let folder = Guide.root.appending(path: page.path).deletingLastPathComponent()
      var shown = Self.declarations(in: code(page))
      for target in LinkTests.targets(in: page.prose) {
        let file = folder.appending(path: target.prefix { $0 != "#" }).standardized.path
        guard file.hasSuffix(".md") else { continue }
        let path = file.dropFirst(Guide.root.standardized.path.count).drop { $0 == "/" }
        shown.formUnion(Self.declarations(in: code(try Page(String(path)))))
      }
      let names = types.union(Self.declarations(in: try guide.text))
      let missing = Self.uses(in: code(page)).intersection(names).subtracting(shown)
      #expect(missing.isEmpty, "\(page.path) doesn't show \(missing.sorted()), and links to no page that does")
    }
  }

  @Test func `a name is used in code, but not in strings, comments and members`() {
    let code = "let a = latest(of: b.time)  // see Players\nprint(\"SearchIndex\", Guests())"
    #expect(Self.uses(in: code) == ["let", "a", "latest", "of", "b", "print", "Guests"])
    #expect(Self.declarations(in: "enum A { struct B {} }\nfunc c() {}") == ["A", "B", "c"])
    #expect(Self.declarations(in: "enum A {}\nfunc c() {}", typesOnly: true) == ["A"])
  }

  @Test func `each guide with code ends with a link to its whole program`() throws {
    for guide in Self.guides + Self.drawn + Self.examples where guide.path.hasPrefix("Docs/Guides/") {
      let end = try guide.page.text.split(separator: "\n").suffix(8).joined(separator: " ")
      let name = guide.program.split(separator: "/").last ?? ""
      let link = "The whole program: [\(name)](../../\(guide.program))"
      #expect(end.contains(link), "\(guide.path) lacks at its end: \(link)")
    }
  }

  @Test func `the README's command for a Mac is the command for Debian without the installation of headers`() throws {
    let lines = try Page("README.md").text.split(separator: "\n").filter { $0.contains("annals-tool import") }
    try #require(lines.count == 2)
    #expect(lines[0] == "    apt-get update && apt-get install -y libsqlite3-dev && " + lines[1].drop { $0 == " " })
  }
}
