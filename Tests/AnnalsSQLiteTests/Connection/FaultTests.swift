import AnnalsTesting
import Disks
import Foundation
import Testing

@testable import AnnalsSQLite

/// Every call of the disk fails, in every way, in a history of 200 appends.
///
///     ANNALS_FAULTS_EVERY=1 swift test --filter FaultTests
@Suite struct FaultTests {
  private static let wanted = ProcessInfo.processInfo.environment["ANNALS_FAULTS_EVERY"].flatMap { Int($0) }
  /// One fault out of this many is tried.
  private static let every = max(1, wanted ?? 997)

  /// The parts of the history, each with its beginning and the calls of the disk.
  private static let parts: Result<[(FaultRun.Beginning, [FaultStep], [FileCall])], any Error> = Result {
    var beginning = FaultRun.Beginning()
    return try FaultStep.blocks.map { steps in
      let (next, calls) = try FaultRun(steps, at: beginning).perform()
      defer { beginning = next }
      return (beginning, steps, calls)
    }
  }

  @Test func `whatever call of the disk fails, nothing that was acknowledged is lost, and no list is wrong`() throws {
    var (tried, number) = (0, 0)
    var kinds: [String: Int] = [:]
    var failures: [String] = []
    for (beginning, steps, calls) in try Self.parts.get() {
      for plan in FaultyDisk.Plan.all(for: calls) {
        number += 1
        guard number % Self.every == 0 else { continue }
        do {
          guard try FaultRun(steps, at: beginning).perform(plan) else { continue }
          tried += 1
          kinds["\(plan.kind) \(plan.fault)", default: 0] += 1
        } catch {
          failures.append("\(steps[0]): \(plan): \(error)")
        }
      }
    }
    if Self.wanted != nil {
      print("\(tried) faults of \(number): \(kinds.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })")
    }
    #expect(failures.isEmpty, "\(failures.count): \(failures.prefix(20).joined(separator: "\n"))")
    #expect(tried > number / Self.every * 9 / 10)
  }

  /// A test of the tests.
  @Test func `an app that takes an append that failed as done is seen to lose it`() throws {
    let (beginning, steps, calls) = try #require(try Self.parts.get().first)
    let plans = FaultyDisk.Plan.all(for: calls).filter { $0.kind == .write && $0.fault == .full && $0.call > 250 }
    let failures = plans.prefix(12).compactMap { plan -> String? in
      do {
        _ = try FaultRun(steps, at: beginning, believesAll: true).perform(plan)
        return nil
      } catch {
        return "\(error)"
      }
    }
    #expect(failures.contains { $0.contains("lost") }, "\(failures)")
  }
}
