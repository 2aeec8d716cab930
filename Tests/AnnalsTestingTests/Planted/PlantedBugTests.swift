import Annals
import AnnalsSamples
import AnnalsTesting
import Foundation
import Testing

/// Checks that each planted bug is found and shrunk to the one smallest program, which is below and runs.
@Suite struct PlantedBugTests {
  private func find(_ bug: PlantedBug, seed: UInt64) -> PropertyFailure? {
    #expect(throws: PropertyFailure.self) {
      try check(StaffMachine(bug: bug), settings: CheckSettings(examples: 2_000, seed: seed, environment: .patient))
    }
  }

  @Test func `an office without a bug passes`() throws {
    let report = try check(StaffMachine(bug: .none), settings: CheckSettings(examples: 300, environment: .patient))
    for command in StaffMachine(bug: .none).commands {
      #expect(report.occurrences[command.name] ?? 0 > 0, "\(command.name)")
    }
  }

  @Test(
    arguments: [
      (.forgetsRename, "program1"), (.hiresTwice, "program2"), (.reloadsAtOldPath, "program3"),
      (.tellsNoMove, "program4"), (.acceptsStale, "program5"),
    ] as [(PlantedBug, String)])
  func `a planted bug is found and shrunk to the program that stands here`(bug: PlantedBug, program: String) throws {
    let own = try String(contentsOfFile: #filePath, encoding: .utf8)
    for seed in [0, 1, 3, 8] as [UInt64] {
      let failure = try #require(find(bug, seed: seed))
      let printed = failure.input.map { "    \($0)\n" }.joined()
      #expect(own.contains("func \(program)() throws {\n\(printed)"), "seed \(seed): \(failure)")
      // The token runs the same program.
      let again = #expect(throws: PropertyFailure.self) {
        try check(StaffMachine(bug: bug), settings: CheckSettings(replay: failure.token, environment: .patient))
      }
      #expect(again?.input == failure.input)
      try check(StaffMachine(bug: .none), settings: CheckSettings(replay: failure.token, environment: .patient))
    }
  }

  // The printed program for each bug, word for word, and then what is wrong.

  @Test func program1() throws {
    let system = try StaffOffice(.forgetsRename)
    try system.hire("a", in: "s")
    try system.renameSection("s", to: "t")
    #expect(system.list == [["s", "a 1.0"]], "the section is called t")
  }

  @Test func program2() throws {
    let system = try StaffOffice(.hiresTwice)
    try system.hire("a", in: "s")
    try system.hire("a", in: "s")
    #expect(try system.store.head() == 2, "the second one should have been refused")
  }

  @Test func program3() throws {
    let system = try StaffOffice(.reloadsAtOldPath)
    try system.hire("a", in: "s")
    try system.hire("b", in: "s")
    try system.dismiss("a", andMeasure: "b", height: 2.0)
    #expect((system.violation as? MirrorTable<Employee>.Violation)?.rule == .bounds)
  }

  @Test func program4() throws {
    let system = try StaffOffice(.tellsNoMove)
    try system.hire("a", in: "s")
    try system.hire("b", in: "s")
    try system.hire("c", in: "t")
    try system.transfer("a", to: "t")
    #expect((system.violation as? MirrorTable<Employee>.Violation)?.rule == .rowCount)
  }

  @Test func program5() throws {
    let system = try StaffOffice(.acceptsStale)
    _ = try system.hireAtOnce("a", in: "s")
    #expect(try system.store.head() == 2, "the second clerk read before the first one wrote")
  }
}
