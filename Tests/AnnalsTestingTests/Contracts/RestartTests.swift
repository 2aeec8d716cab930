import Annals
import AnnalsSQLite
import AnnalsStoreTesting
import AnnalsTesting
import Foundation
import Synchronization
import Testing

@Suite struct RestartTests {
  private func place(_ mistake: LostAtOpening.Mistake) -> StoreContract.Place {
    let disk = LostAtOpening.Disk()
    return StoreContract.Place(promises: .all.subtracting(.sharing)) {
      try LostAtOpening(disk, mistake, environment: $0)
    }
  }

  private func broken(_ mistake: LostAtOpening.Mistake) -> [(rule: String, what: String)] {
    StoreContract.restartRules.filter { !$0.sentence.hasPrefix("every reopened store") }.compactMap { rule in
      do {
        try rule.check { place(mistake) }
        return nil
      } catch { return (rule.sentence, "\((error as? StoreContract.Violation)?.error ?? error)") }
    }
  }

  @Test(arguments: StoreContract.restartRules)
  func `a store in an SQLite file keeps what it was given`(rule: StoreContract.RestartRule) throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("restart-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    var number = 0
    try rule.check {
      number += 1
      let path = directory.appendingPathComponent("\(number).log").path
      return StoreContract.Place { try SQLiteEventStore(path: path, environment: $0) }
    }
  }

  @Test(arguments: StoreContract.restartRules)
  func `a store without a mistake keeps the rules, also if it promises less`(rule: StoreContract.RestartRule) throws {
    try rule.check { place(.none) }
    let modest = StoreContract.Promises.all.subtracting([.sharing, .receipts])
    for mistake in [.none, .receipts] as [LostAtOpening.Mistake] {
      try rule.check {
        let disk = LostAtOpening.Disk()
        return StoreContract.Place(promises: modest) { try LostAtOpening(disk, mistake, environment: $0) }
      }
    }
  }

  @Test(
    arguments: [
      (.tags, "the tags of event 1: expected [\"n:1\", \"x\"], found []"),
      (.metadata, "the metadata of event 1: expected {\"actor\":\"ann\"}, found {}"),
      (.versions, "the version of the stream e\u{301}: expected 1, found 0"),
      (.receipts, "the receipt of the command c1: expected position 3, count 2"),
      (.tail, "the head: expected 3, found 2"),
      (.nothing, "the head: expected 1, found 0"),
      (.numbers, "the stream of event 1: expected e\u{301}, found s"),
      (.transactions, "the transaction of event 3: expected 2, found 3"),
      (.identities, "the identity of event 1: expected else 1, found lost id-"),
      (.twice, "the head: expected 1, found 2"),
    ] as [(LostAtOpening.Mistake, String)])
  func `what a store loses at its opening is found and named`(mistake: LostAtOpening.Mistake, what: String) throws {
    let broken = broken(mistake)
    let acknowledged = try #require(broken.first { $0.rule.hasPrefix("all acknowledged events are in the log") })
    #expect(acknowledged.what.hasPrefix("after the store is reopened, \(what)"), "\(acknowledged.what)")
    if mistake == .tags {
      let report = "an event store must follow this rule: \(acknowledged.rule)\n  \(acknowledged.what)\n"
      #expect(try testingGuide().contains(report), "\(report)")
    }
  }

  @Test func `checkpoints that are lost at the opening are found`() {
    #expect(broken(.checkpoints).map(\.rule) == ["a checkpoint keeps its position when the store is reopened"])
    #expect(broken(.none).map(\.rule) == [])
  }

  @Test(
    arguments: [
      (.none, []), (.draftNames, ["a draft keeps its commands and their order when the store is reopened"]),
      (.erasures, ["erased data stays erased when the store is reopened"]),
    ] as [(LostCount.Mistake, [String])])
  func `a name of a draft that is lost, and an erasure that is not counted, are found`(
    mistake: LostCount.Mistake, rules: [String]
  ) {
    #expect(counts(mistake).map(\.rule) == rules)
  }

  @Test func `events that are not found by their tags any more are found to be missing`() throws {
    let acknowledged = try #require(
      counts(.tagged).first { $0.rule.hasPrefix("all acknowledged events are in the log") })
    #expect(acknowledged.what.hasPrefix("after the store is reopened, the events tagged "), "\(acknowledged.what)")
  }

  /// What is found of a store that answers wrong what there is.
  private func counts(_ mistake: LostCount.Mistake) -> [(rule: String, what: String)] {
    StoreContract.restartRules.filter { !$0.sentence.hasPrefix("every reopened store") }.compactMap { rule in
      do {
        try rule.check {
          let memory = MemoryEventStore(source: "lost")
          let openings = Mutex(0)
          return StoreContract.Place(promises: .all.subtracting(.sharing)) { _ in
            let number = openings.withLock { number in
              number += 1
              return number
            }
            return LostCount(memory, mistake, isOpenedAgain: number > 1)
          }
        }
        return nil
      } catch { return (rule.sentence, "\((error as? StoreContract.Violation)?.error ?? error)") }
    }
  }

  @Test func `texts that come back canonically equal, and not the same, are found`() {
    #expect(
      broken(.letters).contains { $0.what.contains("the payload of event") && $0.what.contains("e\u{301}") },
      "\(broken(.letters))")
  }

  @Test func `a log that cannot be opened again is found, and nothing traps`() throws {
    let rule = try #require(StoreContract.restartRules.first { $0.sentence.hasPrefix("every reopened store") })
    let violation = #expect(throws: StoreContract.Violation.self) { try rule.check { place(.opening) } }
    #expect("\(try #require(violation?.error))".contains("the log cannot be opened again"))
    #expect(broken(.opening).count > 3)
  }

  @Test(
    arguments: [
      .tags, .versions, .receipts, .tail, .nothing, .numbers, .transactions, .identities, .twice,
    ] as [LostAtOpening.Mistake])
  func `a machine that opens the store again finds by itself what is lost`(mistake: LostAtOpening.Mistake) throws {
    let rule = try #require(StoreContract.restartRules.first { $0.sentence.hasPrefix("every reopened store") })
    let violation = #expect(throws: StoreContract.Violation.self) { try rule.check { place(mistake) } }
    let failure = try #require(violation?.error as? PropertyFailure)
    // An append, or two where one alone shows nothing, and the opening.
    #expect(failure.input.count <= 4, "\(failure)")
    #expect(failure.input.last == "try system.reopen()", "\(failure)")
  }
}
