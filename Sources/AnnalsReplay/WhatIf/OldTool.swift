import Foundation

/// A run of another version of the tool, whose output is read line by line.
struct OldTool {
  private let path: String
  private let output = Pipe()

  #if os(macOS) || os(Linux)
    private let process = Process()
    private let talk = Pipe()
    private let listener: PipeListener

    /// Starts the executable.
    ///
    /// - Parameters:
    ///   - path: Its path, or its name if it is on the PATH.
    ///   - words: Its arguments.
    /// - Throws: ``ReplayError`` if it cannot be run.
    init(_ path: String, _ words: [String]) throws {
      self.path = path
      if path.contains("/") {
        guard let file = Platform.file(path) else {
          throw ReplayError(.inputOutput, "--code: \(path): the file doesn't exist. Check the path")
        }
        guard file.isRegular else { throw ReplayError(.inputOutput, "--code: \(path): expected an executable file") }
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = words
      } else {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [path] + words
      }
      (process.standardOutput, process.standardError) = (output, talk)
      process.standardInput = FileHandle.nullDevice
      do {
        try process.run()
      } catch {
        throw ReplayError(
          .inputOutput, "--code: \(path) cannot be run: expected an executable (\(error.localizedDescription))")
      }
      listener = PipeListener(talk)
    }

    /// Waits until it has ended; answers its status and the end of what it said.
    func end() -> (status: Int32, talk: String) {
      let text = listener.text()
      process.waitUntilExit()
      return (process.terminationStatus, text)
    }

    /// Ends it, whatever it does.
    ///
    /// If it is a script, programs that it started end when they write on, because no one reads.
    func terminate() {
      if process.isRunning { process.terminate() }
      try? output.fileHandleForReading.close()
    }
  #else
    init(_ path: String, _ words: [String]) throws {
      throw ReplayError(.inputOutput, "--code: a program starts no other program on this system")
    }

    func end() -> (status: Int32, talk: String) { (127, "") }

    func terminate() {}
  #endif

  /// The next bytes of its output; none at the end.
  func read() throws -> Data { try output.fileHandleForReading.read(upToCount: 1 << 16) ?? Data() }

  /// What it did not do, from its status and what it said.
  func failure(_ status: Int32, _ talk: String) -> String {
    let said = talk.split(separator: "\n").suffix(3).joined(separator: "\n  ")
    return "\(path) ended with status \(status)" + (said.isEmpty ? "" : ", and said\n  \(said)")
  }
}
