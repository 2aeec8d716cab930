import Foundation

/// A git repository, read with the `git` command.
struct GitRepository {
  /// A commit of the first-parent history and what it changed in the files.
  struct Commit {
    enum Change {
      case added(path: Data)
      case modified(path: Data)
      case deleted(path: Data)
      case renamed(from: Data, to: Data)
    }

    let hash: String
    let time: String
    let author: String
    /// The first line of what the author says of the commit.
    let subject: String
    var changes: [Change] = []
  }

  let path: String

  /// Opens a repository, or throws what the path is instead.
  init(_ path: String) throws {
    self.path = path
    guard FileManager.default.fileExists(atPath: path) else {
      throw ReplayError(.inputOutput, "\(path): there is no such directory")
    }
    let answer = try Self.run(path, ["rev-parse", "--git-dir"])
    guard answer.status == 0 else {
      throw ReplayError(.unreadable, "\(path): expected a git repository, git says: \(answer.talk)")
    }
  }

  /// The hashes of the first-parent history, oldest first; none in a repository without commits.
  func history() throws -> [String] {
    guard try Self.run(path, ["rev-parse", "--verify", "--quiet", "HEAD"]).status == 0 else { return [] }
    let answer = try Self.run(path, ["rev-list", "--first-parent", "--reverse", "HEAD"])
    guard answer.status == 0 else { throw failed(answer.talk) }
    return answer.output.split(separator: "\n").map(String.init)
  }

  /// Calls a closure with each commit after one, or with all, oldest first.
  ///
  /// A merge is compared with its first parent. A file counts as renamed only if its content is the same to the byte.
  func forEachCommit(after last: String?, _ body: (Commit) throws -> Void) throws {
    let arguments = [
      "log", "--first-parent", "--diff-merges=first-parent", "--reverse", "--root", "--raw", "-z", "--no-abbrev",
      "--find-renames=100%", "-l0", "--no-show-signature", "--ignore-submodules=none", "--format=%x00%H %cI %an%x1f%s",
      last.map { "\($0)..HEAD" } ?? "HEAD", "--",
    ]
    let process = GitProcess(path, arguments)
    try process.run()
    let listener = PipeListener(process.talk)
    var tokens = TokenReader { try process.output.fileHandleForReading.read(upToCount: 1 << 16) ?? Data() }
    do {
      try Self.read(&tokens, body)
    } catch {
      process.terminate()
      _ = process.end()
      throw error
    }
    let message = listener.text()
    if process.end() != 0 { throw failed(message) }
  }

  /// Parses `git log --raw -z`: a header, then entries that begin with a colon, each followed by its paths.
  private static func read(_ tokens: inout TokenReader, _ body: (Commit) throws -> Void) throws {
    var commit: Commit?
    while let token = try tokens.next() {
      let text = String(decoding: token, as: UTF8.self).trimmingPrefix("\n")
      if text.isEmpty { continue }
      guard text.hasPrefix(":") else {
        if let commit { try body(commit) }
        let words = text.split(separator: " ", maxSplits: 2).map(String.init)
        guard words.count >= 2 else {
          throw ReplayError(.unreadable, "git's log has the line \"\(text)\", which is no commit")
        }
        let parts = (words.count > 2 ? words[2] : "").split(
          separator: "\u{1F}", maxSplits: 1, omittingEmptySubsequences: false
        ).map(String.init)
        commit = Commit(
          hash: words[0], time: words[1], author: parts.first ?? "", subject: parts.count > 1 ? parts[1] : "")
        continue
      }
      guard let path = try tokens.next(), let status = text.split(separator: " ").last?.first else {
        throw ReplayError(.unreadable, "git's log ends inside an entry")
      }
      switch status {
      case "A": commit?.changes.append(.added(path: path))
      case "D": commit?.changes.append(.deleted(path: path))
      case "R":
        guard let to = try tokens.next() else { throw ReplayError(.unreadable, "git's log ends inside a rename") }
        commit?.changes.append(.renamed(from: path, to: to))
      default: commit?.changes.append(.modified(path: path))
      }
    }
    if let commit { try body(commit) }
  }

  private func failed(_ talk: String) -> ReplayError {
    ReplayError(.unreadable, "\(path): git failed: \(talk.trimmingCharacters(in: .whitespacesAndNewlines))")
  }

  private static func run(_ path: String, _ arguments: [String]) throws -> (status: Int32, output: String, talk: String)
  {
    let process = GitProcess(path, arguments)
    try process.run()
    let listener = PipeListener(process.talk)
    let text = String(decoding: process.output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let message = listener.text()
    let status = process.end()
    // The status of `env` if the command does not exist.
    if status == 127 {
      throw ReplayError(.inputOutput, "git was not found; install it and see that it is on the PATH")
    }
    return (status, text, message.trimmingCharacters(in: .whitespacesAndNewlines))
  }
}

/// Splits bytes into tokens that end with a NUL byte.
struct TokenReader {
  private let read: () throws -> Data
  private var buffer = Data()

  init(_ read: @escaping () throws -> Data) {
    self.read = read
  }

  mutating func next() throws -> Data? {
    var searched = buffer.startIndex
    while true {
      if let end = buffer[searched...].firstIndex(of: 0) {
        defer { buffer = buffer[buffer.index(after: end)...] }
        return buffer[buffer.startIndex..<end]
      }
      let seen = buffer.count
      let more = try read()
      if more.isEmpty {
        defer { buffer = Data() }
        return buffer.isEmpty ? nil : buffer
      }
      buffer = Data(buffer)
      buffer.append(more)
      searched = buffer.startIndex + seen
    }
  }
}
