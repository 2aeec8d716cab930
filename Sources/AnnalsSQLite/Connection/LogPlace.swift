import Annals

/// The file that a log was opened in: another one may stand in its place later.
struct LogPlace: Sendable {
  let path: String
  private let identity: FileSystem.Identity?

  /// The file that is at a path now.
  init(_ path: String) {
    self.path = path
    identity = FileSystem.identity(path)
  }

  /// True as long as the path leads to the file that it led to.
  var isKept: Bool { FileSystem.identity(path) == identity }

  /// Throws if the log's file is not the one that was opened.
  func check() throws {
    let found = FileSystem.identity(path)
    guard found != identity else { return }
    throw EventStoreError(
      .replaced,
      "\(path): expected the log that was opened, found \(found == nil ? "no file" : "another file"): it was removed or "
        + "replaced while it was open; open it again")
  }
}
