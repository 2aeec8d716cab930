import Foundation
import Synchronization

/// A page and the program of this folder that the page shows.
struct Guide: Sendable, CustomStringConvertible {
  /// The page's path from the package's folder.
  let path: String
  /// The name of the program's file, without its ending.
  let file: String
  /// Runs what the page runs, with the path of a log that is not there yet.
  let run: @MainActor @Sendable (String) async throws -> Void

  /// The README, or another page with a program that is called otherwise.
  init(path: String, file: String, run: @escaping @MainActor @Sendable (String) async throws -> Void) {
    (self.path, self.file, self.run) = (path, file, run)
  }

  /// A page of `Docs/Guides`, whose program is called as the page is, without its number.
  init(_ name: String, run: @escaping @MainActor @Sendable (String) async throws -> Void) {
    self.init(path: "Docs/Guides/\(name).md", file: String(name.drop { $0 != "-" }.dropFirst()), run: run)
  }

  var description: String { path }

  static let root = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }

  var page: Page { get throws { try Page(path) } }

  /// The text of the program.
  var text: String {
    get throws {
      try String(contentsOf: Self.root.appending(path: "Tests/GuidesTests/\(file).swift"), encoding: .utf8)
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
