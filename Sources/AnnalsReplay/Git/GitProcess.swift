import Foundation

/// A run of the `git` command.
struct GitProcess {
  /// What git writes, and what it says about errors.
  let output = Pipe()
  let talk = Pipe()

  #if os(macOS) || os(Linux)
    private let process = Process()

    init(_ path: String, _ arguments: [String]) {
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["LC_ALL=C", "git", "-C", path] + arguments
      (process.standardOutput, process.standardError) = (output, talk)
    }

    func run() throws {
      do {
        try process.run()
      } catch {
        throw ReplayError(
          .inputOutput, "git cannot be run; install it and see that it is on the PATH (\(error.localizedDescription))")
      }
    }

    func terminate() { process.terminate() }

    /// Waits until git has ended, and returns its status.
    func end() -> Int32 {
      process.waitUntilExit()
      return process.terminationStatus
    }
  #else
    init(_ path: String, _ arguments: [String]) {}

    func run() throws {
      throw ReplayError(.inputOutput, "git cannot be run: a program starts no other program on this system")
    }

    func terminate() {}

    func end() -> Int32 { 127 }
  #endif
}
