import AnnalsTesting
import Foundation
import Testing

/// A function that traps.
private func average(_ numbers: [Int]) -> Int {
  let sum = numbers.reduce(0, +)
  precondition(numbers.count < 4, "four numbers are too many")
  return numbers.isEmpty ? 0 : sum / numbers.count
}

@Suite struct ApartTests {
  private let settings = CheckSettings(examples: 30, seed: 1, maxShrinks: 60, environment: .patient)
  private let numbers = Generator<[Int]>.array(of: .int(in: 0...9), count: 0...8)

  @Test func `a trap is named, and the smallest value that leads to it`() throws {
    let failure = try #require(
      #expect(throws: PropertyFailure.self) {
        try checkApart(numbers, settings: settings) { _ = average($0) }
      })
    #expect(failure.input == ["[0, 0, 0, 0]"])
    #expect(failure.description.contains("the process ended with signal "), "\(failure)")
    #if DEBUG && os(Linux)
      #expect(failure.description.contains(": Precondition failed: four numbers are too many)"), "\(failure)")
    #endif
  }

  @Test func `an error is the same as in this process`() throws {
    let failure = try #require(
      #expect(throws: PropertyFailure.self) {
        try checkApart(numbers, settings: settings) { try ensure($0.count < 2, "too long") }
      })
    #expect(failure.input == ["[0, 0]"])
    #expect(failure.description.contains("does not hold: too long"), "\(failure)")
  }

  @Test func `what holds passes, and what is not assumed is no verdict`() throws {
    let report = try checkApart(numbers, settings: settings) { numbers in
      try assume(numbers.count < 4)
      try ensure(average(numbers) < 10, "too large")
    }
    #expect(report.examples == 30)
  }

  @Test func `alone`() throws {
    let report = try checkApart(.int(in: 0...99), settings: settings) { _ in }
    #expect(report.examples == 30)
  }

  // The process of the test above does not run these, though their names have its name in theirs.

  @Test func `not alone`() { endOther() }

  @Test func `alone again`() { endOther() }

  private func endOther() {
    if ProcessInfo.processInfo.environment["ANNALS_PURITY"] != nil { exit(7) }
  }
}
