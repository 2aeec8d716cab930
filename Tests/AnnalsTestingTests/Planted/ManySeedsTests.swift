import Annals
import AnnalsTesting
import Foundation
import Testing

/// What is planted is found by any seed, with the examples of a plain check.
///
/// `ANNALS_PLANTED_SEEDS=100 swift test --filter ManySeedsTests` tries more seeds and prints how many found it.
@Suite struct ManySeedsTests {
  private let seeds: Range<UInt64> = {
    let count = ProcessInfo.processInfo.environment["ANNALS_PLANTED_SEEDS"].flatMap { UInt64($0) }
    return 0..<(count ?? 2)
  }()

  private func settings(_ seed: UInt64) -> CheckSettings {
    // The tests only need to find the bugs, and each try of a purity check can start processes.
    CheckSettings(examples: 200, seed: seed, maxShrinks: 1, environment: .patient)
  }

  private func ensureFound(_ what: String, _ body: (UInt64) throws -> Void) {
    var missed: [UInt64] = []
    for seed in seeds {
      do {
        try body(seed)
        missed.append(seed)
      } catch { if !(error is PropertyFailure) { Issue.record(error) } }
    }
    #expect(missed == [], "\(what) was not found by these seeds")
    if seeds.count > 2 { print("\(what): found by \(seeds.count - missed.count) of \(seeds.count) seeds") }
  }

  private let histories = Generator<[NoteEvent]>.array(
    of: zip(.string(), .array(of: .element(of: ["x", "y", "z", "u", "v"]))).map {
      NoteEvent.written(title: $0, words: $1)
    })

  @Test func `a projection that uses hashValue is found by any seed`() {
    ensureFound("hashValue") { try Notes(mistake: .hashValue).checkPurity(histories, settings: settings($0)) }
  }

  @Test func `a projection that asks for the day is found by any seed`() {
    ensureFound("the day") { try Notes(mistake: .day).checkPurity(histories, settings: settings($0)) }
  }

  @Test func `a decider that refuses by the hour is found by any seed`() {
    ensureFound("the hour") {
      try Counter9To5.checkPurity(.string(), after: .constant([]), settings: settings($0))
    }
  }

  @Test func `a lost update under a retry is found by any seed`() {
    ensureFound("a lost update") { try check(JarMachine(way: .readsFirst), settings: settings($0)) }
  }

  @Test func `a law that holds because all is refused is found by any seed`() {
    ensureFound("nothing but refusals") {
      try check(.int(in: -9 ... -1), settings: settings($0)) { try Till.ensureDecidesEqually($0, after: []) }
    }
  }

  @Test func `a seat that is sold between two awaits is found by any seed`() async {
    var missed: [UInt64] = []
    for seed in seeds {
      do {
        // One of a hundred seeds does not find it among 200.
        var settings = settings(seed)
        settings.examples = 400
        _ = try await check(TicketMachine(), concurrency: 2, settings: settings)
        missed.append(seed)
      } catch { if !(error is PropertyFailure) { Issue.record(error) } }
    }
    #expect(missed == [], "a seat sold twice was not found by these seeds")
    if seeds.count > 2 { print("between two awaits: found by \(seeds.count - missed.count) of \(seeds.count) seeds") }
  }
}
