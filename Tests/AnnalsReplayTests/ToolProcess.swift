import Foundation
import Testing

/// The tool's executable, run by a shell.
enum ToolProcess {
  /// The executable beside the tests' own bundle.
  static let tool: String? = {
    // On Linux the tests' executable lies beside the tool; on Apple platforms a bundle does.
    let places = [CommandLine.arguments[0], Bundle.main.bundlePath] + Bundle.allBundles.map(\.bundlePath)
    for place in places {
      var folder = URL(fileURLWithPath: place)
      for _ in 0..<5 {
        folder.deleteLastPathComponent()
        let tool = folder.appending(path: "annals-tool").path
        if FileManager.default.isExecutableFile(atPath: tool) { return tool }
      }
    }
    return nil
  }()

  /// Runs a script in which `"$TOOL"` is the executable.
  static func shell(_ script: String, in folder: URL) throws -> (status: Int32, output: String, talk: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", "set -o pipefail; " + script]
    process.currentDirectoryURL = folder
    // `.ci/mutate` says by a variable which place of the sources is another one, also in this process.
    let mutant = ProcessInfo.processInfo.environment.filter { $0.key.hasPrefix("ANNALS_MUTANT") }
    process.environment = mutant.merging(
      ["TOOL": try #require(tool), "PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "TZ": "UTC"]
    ) { $1 }
    let (output, talk) = (folder.appending(path: "stdout"), folder.appending(path: "stderr"))
    for url in [output, talk] { try Data().write(to: url) }
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: talk)
    try process.run()
    process.waitUntilExit()
    return (
      process.terminationStatus, String(decoding: try Data(contentsOf: output), as: UTF8.self),
      String(decoding: try Data(contentsOf: talk), as: UTF8.self)
    )
  }

  /// Returns whether a script succeeds here.
  static func succeeds(_ script: String) -> Bool {
    let folder = FileManager.default.temporaryDirectory.appending(path: "annals-\(UUID().uuidString)")
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return (try? shell(script, in: folder).status) == 0
  }
}
