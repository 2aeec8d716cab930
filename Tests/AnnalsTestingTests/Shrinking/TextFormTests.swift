import AnnalsTesting
import Testing

/// Strings that fail: every problem has one smallest form, for every seed.
@Suite struct TextFormTests {
  private func forms(_ generator: Generator<String>, _ holds: (String) -> Bool) throws -> [String: Int] {
    var forms: [String: Int] = [:]
    for seed in 1...60 as ClosedRange<UInt64> {
      let settings = CheckSettings(examples: 50_000, seed: seed, environment: .patient)
      let failure = #expect(throws: PropertyFailure.self) { try check(generator, settings: settings, holds) }
      forms[failure?.input.joined() ?? "", default: 0] += 1
    }
    return forms
  }

  @Test func `a string that is too long becomes letters, in whatever unit its length is counted`() throws {
    for count in [1, 2, 4, 7] {
      let letters = "\"" + String(repeating: "a", count: count) + "\""
      #expect(try forms(.string()) { $0.count < count } == [letters: 60])
      #expect(try forms(.string()) { $0.unicodeScalars.count < count } == [letters: 60])
      #expect(try forms(.string()) { $0.utf16.count < count } == [letters: 60])
      #expect(try forms(.string()) { $0.utf8.count < count } == [letters: 60])
    }
    #expect(try forms(.string(count: 2...6)) { $0.count < 4 } == ["\"aaaa\"": 60])
    #expect(try forms(.string(of: "aé😀x")) { $0.utf8.count < 5 } == ["\"aaaaa\"": 60])
    #expect(try forms(.string(of: "aé😀x")) { $0.count < 5 } == ["\"aaaaa\"": 60])
  }

  @Test func `a string whose parts matter keeps these parts alone`() throws {
    #expect(try forms(.string()) { !$0.contains("-") } == ["\"-\"": 60])
    #expect(try forms(.string()) { !$0.contains("/") || $0.count < 3 } == ["\"aa/\"": 60])
    #expect(try forms(.string()) { !$0.contains("%@") } == ["\"%@\"": 60])
    #expect(try forms(.string()) { !$0.contains("null") } == ["\"null\"": 60])
    #expect(try forms(.string()) { !$0.unicodeScalars.contains("\u{301}") } == [swiftSource(of: "\u{301}"): 60])
    #expect(try forms(.string()) { !$0.unicodeScalars.contains("\u{200D}") } == [swiftSource(of: "\u{200D}"): 60])
    #expect(try forms(.string()) { !$0.contains("\r\n") } == [swiftSource(of: "\r\n"): 60])
    #expect(try forms(.string()) { $0.unicodeScalars.allSatisfy(\.isASCII) } == [swiftSource(of: "\u{E9}"): 60])
    #expect(try forms(.string()) { $0.allSatisfy { $0.isASCII } || $0.count < 2 } == [swiftSource(of: "a\u{E9}"): 60])
  }
}
