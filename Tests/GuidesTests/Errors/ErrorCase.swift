import Foundation
import Testing

/// An error code of the page `Docs/Errors.md`, and a program with the mistakes that cause it.
///
/// After every mistake, the program follows the page's advice if the advice is an action in code.
struct ErrorCase: Sendable, CustomStringConvertible {
  /// The error's type and code, for example `UndoError.refused`, or only the type if it has no codes.
  let name: String
  let run: @MainActor @Sendable (ErrorScene) async throws -> Void

  init(_ name: String, run: @escaping @MainActor @Sendable (ErrorScene) async throws -> Void) {
    (self.name, self.run) = (name, run)
  }

  var description: String { name }

  static let all = store + undo + draft + compaction + coding + projection + request + feed + plain

  /// The messages that the program causes, by their error's type and code.
  @MainActor func messages() async throws -> [String: Set<String>] {
    let scene = try ErrorScene()
    defer { try? FileManager.default.removeItem(at: scene.folder) }
    try await run(scene)
    return scene.messages
  }
}

/// The folder of a case, and the errors that occurred.
@MainActor final class ErrorScene {
  let folder = FileManager.default.temporaryDirectory.appending(path: "annals-errors-\(UUID().uuidString)")
  private(set) var messages: [String: Set<String>] = [:]

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

  /// The path of the log.
  var path: String { path(of: "shop.annals") }

  func path(of name: String) -> String { folder.appending(path: name).path }

  /// Runs code that must throw.
  func fails(_ body: () throws -> Void) {
    do {
      try body()
      Issue.record("the code threw no error")
    } catch {
      note(error)
    }
  }

  /// Awaits code that must throw.
  func failsAwaiting(_ body: () async throws -> Void) async {
    do {
      try await body()
      Issue.record("the code threw no error")
    } catch {
      note(error)
    }
  }

  /// Notes an error that a result contains.
  func note(_ error: any Error) {
    let type = String(reflecting: Swift.type(of: error)).split(separator: ".").dropFirst().joined(separator: ".")
    let code = Mirror(reflecting: error).descendant("code").map { ".\($0)" } ?? ""
    let message = "\(error)".replacing(folder.path, with: "/data").replacing("GuidesTests.", with: "")
    messages["\(type)\(code)", default: []].insert(message)
  }
}
