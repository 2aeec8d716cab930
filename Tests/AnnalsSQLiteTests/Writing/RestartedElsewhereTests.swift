#if os(macOS) || os(Linux)
  import Annals
  import AnnalsSQLite
  import AnnalsStoreTesting
  import AnnalsTesting
  import Foundation
  import Testing

  /// Runs the rules of stores that are opened again, with another process that reads and appends.
  @Suite struct RestartedElsewhereTests {
    @Test(arguments: StoreContract.restartRules)
    func `a log in a file is the same in another process`(rule: StoreContract.RestartRule) throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: "elsewhere-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      var number = 0
      try rule.check {
        number += 1
        let path = folder.appending(path: "\(number).log").path
        return StoreContract.Place(inAnotherProcess: { words in try run(path, words) }) { environment in
          try SQLiteEventStore(path: path, environment: environment)
        }
      }
    }

    @Test func `a process that sees another log, or prints no line, is found`() throws {
      let rule = try #require(StoreContract.restartRules.first { $0.sentence.hasPrefix("two processes read") })
      for path in ["wrong.log", nil] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "elsewhere-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let violation = #expect(throws: StoreContract.Violation.self) {
          try rule.check {
            StoreContract.Place(
              inAnotherProcess: { words in try path.map { try run(folder.appending(path: $0).path, words) } ?? [] }
            ) { try SQLiteEventStore(path: folder.appending(path: "right.log").path, environment: $0) }
          }
        }
        let text = "\(violation.map { "\($0)" } ?? "")"
        #expect(text.contains(path == nil ? "found none" : "\"the head\": expected \"1\", found \"0\""), "\(text)")
      }
    }

    private func run(_ path: String, _ words: [String]) throws -> [String] {
      let child = try ChildProcess("contract", path, words.joined(separator: " "))
      let (lines, talk, status) = child.finish()
      try #require(status == 0, "\(talk)")
      return lines
    }
  }
#endif
