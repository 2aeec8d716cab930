import Foundation
import Synchronization

/// A page and the program that the page shows.
struct Guide: Sendable, CustomStringConvertible {
  /// The page's path from the package's folder.
  let path: String
  /// The program's path from the package's folder: a file of this folder, or the folder of an example.
  let program: String
  /// Runs what the page runs, with the path of a log that is not there yet.
  let run: @MainActor @Sendable (String) async throws -> Void

  /// The README, or another page with a program that is called otherwise.
  init(path: String, file: String, run: @escaping @MainActor @Sendable (String) async throws -> Void) {
    (self.path, program, self.run) = (path, "Tests/GuidesTests/\(file).swift", run)
  }

  /// A page of `Docs/Guides`, whose program is called as the page is, without its number.
  init(_ name: String, run: @escaping @MainActor @Sendable (String) async throws -> Void) {
    self.init(path: "Docs/Guides/\(name).md", file: String(name.drop { $0 != "-" }.dropFirst()), run: run)
  }

  /// A page of `Docs/Guides` about an example, which has its own tests.
  init(_ name: String, example: String) {
    (path, program, run) = ("Docs/Guides/\(name).md", "Docs/Examples/\(example)", { _ in })
  }

  var description: String { path }

  static let root = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }

  var page: Page { get throws { try Page(path) } }

  /// The text of the program.
  var text: String {
    get throws {
      let place = Self.root.appending(path: program)
      if place.pathExtension == "swift" { return try String(contentsOf: place, encoding: .utf8) }
      let sources = place.appending(path: "Sources")
      return try FileManager.default.subpathsOfDirectory(atPath: sources.path).filter { $0.hasSuffix(".swift") }
        .sorted()
        .map { try String(contentsOf: sources.appending(path: $0), encoding: .utf8) }.joined(separator: "\n")
    }
  }

  /// The lines that the page's program prints.
  @MainActor func output() async throws -> [String] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "annals-guide-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    printed.withLock { $0 = [] }
    try await run(folder.appending(path: "log.annals").path)
    return printed.withLock { $0 }
  }
}

/// The lines that the running program has printed.
///
/// One runs at a time.
private let printed = Mutex<[String]>([])

/// Prints for the guides: their programs call `print` as yours do, and the tests compare the lines with the page.
///
/// It has the parameters of Swift's own, so that it is the one that is called.
func print(_ items: Any..., separator: String = " ", terminator: String = "\n") {
  let text = items.map { "\($0)" }.joined(separator: separator)
  printed.withLock { $0 += text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }
}
