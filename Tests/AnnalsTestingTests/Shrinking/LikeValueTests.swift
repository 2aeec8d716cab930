import Annals
import AnnalsTesting
import Foundation
import Testing

/// Values that look alike: the spellings of a string, the dates near a date, and rows with NaN.
@Suite struct LikeValueTests {
  private func settings(_ seed: UInt64, examples: Int = 200) -> CheckSettings {
    CheckSettings(examples: examples, seed: seed, environment: .patient)
  }

  private func forms<Value>(
    _ generator: Generator<Value>, seeds: ClosedRange<UInt64> = 1...10, _ property: (Value) -> Bool
  ) throws -> Set<[String]> {
    Set(
      try seeds.map { seed in
        let failure = #expect(throws: PropertyFailure.self) {
          try check(generator, settings: settings(seed, examples: 1_000)) { property($0) }
        }
        return try #require(failure).input
      })
  }

  @Test func `a failing date has one form, with whole days and whole seconds if possible`() throws {
    let date = Date(timeIntervalSinceReferenceDate: 626_742_000.5)
    #expect(try forms(.date()) { $0 < date } == [[swiftSource(of: Date(timeIntervalSinceReferenceDate: 626_745_600))]])
    // The first second at which the day of another time zone begins.
    #expect(
      try forms(.date()) { date in
        let seconds = date.timeIntervalSinceReferenceDate
        return seconds - (seconds / 86_400).rounded(.down) * 86_400 < 36_000
      } == [[swiftSource(of: Date(timeIntervalSinceReferenceDate: 36_000))]])
    #expect(
      try forms(.date(in: date...date.addingTimeInterval(10))) { _ in false }
        == [[swiftSource(of: Date(timeIntervalSinceReferenceDate: 626_742_001))]])
    let moment = Date(timeIntervalSinceReferenceDate: -0.25)
    #expect(try forms(.date(in: moment...moment)) { _ in false } == [[swiftSource(of: moment)]])
    let fractions = try forms(.date(), seeds: 1...3) {
      $0.timeIntervalSinceReferenceDate == $0.timeIntervalSinceReferenceDate.rounded(.down)
    }
    #expect(fractions == [[swiftSource(of: Date(timeIntervalSinceReferenceDate: 0.000_001))]])
  }

  @Test func `an element with two spellings has both, and shrinks to the given one`() throws {
    var seen: Set<[UInt8]> = []
    let ids = Generator<String>.element(of: ["a", "caf\u{E9}", "\u{FB01}"])
    try check(ids, settings: settings(1)) { seen.insert(Array($0.utf8)) }
    #expect(
      seen == [
        Array("a".utf8), Array("caf\u{E9}".utf8), Array("cafe\u{301}".utf8), Array("\u{FB01}".utf8),
      ])
    var characters: Set<[UInt8]> = []
    try check(.string(of: "xe\u{301}", count: 1...1), settings: settings(1)) { characters.insert(Array($0.utf8)) }
    #expect(characters == [Array("x".utf8), Array("e\u{301}".utf8), Array("\u{E9}".utf8)])
    let given = try forms(.element(of: ["a", "caf\u{E9}"])) { $0.utf8.count == 1 }
    #expect(given == [[swiftSource(of: "caf\u{E9}")]], "\(given)")
  }

  @Test func `a decider that confuses spellings is found with ids from its state`() throws {
    // The set has one spelling, but the rows have two.
    let failure = try #require(
      #expect(throws: PropertyFailure.self) {
        try check(.array(of: .element(of: ["\u{E9}"]), count: 0...6), settings: settings(1)) { (ids: [String]) in
          try ensureEqual(Set(ids).count, Set(ids.map { Array($0.utf8) }).count)
        }
      })
    #expect(failure.input == ["[\"\\u{E9}\", \"e\\u{301}\"]"])
  }

  @Test func `a state with NaN is named in the report of a law`() throws {
    let unmet = try #require(#expect(throws: Unmet.self) { try Mean.ensureReplaysEqually([.noted(0)]) })
    #expect(
      unmet.description.hasSuffix(". Note that the state isn't equal to itself, because mean is Double.nan"), "\(unmet)"
    )
    let resumed = try #require(#expect(throws: Unmet.self) { try Mean.ensureResumesAnywhere([.noted(0)]) })
    #expect(resumed.description.contains("the state isn't equal to itself"))
    // Lists compare rows with NaN by their saved form.
    try Means().ensureAllLaws([.noted(1), .noted(0)])
  }
}

private enum MeanEvent: Event { case noted(Int) }

private struct Mean: Decider, Equatable {
  var (sum, count) = (0.0, 0.0)
  var mean = 0.0

  func decide(_ command: Int) -> [MeanEvent] { [.noted(command)] }

  mutating func evolve(_ event: MeanEvent) {
    guard case .noted(let number) = event else { return }
    if number > 0 { (sum, count) = (sum + Double(number), count + 1) }
    mean = sum / count
  }
}

private struct MeanRow: Row {
  let id: String
  var mean = Double.nan
}

private struct Means: Projection {
  func project(_ event: MeanEvent, into rows: inout Rows<MeanRow>) { rows.insert(MeanRow(id: "mean")) }
}
