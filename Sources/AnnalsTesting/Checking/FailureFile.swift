import Foundation

/// A file that stores the known failures of one property.
///
/// The file has one token per line, and a comment before every token.
struct FailureFile {
  private let url: URL
  private let property: PropertyName

  init(directory: String, property: PropertyName) {
    url = URL(fileURLWithPath: directory, isDirectory: true).appendingPathComponent("\(property.fileName).failures")
    self.property = property
  }

  /// Returns the tokens, with the shortest first.
  ///
  /// Lines without a token, and tokens of other versions, are ignored.
  func tokens() throws -> [ReplayToken] {
    try lines().compactMap { try? ReplayToken($0) }.sorted { Record.isSimpler($0.indices, than: $1.indices) }
  }

  /// Adds a failure, unless the file already contains it.
  func insert(_ indices: [UInt64], reason: String) throws {
    let token = ReplayToken(property: property.hash, indices: indices).text
    var lines = try lines()
    guard !lines.contains(token) else { return }
    lines += ["# " + reason.split(whereSeparator: \.isNewline).joined(separator: " ").prefix(200), token]
    try write(lines)
  }

  /// Removes a failure that now passes, together with its comment.
  ///
  /// Deletes the file if no failures are left.
  func remove(_ token: ReplayToken) throws {
    var lines = try lines()
    guard let place = lines.firstIndex(of: token.text) else { return }
    lines.remove(at: place)
    if place > 0, lines[place - 1].hasPrefix("#") { lines.remove(at: place - 1) }
    try write(lines)
  }

  private func lines() throws -> [String] { try TokenLines(url).read() }
  private func write(_ lines: [String]) throws { try TokenLines(url).write(lines) }
}

/// A text file that exists only if it has at least one line.
struct TokenLines {
  private let url: URL

  init(_ url: URL) { self.url = url }

  func read() throws -> [String] {
    guard FileManager.default.fileExists(atPath: url.path) else { return [] }
    return try String(contentsOf: url, encoding: .utf8).split(whereSeparator: \.isNewline).map(String.init)
  }

  /// Writes all lines, or deletes the file if the array is empty.
  func write(_ lines: [String]) throws {
    if lines.isEmpty {
      if FileManager.default.fileExists(atPath: url.path) { try FileManager.default.removeItem(at: url) }
      return
    }
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: url, options: .atomic)
  }
}
