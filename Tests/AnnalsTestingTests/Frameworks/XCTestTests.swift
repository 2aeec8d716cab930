import AnnalsTesting
import XCTest

/// The same in XCTest; the harness does not know XCTest either.
final class XCTestTests: XCTestCase {
  private let settings = CheckSettings(examples: 100, seed: 1, environment: .patient)
  /// The issues that are recorded while the test catches them.
  private var caught: [String]?

  #if canImport(Darwin)
    override func record(_ issue: XCTIssue) {
      if caught == nil { super.record(issue) } else { caught?.append(issue.compactDescription) }
    }
  #else
    override func recordFailure(
      withDescription description: String, inFile file: String, atLine line: Int, expected: Bool
    ) {
      guard caught != nil else {
        return super.recordFailure(withDescription: description, inFile: file, atLine: line, expected: expected)
      }
      caught?.append(description)
    }
  #endif

  func testAPropertyThatHoldsPasses() throws {
    let report = try check(.array(of: .int()), settings: settings) { $0.sorted().sorted() == $0.sorted() }
    XCTAssertEqual(report.examples, 100)
  }

  func testADemandOfTheHarnessIsShrunkAndNothingIsRecordedOnTheWay() {
    caught = []
    defer { caught = nil }
    do {
      try check(.int(in: 0...1_000), settings: settings) { try ensure($0 < 10, "too many") }
    } catch {
      caught?.append("\(error)")
    }
    let recorded = caught ?? []
    caught = nil
    XCTAssertEqual(recorded.count, 1)
    XCTAssertTrue(recorded[0].contains("does not hold: too many\nSmallest input, after"))
    XCTAssertTrue(recorded[0].contains("\n  10\nRerun it with ANNALS_REPLAY=a1."))
  }

  func testABareAssertionRecordsAFailureForEveryFailingCaseAndNothingIsShrunk() throws {
    caught = []
    let report = try check(.int(in: 0...1_000), settings: settings) { XCTAssertLessThan($0, 10) }
    let recorded = caught ?? []
    caught = nil
    XCTAssertEqual(report.examples, 100)
    XCTAssertGreaterThan(recorded.count, 50)
  }

  func testAPropertyThatWaitsIsChecked() async throws {
    let failure: PropertyFailure?
    do {
      try await check(.int(in: 0...1_000), settings: settings) { number in
        await Task.yield()
        return number < 10
      }
      failure = nil
    } catch let error as PropertyFailure {
      failure = error
    }
    XCTAssertEqual(failure?.input, ["10"])
  }
}
