import Annals
import AnnalsSQLite
import Foundation
import Testing

@Suite struct ReadmeTests {
  private static let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent()
  }

  @MainActor
  @Test func `the README's program does what its comments say`() throws {
    let folder = try TemporaryFolder()
    let screen = try BooksScreen(path: folder.path("books.annals"))
    try screen.sell()
    #expect(
      screen.notifications == [
        "insert section history", "insert Annals", "insert Sagas", "move Annals", "update Annals",
        "update section History",
      ])
    #expect(screen.controller.results.description.hasPrefix("[History]\n  Book(id: \"b2\""))
    #expect(throws: Bookshop.Refusal.self) {
      try screen.store.execute(.delete(id: "b9"), on: Bookshop.self, id: "main")
    }
    #expect(try BooksScreen(path: folder.path("books.annals")).controller.results == screen.controller.results)
    #expect(
      try screen.store.events(.all, after: 0, through: nil, limit: 9).map { "\($0.type) \($0.payload ?? "")" } == [
        #"BookInserted {"id":"b1","price":50.5,"shelf":"history","title":"Annals"}"#,
        #"BookInserted {"id":"b2","price":60,"shelf":"history","title":"Sagas"}"#, #"BookRepriced {"id":"b1","to":70}"#,
        #"BookShelfRenamed {"shelf":"history","title":"History"}"#,
      ])
  }

  @Test func `the README shows the program that is tested, word for word`() throws {
    let readme = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "ReadmeProgram.swift")
    let program = try String(contentsOf: file, encoding: .utf8).split(separator: "\n", maxSplits: 1)[1]
    #expect(readme.contains("```swift\n\(program)```"))
  }
}

/// A folder that is deleted with its last reference.
final class TemporaryFolder: Sendable {
  private let url = FileManager.default.temporaryDirectory.appending(path: "annals-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  func path(_ name: String) -> String { url.appending(path: name).path }

  deinit { try? FileManager.default.removeItem(at: url) }
}
