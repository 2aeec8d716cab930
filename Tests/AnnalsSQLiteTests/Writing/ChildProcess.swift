#if os(macOS) || os(Linux)
  import Foundation
  import Synchronization
  import Testing

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Bionic)
    import Bionic
  #elseif canImport(Darwin)
    import Darwin
  #endif

  /// A process of the executable `StoreChild`, and its output.
  final class ChildProcess {
    /// The executable beside the tests' own.
    private static let executable: String? = {
      let places = [CommandLine.arguments[0], Bundle.main.bundlePath] + Bundle.allBundles.map(\.bundlePath)
      for place in places {
        var folder = URL(fileURLWithPath: place)
        for _ in 0..<5 {
          folder.deleteLastPathComponent()
          let found = folder.appending(path: "StoreChild").path
          if FileManager.default.isExecutableFile(atPath: found) { return found }
        }
      }
      return nil
    }()

    private let process = Process()
    private let output = Pipe()
    private let talk = Pipe()

    /// Starts it.
    ///
    /// - Parameters:
    ///   - words: The process's arguments.
    ///   - limit: Lines of a shell that the process is started after, for example with `ulimit`.
    /// - Throws: If it cannot be started.
    convenience init(_ words: String..., limit: String? = nil) throws { try self.init(words, limit: limit) }

    /// Starts it with any number of arguments.
    init(_ words: [String], limit: String? = nil) throws {
      let executable = try #require(Self.executable)
      process.executableURL = URL(fileURLWithPath: limit == nil ? executable : "/bin/sh")
      process.arguments = limit.map { ["-c", "\($0); exec \"$0\" \"$@\"", executable] + words } ?? words
      (process.standardOutput, process.standardError) = (output, talk)
      try process.run()
    }

    /// Waits for the first bytes of output, and returns them.
    func firstWords() -> Data { output.fileHandleForReading.availableData }

    /// Waits until the process has printed some words, and returns false if it ended before.
    func wait(for words: String) -> Bool {
      var printed = ""
      while !printed.contains(words) {
        let data = output.fileHandleForReading.availableData
        if data.isEmpty { return false }
        printed += String(decoding: data, as: UTF8.self)
      }
      return true
    }

    /// Kills the process at once, as a loss of power would.
    func kill() {
      #if canImport(Darwin)
        Darwin.kill(process.processIdentifier, SIGKILL)
      #elseif canImport(Glibc)
        Glibc.kill(process.processIdentifier, SIGKILL)
      #elseif canImport(Musl)
        Musl.kill(process.processIdentifier, SIGKILL)
      #else
        Bionic.kill(process.processIdentifier, SIGKILL)
      #endif
    }

    /// Waits for the end of the process, and returns the rest of its output, its error messages and its status.
    func finish() -> (lines: [String], talk: String, status: Int32) {
      let said = output.fileHandleForReading.readDataToEndOfFile()
      let complaints = talk.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return (
        String(decoding: said, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).map(String.init),
        String(decoding: complaints, as: UTF8.self), process.terminationStatus
      )
    }
  }
#endif
