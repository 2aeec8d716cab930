import Annals
import Foundation

/// A process that runs cases for this process, one request at a time.
///
/// If it exits during a request, for example because of a trap, it is restarted for the next request.
final class ChildProcess {
  private let command: LaunchCommand
  private let environment: [String: String]
  private let folder: URL?
  private let name: String
  #if os(macOS) || os(Linux) || os(Windows)
    private var process: Process?
    private var questions = Pipe()
    private var answers = Pipe()
    /// The file for the process's standard error, where a trap prints its location.
    private let errors = FileManager.default.temporaryDirectory.appendingPathComponent(
      "annals-errors-\(UUID().uuidString)")
  #endif
  private var unread = Data()

  /// Creates a process that isn't started yet.
  ///
  /// - Parameters:
  ///   - name: The description of the process in errors.
  ///   - command: The executable and its arguments.
  ///   - environment: The environment variables.
  ///   - folder: The working directory, or `nil` for the directory of this process.
  init(_ name: String, _ command: LaunchCommand, environment: [String: String], folder: URL? = nil) {
    self.name = name
    self.command = command
    self.environment = environment
    self.folder = folder
  }

  /// Returns the description of how the process ended, if it ended instead of responding.
  static func end(_ parts: [String]) -> String? { parts.first == "ended" ? parts.last : nil }

  /// The current environment with the settings of a plain process.
  ///
  /// - Parameter call: The name of the call that the process serves.
  /// - Returns: The environment variables.
  static func plainEnvironment(serving call: String) -> [String: String] {
    var variables = ProcessInfo.processInfo.environment
    variables["ANNALS_REPLAY"] = nil
    for (name, value) in [
      "SWIFT_DETERMINISTIC_HASHING": "1", "TZ": "UTC", "LANG": "en_US.UTF-8", "LC_ALL": "en_US.UTF-8",
      // A trap is expected, and its backtrace would take seconds.
      "SWIFT_BACKTRACE": "enable=no", ServedCall.variable: call,
    ] {
      variables[name] = value
    }
    return variables
  }

  #if os(macOS) || os(Linux) || os(Windows)
    func start() throws {
      questions = Pipe()
      answers = Pipe()
      unread = Data()
      let process = Process()
      process.executableURL = URL(fileURLWithPath: command.path)
      process.arguments = command.arguments
      process.environment = environment
      if let folder { process.currentDirectoryURL = folder }
      process.standardInput = questions
      process.standardOutput = answers
      _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
      process.standardError = FileHandle(forWritingAtPath: errors.path) ?? FileHandle.nullDevice
      do { try process.run() } catch {
        throw CheckError(description: "\(command.path) can't be started: \(error)")
      }
      self.process = process
    }

    /// Waits until the process is ready, and returns its time.
    func ready() throws -> Double {
      guard let parts = next(), parts.first == "ready", parts.count == 2,
        let time = Double(parts[1].filter { $0 != "\"" })
      else {
        throw CheckError(
          description: "a separate process (\(name)) exited before it was ready: \(command.path) "
            + "\(command.arguments.joined(separator: " ")). Call the check from a Swift Testing test that `swift test` "
            + "runs, or pass an executable with `launch: .executable(path)`")
      }
      return time
    }

    /// Sends a request for one case, and returns the response.
    ///
    /// - Parameters:
    ///   - question: The request.
    ///   - report: A function that receives a line, and returns false if the line is the response.
    /// - Returns: The parts of the response.
    /// - Throws: ``CheckError`` if the process can't be started.
    func ask(_ question: String, report: ([String]) -> Bool = { _ in false }) throws -> [String] {
      if process?.isRunning != true { try begin() }
      if !say(question) {
        // The process ended after its last response.
        process?.waitUntilExit()
        try begin()
        _ = say(question)
      }
      while let parts = next() {
        if !report(parts) { return parts }
      }
      process?.waitUntilExit()
      let status = process?.terminationStatus ?? 0
      let isSignal = process?.terminationReason == .uncaughtSignal
      process = nil
      return ["ended", "\(isSignal ? "signal" : "status") \(status)\(lastWords.map { " (\($0))" } ?? "")"]
    }

    private func begin() throws {
      try start()
      _ = try ready()
    }

    /// Writes a line to the process, and returns false if the process no longer reads.
    private func say(_ line: String) -> Bool {
      let file = questions.fileHandleForWriting
      return BrokenPipe.ignored(on: file.fileDescriptor) {
        (try? file.write(contentsOf: Data((line + "\n").utf8))) != nil
      }
    }

    /// The process's message about the trap that terminated it, with the file, the line and the text.
    private var lastWords: String? {
      guard let text = (try? Data(contentsOf: errors)).map({ String(decoding: $0, as: UTF8.self) }) else { return nil }
      let words = [": Fatal error", ": Precondition failed", ": Assertion failed"]
      return text.split(separator: "\n").last { line in words.contains { line.contains($0) } }.map(String.init)
    }

    /// Terminates the process, which a later request starts again.
    func stop() {
      guard let process else { return }
      try? questions.fileHandleForWriting.close()
      process.terminate()
      process.waitUntilExit()
      self.process = nil
    }

    /// Terminates the process without more requests.
    func end() {
      stop()
      try? FileManager.default.removeItem(at: errors)
    }

    /// Returns the next line from the process, or `nil` at the end of the output.
    private func next() -> [String]? {
      while true {
        while let end = unread.firstIndex(of: 0x0A) {
          let line = String(decoding: unread[unread.startIndex..<end], as: UTF8.self)
          unread = Data(unread[(end + 1)...])
          if let parts = ProcessLine.parts(of: line) { return parts }
        }
        let more = answers.fileHandleForReading.availableData
        guard !more.isEmpty else { return nil }
        unread += more
      }
    }
  #else
    // On these systems, apps can't start processes.
    func start() throws {
      throw CheckError(
        description: "apps can't start other processes on this system. Run the check on a Mac or on Linux")
    }

    func ready() throws -> Double { 0 }
    func ask(_ question: String, report: ([String]) -> Bool = { _ in false }) throws -> [String] { [] }
    func stop() {}
    func end() {}
  #endif
}

/// The lines that the processes exchange.
///
/// The test's own output can precede and follow these lines.
enum ProcessLine {
  private static let mark = "annals-case\t"

  /// Prints a line with a single write.
  static func say(_ word: String, _ parts: [String]) {
    let line = ([word] + parts.map { JSONValue.quoted($0) }).joined(separator: "\t")
    FileHandle.standardOutput.write(Data("\n\(mark)\(line)\n".utf8))
  }

  /// Returns the parts of a line, or `nil` if it is other output.
  static func parts(of line: String) -> [String]? {
    guard line.hasPrefix(mark) else { return nil }
    return line.dropFirst(mark.count).split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
  }

  /// Returns the text of a part.
  static func text(_ part: String) -> String? {
    try? JSONDecoder().decode(String.self, from: Data(part.utf8))
  }
}
