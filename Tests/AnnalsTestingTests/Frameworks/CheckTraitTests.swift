import AnnalsTesting
import Foundation
import Synchronization
import Testing

@testable import AnnalsSwiftTesting

/// The trait `.checks()`, tested in this process by collecting the issues, and in another process with its output.
@Suite struct CheckTraitTests {
  private let settings = CheckSettings(examples: 20, seed: 1, environment: .patient)

  /// Runs a function with the trait, and returns the issues that it records.
  private func issues(
    _ trait: CheckTrait = .checks(), _ function: @escaping @Sendable () async throws -> Void
  ) async throws -> [Issue] {
    let found = Mutex<[Issue]>([])
    let test = try #require(Test.current)
    // These failures are expected, so they must not become annotations.
    var trait = trait
    trait.environment = [:]
    let quiet = trait
    let collecting = IssueHandlingTrait.compactMapIssues { issue in
      found.withLock { $0.append(issue) }
      return nil
    }
    try await collecting.provideScope(for: test, testCase: nil) {
      try await quiet.provideScope(for: test, testCase: nil, performing: function)
    }
    return found.withLock { $0 }
  }

  @Test func `the issue is at the line of the condition`() async throws {
    let line = #line + 2
    let found = try await issues { [settings] in
      try check(.int(in: 0...1_000), settings: settings) { try ensure($0 < 10, "too many") }
    }
    #expect(found.count == 1)
    #expect(found.first?.sourceLocation?.line == line)
    #expect(found.first?.sourceLocation?.filePath == #filePath)
    let failure = try #require(found.first?.error as? PropertyFailure)
    #expect(failure.input == ["10"])
  }

  @Test func `a condition in another file has the path of that file`() async throws {
    let found = try await issues { [settings] in
      try check(FarCondition.numbers, settings: settings) { try FarCondition.holds($0) }
    }
    let place = try #require(found.first?.sourceLocation)
    #expect(place.fileName == "FarCondition.swift")
    #expect(place.filePath.hasSuffix("/Frameworks/FarCondition.swift"))
  }

  @Test func `a property that returns false is at the line of its check`() async throws {
    let line = #line + 2
    let found = try await issues { [settings] in
      try check(.int(in: 0...1_000), settings: settings) { $0 < 10 }
    }
    #expect(found.map { $0.sourceLocation?.line } == [line])
  }

  @Test func `a failed expectation in a property is shrunk and reported once`() async throws {
    let line = #line + 2
    let found = try await issues { [settings] in
      try check(.int(in: 0...1_000), settings: settings) { #expect($0 < 10) }
    }
    #expect(found.count == 1)
    #expect(found.first?.sourceLocation?.line == line)
    let failure = try #require(found.first?.error as? PropertyFailure)
    #expect(failure.input == ["10"])
    #expect(failure.kind == .falsified)
    #expect(failure.description.contains("does not hold: Expectation failed: ($0 → 10) < 10\n"), "\(failure)")
  }

  @Test func `a failed expectation in an asynchronous property is shrunk and reported once`() async throws {
    let found = try await issues { [settings] in
      try await check(.int(in: 0...1_000), settings: settings) { number in
        await Task.yield()
        #expect(number < 10)
      }
    }
    #expect(found.count == 1)
    #expect((found.first?.error as? PropertyFailure)?.input == ["10"])
  }

  @Test func `a requirement in an asynchronous property is reported once`() async throws {
    let found = try await issues { [settings] in
      try await check(.int(in: 0...1_000), settings: settings) { number in
        await Task.yield()
        try #require(number < 10)
      }
    }
    #expect(found.count == 1)
    #expect((found.first?.error as? PropertyFailure)?.input == ["10"])
  }

  @Test func `a known issue in a property isn't a failure of the case`() async throws {
    let found = try await issues { [settings] in
      let report = try check(.int(in: 0...1_000), settings: settings) { _ in
        withKnownIssue { #expect(Bool(false)) }
      }
      #expect(report.examples == 20)
    }
    #expect(!found.contains { $0.isFailure })
  }

  @Test func `an expectation and an error outside of properties are unchanged`() async throws {
    struct Wrong: Error {}
    let found = try await issues { #expect(Bool(false)) }
    #expect(found.count == 1 && found.first?.error == nil)
    await #expect(throws: Wrong.self) { _ = try await self.issues { throw Wrong() } }
  }

  @Test func `a check without settings has the settings of the trait`() async throws {
    let trait = CheckTrait.checks(CheckSettings(examples: 7, seed: 3, environment: .patient))
    _ = try await issues(trait) { [settings] in
      let report = try check(.int()) { _ in true }
      #expect(report.examples == 7 && report.seed == 3)
      #expect(try check(.int(), settings: settings) { _ in true }.examples == 20)
      let waited = try await check(.int()) { _ in await Task.yield() }
      #expect(waited.examples == 7)
      // A trait without settings keeps those of the suite around it.
      let test = try #require(Test.current)
      try await CheckTrait.checks().provideScope(for: test, testCase: nil) {
        #expect(CheckSettings.current.examples == 7)
      }
    }
    #expect(CheckSettings.scoped == nil)
  }

  @Test func `an annotation has the path in the repository and one line`() throws {
    let test = try #require(Test.current)
    let failure = try #require(
      #expect(throws: PropertyFailure.self) {
        try check(.int(), settings: settings) { _ in try ensure(false, "100%\nwrong") }
      })
    let failed = FailedCheck(failure, in: test)
    #expect(failed.annotation([:]) == nil)
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
    let line = try #require(failed.annotation(["GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": folder]))
    #expect(line.hasPrefix("::error file=CheckTraitTests.swift,line=\(failed.place.line)::"), "\(line)")
    #expect(line.contains("100%25%0Awrong%0ASmallest input"), "\(line)")
    #expect(!line.contains("\n"))
  }

  /// The test that the test below runs in another process.
  @Test(.checks(CheckSettings(examples: 20, seed: 1, environment: .patient)))
  func `shown in another process`() throws {
    guard ProcessInfo.processInfo.environment["CHECK_TRAIT_FAILS"] == "1" else { return }
    try check(.int(in: 0...1_000)) { #expect($0 < 10) }
  }

  #if os(Linux)
    @Test func `another process shows one issue, an annotation and an attachment`() throws {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let child = TestProcess(
        "CheckTraitTests.*shown in another process", arguments: ["--attachments-path", folder.path],
        environment: ["CHECK_TRAIT_FAILS": "1", "GITHUB_ACTIONS": "true"])
      let output = try child.run()
      #expect(output.contains("recorded an issue at CheckTraitTests.swift:"), "\(output)")
      #expect(output.contains("with 1 issue"), "\(output)")
      #expect(output.contains("::error file=\(#filePath),line="), "\(output)")
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      let report = try #require(names.first { $0.hasPrefix("report") })
      let text = try String(contentsOf: folder.appendingPathComponent(report), encoding: .utf8)
      #expect(text.contains("Smallest input, after") && text.contains("\n  10\n"), "\(text)")
    }
  #endif
}
