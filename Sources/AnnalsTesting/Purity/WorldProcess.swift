import Foundation

/// A process that serves the requests of a purity check in one world.
///
/// If it exits during a request, for example because of a trap, it is restarted for the next request.
final class WorldProcess {
  let world: Purity.World?
  private let command: LaunchCommand
  private let number: String
  private let clockLibrary: String?
  #if os(macOS) || os(Linux) || os(Windows)
    private var process: Process?
    private var questions = Pipe()
    private var answers = Pipe()
    /// The file for the process's standard error, where a trap prints its location.
    private let errors = FileManager.default.temporaryDirectory.appendingPathComponent(
      "annals-errors-\(UUID().uuidString)")
  #endif
  private var unread = Data()

  init(_ world: Purity.World?, _ command: LaunchCommand, _ number: String, clockLibrary: String? = nil) {
    self.world = world
    self.command = command
    self.number = number
    self.clockLibrary = clockLibrary
  }

  var name: String { world?.name ?? "with plain settings" }
  var cause: String { world?.cause ?? "" }

  /// Returns the description of how a process ended, if it ended instead of responding.
  static func end(_ parts: [String]) -> String? { parts.first == "ended" ? parts.last : nil }

  /// The process's environment: the current environment, the settings of the plain process, and the world's
  /// differences.
  private var environment: [String: String] {
    var variables = ProcessInfo.processInfo.environment
    variables["ANNALS_REPLAY"] = nil
    for (name, value) in [
      "SWIFT_DETERMINISTIC_HASHING": "1", "TZ": "UTC", "LANG": "en_US.UTF-8", "LC_ALL": "en_US.UTF-8",
      // A trap is expected, and its backtrace would take seconds.
      "SWIFT_BACKTRACE": "enable=no", Purity.variable: number,
    ] {
      variables[name] = value
    }
    for (name, value) in world?.variables ?? [:] { variables[name] = value }
    if let clockLibrary, let world {
      variables["LD_PRELOAD"] = clockLibrary
      variables["DYLD_INSERT_LIBRARIES"] = clockLibrary
      variables["ANNALS_CLOCK"] = "\(world.clock)"
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
      if world?.movesFolder == true { process.currentDirectoryURL = FileManager.default.temporaryDirectory }
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
    func ask(_ question: String) throws -> [String] {
      if process?.isRunning != true { try begin() }
      if !say(question) {
        // The process ended after its last response.
        process?.waitUntilExit()
        try begin()
        _ = say(question)
      }
      if let parts = next() { return parts }
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

    /// Terminates the process without more requests.
    func end() {
      defer { try? FileManager.default.removeItem(at: errors) }
      guard let process else { return }
      try? questions.fileHandleForWriting.close()
      process.terminate()
      process.waitUntilExit()
      self.process = nil
    }

    /// Returns the next line from the process, or `nil` at the end of the output.
    private func next() -> [String]? {
      while true {
        while let end = unread.firstIndex(of: 0x0A) {
          let line = String(decoding: unread[unread.startIndex..<end], as: UTF8.self)
          unread = Data(unread[(end + 1)...])
          if let parts = PurityLine.parts(of: line) { return parts }
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
    func ask(_ question: String) throws -> [String] { [] }
    func end() {}
  #endif
}
