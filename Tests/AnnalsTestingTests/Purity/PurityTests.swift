import Annals
import AnnalsTesting
import Foundation
import Testing

enum NoteEvent: Event, Equatable {
  case written(title: String, words: [String])
}

struct NoteRow: Row {
  let id: String
  var text: String
}

/// A projection that reads what it must not, or does not.
struct Notes: Projection {
  enum Mistake: String, CaseIterable {
    case none, hashValue, setOrder, dictionaryOrder, day, localDay, user, chance, trap, trapsAtThree
  }

  var mistake: Mistake

  func project(_ event: NoteEvent, into rows: inout Rows<NoteRow>) {
    guard case .written(let title, let words) = event else { return }
    rows.insert(NoteRow(id: title, text: text(title, words)))
  }

  private func text(_ title: String, _ words: [String]) -> String {
    switch mistake {
    case .none: "\(Set(words).sorted())"
    case .hashValue: "\(title.hashValue)"
    case .setOrder: Set(words).joined(separator: " ")
    case .dictionaryOrder:
      Dictionary(words.map { ($0, 1) }, uniquingKeysWith: +).map(\.key).joined(separator: " ")
    case .day: "\(Int(Date().timeIntervalSince1970) / 86_400)"
    case .localDay:
      "\(Calendar.current.component(.day, from: Date(timeIntervalSince1970: 1_700_000_000)))"
    case .user: ProcessInfo.processInfo.environment["USER"] ?? ""
    case .trap: trap(if: TimeZone.current.secondsFromGMT() > 0)
    case .trapsAtThree: trap(if: words.count > 2)
    case .chance: "\(Int.random(in: 0...1_000_000_000))"
    }
  }
}

private func trap(if condition: Bool) -> String {
  precondition(!condition, "the planted trap")
  return ""
}

/// A decider that refuses by the hour.
struct Counter9To5: Decider {
  enum Rejection: Error { case closed }

  func decide(_ command: String) throws(Rejection) -> [NoteEvent] {
    let hour = Int(Date().timeIntervalSince1970) / 3_600 % 24
    guard (9..<17).contains(hour) else { throw .closed }
    return [.written(title: command, words: [])]
  }

  mutating func evolve(_ event: NoteEvent) {}
}

@Suite struct PurityTests {
  private let histories = Generator<[NoteEvent]>.array(
    of: zip(.element(of: ["a", "b"]), .array(of: .element(of: ["x", "y", "z", "u", "v"]), count: 0...6)).map {
      NoteEvent.written(title: $0, words: $1)
    }, count: 0...4)
  private let settings = CheckSettings(examples: 30, seed: 1, maxShrinks: 60, environment: .patient)

  @Test func `a pure projection and a pure decider are the same in every process`() throws {
    let report = try Notes(mistake: .none).checkPurity(histories, settings: settings)
    // The other processes end in the call above.
    #expect(report.examples == 30)
    #if os(Linux)
      #expect(report.unreached == [])
    #endif
    try Till.checkPurity(
      .int(in: -9...9), after: .array(of: Generator.int(in: 0...9).map { .changed(by: $0) }), settings: settings)
  }

