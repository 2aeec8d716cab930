import Foundation

/// A folder that is deleted with its last reference.
final class TemporaryFolder: Sendable {
  private let url = FileManager.default.temporaryDirectory.appending(path: "annals-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  func path(_ name: String) -> String { url.appending(path: name).path }

  deinit { try? FileManager.default.removeItem(at: url) }
}
