#if os(macOS) || os(Linux)
  import Foundation
  import Testing

  /// Code that must not compile, with the compiler's expected message.
  @Suite struct CompileErrorTests {
    private static let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
      url.deletingLastPathComponent()
    }
    /// The modules of a debug build at its usual place.
    private static let modules = root.appendingPathComponent(".build/debug/Modules")
    private static let isBuilt = FileManager.default.fileExists(
      atPath: modules.appendingPathComponent("Annals.swiftmodule").path)

    /// What the compiler says of some code; "" if it compiles.
    private func compile(_ code: String) throws -> String {
      let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).swift")
      defer { try? FileManager.default.removeItem(at: file) }
      try code.write(to: file, atomically: true, encoding: .utf8)
      let (process, output) = (Process(), Pipe())
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["swiftc", "-typecheck", "-swift-version", "6", "-I", Self.modules.path, file.path]
      process.standardError = output
      process.standardOutput = FileHandle.nullDevice
      try process.run()
      let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      return process.terminationStatus == 0 ? "" : said
    }

    private func delegate(_ methods: String, isolation: String = "") -> String {
      """
      import Annals
      import Foundation
      struct Book: Row { var id: String }
      \(isolation) final class Screen {}
      extension Screen: \(isolation) FetchedResultsControllerDelegate {
        func controllerDidChangeContent(_ controller: FetchedResultsController<Book>) {}
        \(methods)
      }
      """
    }

    @Test(.enabled(if: isBuilt, "there is no debug build at .build/debug"))
    func `A delegate method for rows or sections of type Any is a compile error that says what to write`() throws {
      let rows = """
        func controller(
          _ controller: FetchedResultsController<Book>, didChange ROW, at indexPath: IndexPath?,
          for type: FetchedResultsChangeType, newIndexPath: IndexPath?) {}
        """
      let sections = """
        func controller(
          _ controller: FetchedResultsController<Book>, didChange SECTION, atSectionIndex sectionIndex: Int,
          for type: FetchedResultsChangeType) {}
        """
      let typed =
        rows.replacing("ROW", with: "book: Book") + "\n"
        + sections.replacing("SECTION", with: "s: ResultsSection<Book>")
      for isolation in ["", "@MainActor"] {
        #expect(try compile(delegate(typed, isolation: isolation)) == "")
        let untypedRows = try compile(delegate(rows.replacing("ROW", with: "anObject: Any"), isolation: isolation))
        #expect(untypedRows.contains("write your row type instead of Any, for example 'didChange book: Book'"))
        let untypedSections = try compile(
          delegate(sections.replacing("SECTION", with: "sectionInfo: Any"), isolation: isolation))
        #expect(
          untypedSections.contains(
            "write your section type, for example 'didChange section: ResultsSection<Book>'"))
      }
    }
  }
#endif
