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

    private static let rowMessage =
      "declare controller(_:didChange:at:for:newIndexPath:) with these labels and your row type: 'didChange book: Book'"
    private static let sectionMessage =
      "declare controller(_:didChange:atSectionIndex:for:newSectionIndex:) with these labels and a ResultsSection<Book>"

    private func method(_ parameters: String) -> String {
      "func controller(_ controller: FetchedResultsController<Book>, \(parameters)) {}"
    }

    @Test(.enabled(if: isBuilt, "the debug build at .build/debug is missing"), arguments: ["", "@MainActor"])
    func `A delegate with all methods compiles without a warning, and so does a delegate with none`(
      isolation: String
    ) throws {
      let all = [
        "func controllerWillChangeContent(_ controller: FetchedResultsController<Book>) {}",
        method(
          "didChange s: ResultsSection<Book>, atSectionIndex index: Int, for type: FetchedResultsChangeType, "
            + "newSectionIndex: Int?"),
        method(
          "didChange book: Book, at path: IndexPath?, for type: FetchedResultsChangeType, newIndexPath: IndexPath?"),
        method("didChangeAggregates changes: AggregateChanges"),
        method("didChangeContentWith snapshot: Results<Book>"),
        method("didChangeContentWith difference: CollectionDifference<Book.ID>"),
        method("sectionIndexTitleForSectionName name: String").replacing("{}", with: "-> String? { nil }"),
        method("didFailWith error: any Error"),
      ]
      #expect(try compile(delegate(all.joined(separator: "\n  "), isolation: isolation)) == "")
      let short = method("didChange s: ResultsSection<Book>, atSectionIndex i: Int, for type: FetchedResultsChangeType")
      #expect(try compile(delegate(short, isolation: isolation)) == "")
      let none = """
        import Annals
        struct Book: Row { var id: String }
        \(isolation) final class Screen: \(isolation) FetchedResultsControllerDelegate { typealias Row = Book }
        \(isolation) final class Generic<Row: Annals.Row>: \(isolation) FetchedResultsControllerDelegate {}
        """
      #expect(try compile(none) == "")
    }

    /// The parameters of a method that no controller would call.
    @Test(
      .enabled(if: isBuilt, "the debug build at .build/debug is missing"),
      arguments: [
        "didChange anObject: Any, at path: IndexPath?, for type: FetchedResultsChangeType, newIndexPath: IndexPath?",
        "didChange b: Book, at path: IndexPath?, newIndexPath: IndexPath?, for type: FetchedResultsChangeType",
        "didChange b: Book, atIndexPath p: IndexPath?, for type: FetchedResultsChangeType, newIndexPath: IndexPath?",
        "didChange b: Book, at path: IndexPath?, for type: FetchedResultsChangeType",
      ])
    func `A method for rows with a wrong label, order or type is a compile error with the correct signature`(
      parameters: String
    ) throws {
      for isolation in ["", "@MainActor"] {
        let output = try compile(delegate(method(parameters), isolation: isolation))
        #expect(output.contains(Self.rowMessage) && !output.contains(Self.sectionMessage), "\(output)")
      }
    }

    /// The parameters of a method that no controller would call.
    @Test(
      .enabled(if: isBuilt, "the debug build at .build/debug is missing"),
      arguments: [
        "didChange sectionInfo: Any, atSectionIndex i: Int, for type: FetchedResultsChangeType",
        "didChange s: ResultsSection<Book>, atSectionIndex i: Int, newSectionIndex n: Int?, "
          + "for type: FetchedResultsChangeType",
        "didChange s: ResultsSection<Book>, at i: Int, for type: FetchedResultsChangeType",
        "didChange s: ResultsSection<Book>, at i: Int, for type: FetchedResultsChangeType, newSectionIndex: Int?",
        "didChangeSection s: ResultsSection<Book>, atSectionIndex i: Int, for type: FetchedResultsChangeType",
        "didChangeSection s: ResultsSection<Book>, atSectionIndex i: Int, for t: FetchedResultsChangeType, "
          + "newSectionIndex: Int?",
      ])
    func `A method for sections with a wrong label, order or type is a compile error with the correct signature`(
      parameters: String
    ) throws {
      for isolation in ["", "@MainActor"] {
        let output = try compile(delegate(method(parameters), isolation: isolation))
        #expect(output.contains(Self.sectionMessage) && !output.contains(Self.rowMessage), "\(output)")
      }
    }

    @Test(.enabled(if: isBuilt, "the debug build at .build/debug is missing"))
    func `Two mistakes in one delegate are both reported`() throws {
      let output = try compile(
        delegate(
          method("didChange b: Book, at p: IndexPath?, newIndexPath: IndexPath?, for type: FetchedResultsChangeType")
            + "\n  "
            + method("didChange s: ResultsSection<Book>, at i: Int, for type: FetchedResultsChangeType")))
      #expect(output.contains(Self.rowMessage) && output.contains(Self.sectionMessage), "\(output)")
    }
  }
#endif
