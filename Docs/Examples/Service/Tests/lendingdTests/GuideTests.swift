import Foundation
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The requests of the guide, exactly as written.
@Suite struct GuideTests {
  @Test func `the guide's requests have the responses that it shows`() async throws {
    let page = URL(filePath: #filePath).appending(path: "../../../../../Guides/15-OnAServer.md").standardized
    let text = try String(contentsOf: page, encoding: .utf8)
    let block = try #require(text.firstMatch(of: /```console\n((?s).*?)```/)).1
    let instance = try await Instance([:])
    var (count, expected) = (0, "")
    for line in block.split(separator: "\n") {
      if line.hasPrefix("$ ") {
        expected = try shell(String(line.dropFirst(2).replacing("localhost:8080", with: "127.0.0.1:\(instance.port)")))
        count += 1
      } else {
        #expect(line == expected)
      }
    }
    #expect(count == 5)
    #expect(await instance.end(SIGTERM) == 0)
  }

  private func shell(_ command: String) throws -> String {
    let (process, output) = (Process(), Pipe())
    (process.executableURL, process.arguments) = (URL(filePath: "/bin/sh"), ["-c", command])
    process.standardOutput = output
    try process.run()
    return String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
  }
}
