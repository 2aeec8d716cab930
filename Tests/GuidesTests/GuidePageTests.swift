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

  @Test(arguments: guides + drawn)
  func `each block of a guide is code that is compiled`(guide: Guide) throws {
    func words(_ lines: [String]) -> String {
      lines.joined(separator: " ").split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
    let program = words(try guide.program)
    let blocks = try guide.page.blocks(of: "swift")
    #expect(!blocks.isEmpty)
    for block in blocks {
      #expect(program.contains(words(block)), "\(guide.file).swift has no\n\(block.joined(separator: "\n"))")
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
      let isRun = (Self.guides + Self.drawn).contains { $0.path == page.path }
      #expect(page.blocks(of: "swift").isEmpty || isRun || Self.drawn.isEmpty, "\(page.path)")
      #expect(index.contains("](\(name).md)"), "\(page.path)")
    }
  }
}
