import Foundation

/// A new file that is there whole or not at all.
struct PageFile {
  private let path: String
  private let replaces: Bool

  /// Checks that a file may be written, before the work for it is done.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - replaces: True if a file that is there may be replaced.
  ///   - log: The log that the file is made from; it must not replace that.
  /// - Throws: ``ReplayError``.
  init(_ path: String, replaces: Bool, log: String) throws {
    self.path = path
    self.replaces = replaces
    if path.isEmpty { throw ReplayError.usage("--output: expected a file's name, found \"\"") }
    let url = URL(fileURLWithPath: path)
    if url.resolvingSymlinksInPath().path == URL(fileURLWithPath: log).resolvingSymlinksInPath().path {
      throw ReplayError.usage("--output \(path): is the log itself; name another file")
    }
    if let found = Platform.file(path) {
      if found.isFolder { throw ReplayError(.inputOutput, "\(path): expected a file, found a folder") }
      guard found.isRegular else {
        throw ReplayError(
          .inputOutput, "\(path): expected a file, found a device, a pipe or a socket; - prints the page")
      }
      if !replaces { throw exists }
    }
    let folder = url.deletingLastPathComponent().path
    guard Platform.file(folder)?.isFolder == true else {
      throw ReplayError(.inputOutput, "\(path): there is no folder \(folder)")
    }
  }

  /// Writes the file beside its place first, and then puts it there.
  func write(_ text: String) throws {
    let url = URL(fileURLWithPath: path)
    let draft = url.deletingLastPathComponent().appending(
      path: ".\(url.lastPathComponent.prefix(100)).\(UUID().uuidString.prefix(8))")
    do {
      try Data(text.utf8).write(to: draft)
    } catch {
      try? FileManager.default.removeItem(at: draft)
      throw ReplayError(.inputOutput, "\(path): cannot be written: \(error.localizedDescription)")
    }
    let failure = Platform.put(draft.path, at: path, replacing: replaces)
    // A link leaves the draft; what was renamed is not there any more.
    try? FileManager.default.removeItem(at: draft)
    if let failure {
      throw failure == Platform.alreadyThere ? exists : ReplayError(.inputOutput, "\(path): cannot be written")
    }
  }

  private var exists: ReplayError {
    ReplayError(.inputOutput, "\(path): there is such a file; --yes replaces it")
  }
}

/// The size of a page.
enum PageSize {
  /// A number of bytes for people, such as 4.4 MB.
  static func text(_ bytes: Int) -> String {
    func rounded(_ unit: Int, _ name: String) -> String {
      let tenths = (bytes * 10 + unit / 2) / unit
      return (tenths < 100 && tenths % 10 != 0 ? "\(tenths / 10).\(tenths % 10)" : "\((tenths + 5) / 10)") + " " + name
    }
    return bytes < 1_000 ? "\(bytes) B" : bytes < 999_500 ? rounded(1_000, "kB") : rounded(1_000_000, "MB")
  }
}
