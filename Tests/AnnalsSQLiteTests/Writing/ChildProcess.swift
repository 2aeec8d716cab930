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

  init(_ words: String...) throws {
    process.executableURL = URL(fileURLWithPath: try #require(Self.executable))
    process.arguments = words
    (process.standardOutput, process.standardError) = (output, talk)
    try process.run()
  }

  /// Waits for the first bytes of output, and returns them.
  func firstWords() -> Data { output.fileHandleForReading.availableData }

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
