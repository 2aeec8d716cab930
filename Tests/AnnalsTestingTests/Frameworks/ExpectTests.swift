import AnnalsTesting
import Synchronization
import Testing

/// The section of `Docs/TestingHowTos.md` about `#expect` in a property, and the recommended replacement.
@Suite struct ExpectTests {
  private let settings = CheckSettings(examples: 20, seed: 1, environment: .patient)

  @Test func `a bare expectation records an issue for every failing case, and nothing is shrunk`() throws {
    let issues = Mutex(0)
    var report: CheckReport?
    try withKnownIssue {
      report = try check(.int(in: 0...1_000), settings: settings) { number in
        #expect(number < 10)
      }
    } matching: { _ in
      issues.withLock { $0 += 1 }
      return true
    }
    #expect(report?.examples == 20, "no case counts as failed")
    #expect(issues.withLock { $0 } > 10, "and each that failed says so for itself")
  }

  @Test func `a demand of Swift Testing is shrunk, and records an issue for every case on the way that fails`() throws {
    let issues = Mutex(0)
    let failed = Mutex(0)
    var failure: PropertyFailure?
    withKnownIssue {
      failure = #expect(throws: PropertyFailure.self) {
        try check(.int(in: 0...1_000), settings: settings) { number in
          if number >= 10 { failed.withLock { $0 += 1 } }
          try #require(number < 10)
        }
      }
    } matching: { _ in
      issues.withLock { $0 += 1 }
      return true
    }
    #expect(failure?.input == ["10"])
    #expect(failed.withLock { $0 } > 1 && issues.withLock { $0 } == failed.withLock { $0 })
  }

  @Test func `a demand of the harness is shrunk, and nothing is recorded on the way`() throws {
    let failure = #expect(throws: PropertyFailure.self) {
      try check(.int(in: 0...1_000), settings: settings) { number in
        try ensure(number < 10, "\(number) is too many")
      }
    }
    #expect(failure?.input == ["10"])
    #expect(failure?.description.contains("does not hold: 10 is too many\n") == true)
  }

  @Test func `a check that is tried in a test fails it with the report`() throws {
    let comments = Mutex<[String]>([])
    try withKnownIssue {
      try check(.int(in: 0...1_000), settings: settings) { $0 < 10 }
    } matching: { issue in
      comments.withLock { $0.append(issue.error.map { "\($0)" } ?? "") }
      return true
    }
    let reports = comments.withLock { $0 }
    #expect(reports.count == 1)
    #expect(reports.first?.contains("Smallest input, after") == true)
  }
}
