import Foundation

#if os(Linux)
  /// This test executable, started again with a filter for one test.
  struct TestProcess {
    let filter: String
    let arguments: [String]
    let environment: [String: String]

    init(_ filter: String, arguments: [String] = [], environment: [String: String]) {
      (self.filter, self.arguments, self.environment) = (filter, arguments, environment)
    }

    /// Runs the process to its end, and returns what it wrote.
    func run() throws -> String {
      let (process, output) = (Process(), Pipe())
      process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      process.arguments = ["--testing-library", "swift-testing", "--filter", filter] + arguments
      // The settings of this run aren't for the other process.
      let own = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("ANNALS_") }
      process.environment = own.merging(environment) { $1 }
      process.environment?["SWIFT_BACKTRACE"] = "enable=no"
      process.standardOutput = output
      process.standardError = output
      try process.run()
      // The pipe ends when the process ends.
      let data = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return String(decoding: data, as: UTF8.self)
    }
  }
#endif
