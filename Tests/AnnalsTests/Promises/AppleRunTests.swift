#if os(macOS) || os(Linux)
  import Foundation
  import Testing

  /// The script for a Mac, with substitutes for Xcode's tools.
  @Suite struct AppleRunTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "annals-apple-\(UUID().uuidString)")
    private let script = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
      .appending(path: ".ci/apple")

    init() throws {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for (name, body) in [
        ("sw_vers", "echo macOS"), ("swift", "case $* in *Purity*) echo 'x.swift:1: error: impure'; exit 1 ;; esac"),
        ("xcrun", #"echo '{"devices": {"iOS": [{"name": "iPad", "udid": "1"}, {"name": "iPhone", "udid": "2"}]}}'"#),
        (
          "xcodebuild",
          #"""
          case $* in
            *-list*) echo '{"workspace": {"schemes": ["Annals", "AnnalsSQLite", "Annals-Package"]}}' ;;
            *watchOS*) echo "a.swift:1: error: not on a watch"; exit 65 ;;
          esac
          """#
        ),
      ] {
        let file = folder.appending(path: name)
        try "#!/bin/sh\n\(body)\n".write(to: file, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
      }
    }

    @Test func `the script for a Mac asks for each scheme and system, and continues after a failure`() throws {
      defer { try? FileManager.default.removeItem(at: folder) }
      let (process, output) = (Process(), Pipe())
      let logs = folder.appending(path: "logs")
      process.executableURL = URL(fileURLWithPath: "/bin/bash")
      process.arguments = [script.path, logs.path]
      let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
      process.environment = ["PATH": "\(folder.path):\(path)"]
      process.standardOutput = output
      process.standardError = FileHandle.nullDevice
      try process.run()
      let lines = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        .split(separator: "\n").map(String.init)
      process.waitUntilExit()

      let systems = ["macOS", "iOS", "iOS-Simulator", "tvOS", "watchOS", "visionOS", "Mac-Catalyst"]
      for system in systems {
        for scheme in ["Annals", "AnnalsSQLite"] {
          let expected =
            system == "watchOS"
            ? "FAIL  \(scheme)-watchOS  (expected PASS)  a.swift:1: error: not on a watch"
            : "PASS  \(scheme)-\(system)  (expected PASS)"
          #expect(lines.contains(expected), "\(expected)")
        }
        let outcome = system == "watchOS" ? "FAIL" : "PASS"
        let expected = "\(outcome)  Annals-Package-\(system)  (expected \(system == "macOS" ? "PASS" : "?")"
        #expect(lines.contains { $0.hasPrefix(expected) }, "\(expected)")
      }
      #expect(lines.contains("FAIL  purity  (expected PASS)  x.swift:1: error: impure"))
      #expect(lines.contains("PASS  test-Simulator  (expected ?)"))
      #expect(lines.contains("PASS  todo-iOS  (expected PASS)"))
      // The tool isn't built here, or it's another build's.
      let differing = lines.contains { $0.hasPrefix("FAIL  tool") } ? 4 : 3
      let questions = lines.filter { $0.hasPrefix("PASS") || $0.hasPrefix("FAIL") }.count
      #expect(questions == 33)
      #expect(
        lines.last
          == "\(questions) questions, \(differing) outcomes differ from the expected ones; logs: \(logs.path)")
      #expect(process.terminationStatus == 1)
      let log = try String(contentsOf: logs.appending(path: "Annals-watchOS.log"), encoding: .utf8)
      #expect(log == "a.swift:1: error: not on a watch\n")
    }
  }
#endif
