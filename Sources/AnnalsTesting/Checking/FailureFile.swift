import Foundation

/// The known failures of one property: one token per line, each after a comment that describes the failure.
struct FailureFile {
  private let url: URL
  private let property: PropertyName

  init(directory: String, property: PropertyName) {
    url = URL(fileURLWithPath: directory, isDirectory: true).appendingPathComponent("\(property.fileName).failures")
    self.property = property
  }

  /// The tokens, the shortest first.
  ///
  /// Other lines, and tokens of another version, are left alone.
  func tokens() throws -> [ReplayToken] {
    try lines().compactMap { try? ReplayToken($0) }.sorted { Record.isSimpler($0.indices, than: $1.indices) }
  }

  /// Adds a failure, unless the file has it.
  func insert(_ indices: [UInt64], reason: String) throws {
    let token = ReplayToken(property: property.hash, indices: indices).text
    var lines = try lines()
    guard !lines.contains(token) else { return }
    lines += ["# " + reason.split(whereSeparator: \.isNewline).joined(separator: " ").prefix(200), token]
    try write(lines)
  }

  /// Removes a failure that passes now, with its comment.
  ///
  /// Removes the file if it has no failure left.
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

/// A file of lines, which is there only if it has some.
struct TokenLines {
  private let url: URL

  init(_ url: URL) { self.url = url }

  func read() throws -> [String] {
    guard FileManager.default.fileExists(atPath: url.path) else { return [] }
    return try String(contentsOf: url, encoding: .utf8).split(whereSeparator: \.isNewline).map(String.init)
  }

  /// Writes all lines, or removes the file if there are none.
  func write(_ lines: [String]) throws {
    if lines.isEmpty {
      if FileManager.default.fileExists(atPath: url.path) { try FileManager.default.removeItem(at: url) }
      return
    }
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: url, options: .atomic)
  }
}