  @Test func `what a projection reads besides its events is found in the world that differs in it`() throws {
    for (mistake, world) in [
      (.hashValue, "with another hash seed"), (.setOrder, "with another hash seed"),
      (.dictionaryOrder, "with another hash seed"), (.localDay, "in another time zone"),
      (.day, "with a clock 9607 hours behind"), (.user, "for another user in another folder"),
      (.chance, "in a second identical process"), (.trap, "in another time zone, the process ended with signal"),
    ] as [(Notes.Mistake, String)] {
      let failure = #expect(throws: PropertyFailure.self, "\(mistake)") {
        try Notes(mistake: mistake).checkPurity(histories, settings: settings)
      }
      let text = "\(failure.map { "\($0)" } ?? "")"
      #expect(text.contains("does not hold: \(world)"), "\(mistake): \(text)")
      #expect(
        text.contains("The result must depend only on the arguments, but it also depends on "), "\(mistake): \(text)")
      if mistake == .localDay {
        let report = text.components(separatedBy: "does not hold: ").last?.components(separatedBy: "\n").first ?? ""
        #expect(try testingGuide().contains(" does not hold: \(report)\n"), "\(report)")
      }
      switch mistake {
      case .setOrder, .dictionaryOrder: #expect(failure?.input.first?.contains("words: [\"") == true, "\(text)")
      default: #expect(failure?.input == ["[.written(title: \"a\", words: [])]"], "\(mistake): \(text)")
      }
    }
  }

  @Test func `a decider that refuses by the hour is found`() throws {
    let failure = try #require(
      #expect(throws: PropertyFailure.self) {
        try Counter9To5.checkPurity(.element(of: ["a", "b"]), after: .constant([]), settings: settings)
      })
    #expect(failure.input == ["([], \"a\")"])
    let text = failure.description
    #expect(text.contains("does not hold: with a clock 96"), "\(text)")
    #expect(text.contains("the refusal .closed") && text.contains("[.written("), "\(text)")
    #expect(
      text.contains(
        "The result must depend only on the arguments, but it also depends on the time, for example through Date()"),
      "\(text)")
  }

  @Test func `a trap is found, and shrunk to the smallest history that traps`() throws {
    let failure = #expect(throws: PropertyFailure.self) {
      try Notes(mistake: .trapsAtThree).checkPurity(
        histories, worlds: [], settings: CheckSettings(examples: 100, seed: 1, maxShrinks: 60, environment: .patient))
    }
    #expect(failure?.input == ["[.written(title: \"a\", words: [\"x\", \"x\", \"x\"])]"])
    #expect(failure?.description.contains("a separate process ended with signal ") == true)
  }

  @Test func `a generator that reads something is found too`() throws {
    let names = Generator<String> { _ in TimeZone.current.identifier }
    let failure = #expect(throws: PropertyFailure.self) {
      try Purity.check(names, worlds: [.timeZone], settings: settings) { _ in 1 }
    }
    #expect(failure?.description.contains("in another time zone, the generator returns a different value") == true)
  }

  @Test func `a world of your own, errors as answers, and cases without a verdict`() throws {
    struct Unlucky: Error {}
    let own = Purity.World("for a rich user", variables: ["WEALTH": "9"])
    let report = try Purity.check(.int(in: 0...9), worlds: [own], settings: settings) { number in
      try assume(number != 3)
      guard number > 4 else { throw Unlucky() }
      return number
    }
    #expect(report.discarded > 0 && report.examples == 30)
    let failure = #expect(throws: PropertyFailure.self) {
      try Purity.check(.int(in: 0...9), worlds: [own], settings: settings) { number in
        if number > 2, ProcessInfo.processInfo.environment["WEALTH"] != nil { throw Unlucky() }
      }
    }
    #expect(failure?.input == ["3"])
    #expect(failure?.description.contains("for a rich user, the result is \"the error Unlucky()\"") == true)
  }

  @Test func `a process that cannot be started or asks for nothing is a mistake in the check, with what to do`() {
    for (path, text) in [
      ("/no/such/program", "/no/such/program can't be started"),
      (
        "/bin/sh",
        "a separate process (with plain settings) exited before it was ready: /bin/sh -c exit. Call the check "
          + "from a Swift Testing test that `swift test` runs"
      ),
    ] {
      let error = #expect(throws: CheckError.self) {
        try Purity.check(
          .bool, worlds: [], launch: .executable(path, path == "/bin/sh" ? ["-c", "exit"] : []), settings: settings
        ) { $0 }
      }
      #expect(error?.description.contains(text) == true, "\(error?.description ?? "")")
    }
  }
}
