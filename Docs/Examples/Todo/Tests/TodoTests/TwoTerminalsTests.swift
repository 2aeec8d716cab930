import Foundation
import Testing

/// Drives the program in two real terminals, by tmux.
@Suite(.enabled(if: Tmux.isThere, "tmux is not installed, so no terminal was opened: .ci/apps installs it"))
struct TwoTerminalsTests {
  @Test func `two terminals on one file see each other, and leave the terminal as it was`() async throws {
    try await Program.withFile { file in
      let tmux = try Tmux(running: "'\(Program.path)' --file '\(file)'; echo ended $?; stty -a | grep -o ' -*icanon'")
      defer { tmux.end() }
      try await tmux.wait(for: "Nothing to do", in: 0)
      try await tmux.wait(for: "Nothing to do", in: 1)

      tmux.type("aBuy milk", in: 0)
      tmux.press("Enter", in: 0)
      try await tmux.wait(for: "[ ] Buy milk", in: 0)
      try await tmux.wait(for: "[ ] Buy milk", in: 1)

      tmux.type("x", in: 1)
      try await tmux.wait(for: "[x] Buy milk", in: 0)

      // What the other terminal of the user did can be taken back here.
      tmux.type("u", in: 0)
      try await tmux.wait(for: "undone: finish Buy milk", in: 0)
      try await tmux.wait(for: "[ ] Buy milk", in: 1)

      // A script is a third process.
      _ = try Program.run(["--file", file, "add", "Bread"])
      try await tmux.wait(for: "Todo · 2", in: 0)
      tmux.type("/bre", in: 0)
      try await tmux.wait(for: "Todo · 1 with \"bre\"", in: 0)
      try await tmux.wait(for: "Todo · 2", in: 1)

      tmux.resize(columns: 30, rows: 8)
      try await tmux.wait(for: "enter keep  esc leave", in: 0)

      tmux.press("C-c", in: 0)
      try await tmux.wait(for: "ended 0\n icanon", in: 0)
      tmux.type("q", in: 1)
      try await tmux.wait(for: "ended 0\n icanon", in: 1)
    }
  }

  @Test func `a program that is asked to end gives the terminal back`() async throws {
    try await Program.withFile { file in
      let tmux = try Tmux(running: "'\(Program.path)' --file '\(file)'; echo ended $?; stty -a | grep -o ' -*icanon'")
      defer { tmux.end() }
      try await tmux.wait(for: "Nothing to do", in: 0)
      for process in try Program.run(["pgrep", "-f", "todo --file \(file)"], of: "/usr/bin/env").output.split(
        separator: "\n")
      {
        if let id = pid_t(process) { kill(id, SIGTERM) }
      }
      try await tmux.wait(for: "icanon", in: 0)
    }
  }
}

/// A server of tmux of its own, with two windows that run the same.
private struct Tmux {
  static let isThere = (try? Program.run(["tmux", "-V"], of: "/usr/bin/env").status) == 0

  private let server = "todo-\(UUID().uuidString)"

  init(running command: String) throws {
    for window in 0...1 {
      // A shell stays, so that what the program leaves can be seen.
      let words =
        window == 0 ? ["new-session", "-d", "-x", "80", "-y", "24", "-s", "todo"] : ["new-window", "-t", "todo:1"]
      let made = run(words + ["sh", "-c", "\(command); sleep 60"])
      guard made.status == 0 else { throw Problem(description: "tmux: \(made.errors)") }
    }
  }

  func end() { _ = run(["kill-server"]) }
  func type(_ text: String, in window: Int) { _ = run(["send-keys", "-t", "todo:\(window)", "-l", text]) }
  func press(_ key: String, in window: Int) { _ = run(["send-keys", "-t", "todo:\(window)", key]) }
  func resize(columns: Int, rows: Int) {
    for window in 0...1 { _ = run(["resize-window", "-t", "todo:\(window)", "-x", "\(columns)", "-y", "\(rows)"]) }
  }

  /// Waits until a window shows a text.
  func wait(for text: String, in window: Int) async throws {
    var shown = ""
    for _ in 0..<400 {
      shown = run(["capture-pane", "-p", "-t", "todo:\(window)"]).output
      if shown.contains(text) { return }
      try await Task.sleep(for: .milliseconds(25))
    }
    throw Problem(description: "window \(window) does not show \"\(text)\", but\n\(shown)")
  }

  private func run(_ words: [String]) -> Program.Ended {
    let words = ["tmux", "-L", server, "-f", "/dev/null"] + words
    return (try? Program.run(words, of: "/usr/bin/env")) ?? Program.Ended(errors: "tmux does not run", status: 1)
  }
}

private struct Problem: Error, CustomStringConvertible {
  let description: String
}
