#if os(Linux)
  @testable import Annals
  @testable import AnnalsLog
  import Foundation
  import Testing

  /// The memory that reading JSON takes is given back.
  @Suite struct JSONMemoryTests {
    @Test func `tapes that are let go of leave nothing behind`() async {
      await #expect(processExitsWith: .success) {
        /// The process's pages in memory.
        func resident() throws -> Int {
          let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
          return Int(fields[1]) ?? 0
        }
        // Values of 6,000 bytes and 1,500 tokens.
        let text = "[" + String(repeating: "1.5,", count: 1_500) + "0]"
        func read(times: Int) throws {
          for _ in 0..<times { try JSONTape().load(text) }
        }
        try read(times: 100)
        let before = try resident()
        try read(times: 4_000)
        let growth = try (resident() - before) * 4_096
        // What is kept of each would be more than 24 million bytes.
        precondition(growth < 8_000_000, "\(growth) bytes are kept")
      }
    }
  }
#endif
