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

/// A process of the executable `TeamAppChild`, and its output.
final class TeamProcess: Sendable {
  /// The executable beside the tests' own.
  private static let executable: String? = {
    let places = [CommandLine.arguments[0], Bundle.main.bundlePath] + Bundle.allBundles.map(\.bundlePath)
    for place in places {
      var folder = URL(fileURLWithPath: place)
      for _ in 0..<5 {
        folder.deleteLastPathComponent()
        let found = folder.appending(path: "TeamAppChild").path
        if FileManager.default.isExecutableFile(atPath: found) { return found }
      }
    }
    return nil
  }()

  private let process: Process
  private let output: FileHandle
  private let talk: FileHandle
  /// The output that ``begin()`` read, which can be all output if this process is slow.
  private let first = Mutex(Data())

  init(_ words: String...) throws {
    let (process, output, talk) = (Process(), Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: try #require(Self.executable))
    process.arguments = words
    (process.standardOutput, process.standardError) = (output, talk)
    try process.run()
    (self.process, self.output, self.talk) = (process, output.fileHandleForReading, talk.fileHandleForReading)
  }

  /// Waits for the first bytes of output, without holding the caller's isolation.
  func begin() async {
    let read = await Self.away { self.output.availableData }
    first.withLock { $0 += read }
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

  /// Waits for the end of the process, without holding the caller's isolation.
  ///
  /// - Returns: All lines, error messages too, and the status.
  func finish() async -> (lines: [String], status: Int32) {
    await Self.away {
      let rest = self.output.readDataToEndOfFile() + self.talk.readDataToEndOfFile()
      let said = self.first.withLock { $0 } + rest
      self.process.waitUntilExit()
      let lines = String(decoding: said, as: UTF8.self).split(separator: "\n").map(String.init)
      return (lines, self.process.terminationStatus)
    }
  }

  private static func away<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: body()) }
    }
  }
}
