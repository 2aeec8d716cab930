#if Postgres
  import Foundation
  import Testing

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// A process of the executable `PostgresChild`.
  final class Child {
    /// Where an executable of the package is that was built with the tests.
    static func executable(_ name: String) -> String? {
      let places = [CommandLine.arguments[0], Bundle.main.bundlePath] + Bundle.allBundles.map(\.bundlePath)
      for place in places {
        var folder = URL(fileURLWithPath: place)
        for _ in 0..<5 {
          folder.deleteLastPathComponent()
          let found = folder.appending(path: name).path
          if FileManager.default.isExecutableFile(atPath: found) { return found }
        }
      }
      return nil
    }

    private let process = Process()
    private let input = Pipe()
    // Files, as no one reads while the processes run.
    private let (output, errors) = (
      FileManager.default.temporaryDirectory.appending(path: "annals-\(UInt64.random(in: 0 ... .max))"),
      FileManager.default.temporaryDirectory.appending(path: "annals-\(UInt64.random(in: 0 ... .max))")
    )
    private(set) var lines: [String] = []
    /// All that it said.
    private(set) var text = ""
    private(set) var complaints = ""
    private let ended = AsyncStream.makeStream(of: Int32.self)

    /// Starts the tests' own executable, or another one of the package.
    init(_ words: [String], of name: String = "PostgresChild") throws {
      (process.executableURL, process.arguments) = (URL(filePath: try #require(Self.executable(name))), words)
      for file in [output, errors] { _ = FileManager.default.createFile(atPath: file.path, contents: nil) }
      process.standardInput = input
      process.standardOutput = try FileHandle(forWritingTo: output)
      process.standardError = try FileHandle(forWritingTo: errors)
      process.terminationHandler = { [end = ended.continuation] process in
        end.yield(process.terminationStatus)
        end.finish()
      }
      try process.run()
    }

    func kill() { signal(SIGKILL) }
    func end() { try? input.fileHandleForWriting.write(contentsOf: Data("end\n".utf8)) }

    private func signal(_ number: Int32) {
      #if canImport(Darwin)
        _ = Darwin.kill(process.processIdentifier, number)
      #elseif canImport(Glibc)
        _ = Glibc.kill(process.processIdentifier, number)
      #else
        _ = Musl.kill(process.processIdentifier, number)
      #endif
    }

    /// What it has said so far.
    var said: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }

    /// Waits for its end, and reads what it said.
    func finish() async -> Int32 {
      var status: Int32 = -1
      for await ended in ended.stream { status = ended }
      func take(_ file: URL) -> String {
        defer { try? FileManager.default.removeItem(at: file) }
        return (try? String(contentsOf: file, encoding: .utf8)) ?? ""
      }
      text = take(output)
      lines = text.split(separator: "\n").map(String.init)
      complaints = take(errors)
      return status
    }
  }
#endif
