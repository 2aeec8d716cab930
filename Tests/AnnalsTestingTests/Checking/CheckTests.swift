import AnnalsTesting
import Foundation
import Testing

@Suite struct CheckTests {
  private let settings = CheckSettings(examples: 200, seed: 11, environment: .patient)

  private func failure(_ body: () throws -> Void) -> PropertyFailure? {
    #expect(throws: PropertyFailure.self) { try body() }
  }

  @Test func `a property that holds is checked as often as was asked for`() throws {
    var count = 0
    let report = try check(.int(), settings: CheckSettings(examples: 37, seed: 1, environment: .patient)) { _ in
      count += 1
    }
    #expect(count == 37)
    #expect(report.examples == 37 && report.discarded == 0 && report.seed == 1)
  }

  @Test func `without a seed each run has another one, and the report and the failure name it`() throws {
    let seeds = try (0..<4).map { _ in
      try check(.int(), settings: CheckSettings(examples: 1, environment: .patient)) { _ in }.seed
    }
    #expect(Set(seeds).count == 4)
    let failure = failure {
      try check(.int(), settings: CheckSettings(examples: 200, environment: .patient)) { _ in false }
    }
    let seed = try #require(failure?.report.seed)
    #expect(failure?.description.contains("(seed \(seed))") == true)
    #expect(
      try check(.int(), settings: CheckSettings(examples: 200, seed: seed, environment: .patient)) { _ in }.seed == seed
    )
  }

  @Test(arguments: 1...6)
  func `every value on the way to the smallest is one that the generator makes`(seed: UInt64) {
    // One property for each way to combine generators. What must hold is beside each.
    let range = Generator { draw in
      let low = try draw(.int(in: 0...99))
      return low...(try draw(.int(in: low...99)))
    }
    let even = Generator<Int>.int(in: -500...500).filter { $0 % 2 == 0 }
    let square = Generator<Int>.int(in: 1...30).map { $0 * $0 }
    let list = Generator<Int>.int(in: 2...9).flatMap { .array(of: .int(in: 1...$0), count: $0...$0 + 1) }
    let word = Generator<String>.element(of: ["seven", "eight"])
    let all = zip(range, .array(of: even, count: 1...5), .set(of: square, count: 1...3), list)
    var tried = 0
    let settings = CheckSettings(examples: 200, seed: seed, environment: .patient)
    let failure = failure {
      try check(all, word.optional(), settings: settings) { all, word in
        let (range, evens, squares, list) = all
        tried += 1
        // Recorded as an issue, because a failure of the property would itself be shrunk.
        #expect((0...99).contains(range.lowerBound) && (0...99).contains(range.upperBound))
        #expect((1...5).contains(evens.count) && evens.allSatisfy { $0 % 2 == 0 && (-500...500).contains($0) })
        #expect((1...3).contains(squares.count))
        #expect(squares.allSatisfy { square in (1...30).contains { $0 * $0 == square } })
        #expect((2...10).contains(list.count) && list.allSatisfy { (1...list.count).contains($0) })
        #expect(word.map { ["seven", "eight"].contains($0) } ?? true)
        return range.count < 5 || evens.reduce(0, +) < 20 || squares.reduce(0, +) < 30 || list.count < 4 || word == nil
      }
    }
    #expect((failure?.shrinks ?? 0) > 5 && tried > 20)
  }

  @Test func `false, a thrown error and an unmet demand are failures`() throws {
    enum Mistake: Error { case made }
    #expect(failure { try check(.int(), settings: settings) { $0 < 100 } }?.input == ["100"])
    let thrown = failure { try check(.int(), settings: settings) { if $0 >= 100 { throw Mistake.made } } }
    #expect(thrown?.input == ["100"] && thrown?.error is Mistake)
    let unmet = failure { try check(.int(), settings: settings) { try ensureEqual(min($0, 5), $0) } }
    #expect(unmet?.input == ["6"])
    #expect((unmet?.error as? Unmet)?.description == "expected 6, found 5")
  }

  @Test func `the report says what failed, how, and how to see it again`() throws {
    let failure = failure {
      try check(.string(), .array(of: .int(in: 0...9)), .bool, settings: settings) { text, numbers, flag in
        note("\(numbers.count) numbers")
        try ensure(text.isEmpty || numbers.count < 2, "too much")
        _ = flag
      }
    }
    let report = "\(try #require(failure))"
    #expect(failure?.input == ["\"a\"", "[0, 0]", "false"])
    #expect(failure?.notes == ["2 numbers"])
    #expect(report.contains("does not hold: too much"))
    #expect(report.contains("ANNALS_REPLAY=\(failure?.token ?? "?")") && report.contains("seed 11"))
    #expect(report.contains("CheckTests.swift"))
  }

  @Test func `a token runs the failing case again and nothing else`() throws {
    let token = failure { try check(.int(), settings: settings) { $0 < 100 } }?.token
    var seen: [Int] = []
    let again = CheckSettings(replay: token, environment: .patient)
    let replayed = failure {
      try check(.int(), settings: again) {
        seen.append($0)
        return $0 < 100
      }
    }
    #expect(Set(seen) == [100] && replayed?.input == ["100"] && replayed?.token == token)
    #expect(try check(.int(), settings: again) { _ in true }.examples == 1)
  }

  @Test func `a token in the environment concerns the property that it is from`() throws {
    let token = failure { try check(.int(), settings: settings) { $0 < 100 } }?.token ?? ""
    let environment = ["ANNALS_REPLAY": token]
    #expect(try check(.int(), settings: CheckSettings(environment: environment)) { _ in true }.examples == 1)
    let other = try check(.int(), settings: CheckSettings(examples: 200, environment: environment), function: "another")
    { _ in true }
    #expect(other.examples == 200)
  }

  @Test(arguments: ["", "a1.", "a1.AAAA", "a2.AAAAAAAA", "b1.AAAAAAAA", "a1.!!!!!!!!!!"])
  func `a token that is none is refused with a sentence`(token: String) throws {
    #expect(throws: CheckError.self) {
      try check(.int(), settings: CheckSettings(replay: token, environment: .patient)) { _ in true }
    }
  }

  @Test func `a token with a wrong letter is refused`() throws {
    let token = failure { try check(.int(), settings: settings) { $0 < 100 } }?.token ?? ""
    for place in 3..<token.count {
      var letters = Array(token)
      letters[place] = letters[place] == "A" ? "B" : "A"
      guard String(letters) != token else { continue }
      // The last letter can have bits that belong to no byte.
      if place == token.count - 1 { continue }
      #expect(throws: CheckError.self) {
        try check(.int(), settings: CheckSettings(replay: String(letters), environment: .patient)) { _ in true }
      }
    }
  }

  @Test func `the environment has the last word`() throws {
    let environment = ["ANNALS_EXAMPLES": "3", "ANNALS_SEED": "99", "ANNALS_MAX_SHRINKS": "0"]
    let settings = CheckSettings(examples: 50, seed: 1, environment: environment)
    let report = try check(.int(), settings: settings) { _ in true }
    #expect(report.examples == 3 && report.seed == 99)
    let failure = failure { try check(.int(in: 1...1_000), settings: settings) { _ in false } }
    #expect(failure?.shrinks == 0)
    #expect(throws: CheckError.self) {
      try check(.int(), settings: CheckSettings(environment: ["ANNALS_EXAMPLES": "many"])) { _ in true }
    }
  }

  @Test func `shrinking ends when its time is up, and the report says that there may be a smaller case`() {
    func failure(_ time: Duration) -> PropertyFailure? {
      #expect(throws: PropertyFailure.self) {
        try check(
          .array(of: .int(in: 0...1_000)),
          settings: CheckSettings(examples: 200, seed: 2, shrinkTime: time, environment: [:])
        ) { $0.reduce(0, +) < 2_000 }
      }
    }
    let hurried = failure(.zero)
    #expect(hurried?.isSmallest == false && hurried?.shrinks == 0)
    #expect(hurried?.description.contains("Smallest input so far (shrinking ran out of time or tries), after") == true)
    let patient = failure(.seconds(600))
    #expect(patient?.isSmallest == true && patient?.input == ["[1000, 1000]"])
    let named = ["ANNALS_SHRINK_SECONDS": "0"]
    let timed = #expect(throws: PropertyFailure.self) {
      try check(.int(in: 0...1_000), settings: CheckSettings(examples: 200, seed: 2, environment: named)) { $0 < 10 }
    }
    #expect(timed?.isSmallest == false)
  }

  @Test func `equal values come together more often than chance brings them`() {
    let failure = #expect(throws: PropertyFailure.self) {
      try check(
        .array(of: .int(in: 1_000...1_000_000_000)),
        settings: CheckSettings(examples: 3_000, seed: 1, environment: .patient)
      ) {
        let distant = $0.filter { $0 > 1_000_000 }
        return Set(distant).count == distant.count
      }
    }
    #expect(failure?.input == ["[1000001, 1000001]"])
  }

  @Test func `a choice of a token that no longer fits becomes the simplest`() throws {
    let failure = #expect(throws: PropertyFailure.self) {
      try check(.int(in: 0...100), settings: CheckSettings(examples: 5_000, seed: 1, environment: .patient)) {
        $0 != 50
      }
    }
    #expect(failure?.input == ["50"])
    // The generator has become narrower since then.
    var seen: [Int] = []
    try check(.int(in: 5...10), settings: CheckSettings(replay: failure?.token, environment: .patient)) {
      seen.append($0)
    }
    #expect(seen == [5])
  }

  @Test func `assumptions that hardly ever hold end the check with a sentence`() throws {
    let report = try check(.int(in: 0...9), settings: settings) { try assume($0 < 8) }
    #expect(report.examples == 200 && report.discarded > 10)
    let failure = failure { try check(.int(), settings: settings) { try assume($0 == 123_456_789) } }
    #expect(failure?.kind == .tooManyDiscards)
    #expect("\(failure.map { "\($0)" } ?? "")".contains("rejected too many values"))
  }

  /// The reason that the report of a check without verdicts names.
  private func reason<Value>(_ generator: Generator<Value>) -> String {
    let failure = #expect(throws: PropertyFailure.self) {
      try check(generator, settings: CheckSettings(examples: 20, seed: 1, environment: .patient)) { _ in true }
    }
    #expect(failure?.kind == .tooManyDiscards)
    return failure.map { "\($0)" } ?? ""
  }

  private enum Nothing: CaseIterable {}

  @Test func `the report of a generator without a value names it, with the reason`() {
    let place = "at AnnalsTestingTests/CheckTests.swift:"
    let digits = Generator<Int>.int(in: 0...3)
    let none = Generator<Int>.element(of: [])
    for inside in [
      reason(none), reason(.array(of: none, count: 2)), reason(zip(digits, none)), reason(none.map { $0 + 1 }),
      reason(digits.flatMap { _ in none }), reason(.oneOf(none, none)), reason(none.filter { _ in true }),
      reason(.set(of: none, count: 1...2)),
    ] {
      #expect(inside.contains("Generator<Int>.element(of:) \(place)"), "\(inside)")
      #expect(inside.contains("has no value: the collection is empty"), "\(inside)")
      #expect(!inside.contains("too narrow"))
    }
    let set = reason(.set(of: digits, count: 10...10))
    #expect(set.contains("set(of:count:) \(place)") && set.contains("at least 10 different elements"), "\(set)")
    #expect(set.contains("produced only 4 in"), "\(set)")
    let keys = reason(.dictionary(of: digits, to: .bool, count: 5...9))
    #expect(keys.contains("dictionary(of:to:count:) \(place)") && keys.contains("at least 5 different keys"), "\(keys)")
    #expect(reason(Generator<Nothing>.anyCase()).contains("anyCase() \(place)"))
    #expect(reason(Generator<Int>.oneOf()).contains("oneOf(_:) \(place)"))
    #expect(reason(Generator<Int>.frequency()).contains("no generator was passed"))
    #expect(reason(.frequency((0, digits))).contains("the only weight is 0"))
    #expect(reason(.frequency((0, digits), (0, digits))).contains("all 2 weights are 0"))
    #expect(reason(.frequency((2, digits), (-1, digits))).contains("a weight must be at least 0 (was -1)"))
    #expect(reason(.frequency((.max, digits), (1, digits))).contains("the sum of the weights must be less than 2^63"))
    #expect(reason(.string(of: "", count: 1...2)).contains("Generator<Character>.element(of:) \(place)"))
    #expect(reason(.array(of: digits, count: -1)).contains("expected a count of at least 0 elements, found -1...-1"))
    #expect(reason(.string(count: -2...1)).contains("-2...1"))
    #expect(reason(.double(in: 0...Double.infinity)).contains("expected a range with finite ends"))
    let instant = Date(timeIntervalSinceReferenceDate: 0.000_000_3)
    #expect(reason(.date(in: instant...instant)).contains("expected a range that contains a whole microsecond"))
  }

  @Test func `the report of a filter or an assumption that is too narrow names it`() throws {
    let filter = reason(Generator<Int>.int(in: 0...9).filter { $0 > 9 })
    #expect(filter.contains("Generator<Int>.filter(_:) at AnnalsTestingTests/CheckTests.swift:"), "\(filter)")
    #expect(filter.contains("too narrow"))
    let failure = #expect(throws: PropertyFailure.self) {
      try check(.int(), settings: CheckSettings(examples: 20, seed: 1, environment: .patient)) { _ in
        try assume(false)
        return true
      }
    }
    #expect("\(failure.map { "\($0)" } ?? "")".contains("201: an assumption rejected too many values"))
    let long = #expect(throws: PropertyFailure.self) {
      try check(
        .array(of: .int(), count: 100),
        settings: CheckSettings(examples: 20, seed: 1, maxChoices: 64, environment: .patient)
      ) { _ in true }
    }
    #expect("\(long.map { "\($0)" } ?? "")".contains("needs more than 64 choices"))
  }

  @Test func `a generator of weight 0 is left out`() throws {
    var seen: Set<Int> = []
    let generator = Generator<Int>.frequency((0, .constant(1)), (3, .constant(2)), (0, .element(of: [])))
    try check(generator, settings: CheckSettings(examples: 50, seed: 1, environment: .patient)) {
      seen.insert($0)
      return true
    }
    #expect(seen == [2])
  }

  @Test func `without a number of examples a check takes 0.3 seconds or more`() throws {
    func duration(_ settings: CheckSettings) throws -> (examples: Int, time: Duration) {
      let start = ContinuousClock.now
      return (try check(.int(), settings: settings) { _ in true }.examples, ContinuousClock.now - start)
    }
    let quick = try duration(CheckSettings(environment: .patient))
    #expect(quick.examples >= 200 && quick.time >= .milliseconds(300))
    var settings = CheckSettings(environment: .patient)
    settings.examples = 7
    #expect(settings.time == nil)
    #expect(try duration(settings).examples == 7)
    #expect(try duration(CheckSettings(environment: ["ANNALS_EXAMPLES": "9"])).examples == 9)
    // A duration that was chosen stays.
    settings = CheckSettings(time: .milliseconds(1), environment: .patient)
    settings.examples = 7
    #expect(settings.time == .milliseconds(1))
  }

  @Test func `what must happen sometimes and never does fails the check`() throws {
    let report = try check(.int(in: 0...9), settings: settings) { number in
      sometimes(number > 5, "large")
      tally(number.isMultiple(of: 2) ? "even" : "odd")
    }
    #expect(report.occurrences["large"] ?? 0 > 40)
    #expect((report.occurrences["even"] ?? 0) + (report.occurrences["odd"] ?? 0) == 200)
    #expect(report.description.contains("even"))
    let failure = failure { try check(.int(in: 0...9), settings: settings) { sometimes($0 > 9, "ten") } }
    #expect(failure?.kind == .neverHappened)
    #expect("\(failure.map { "\($0)" } ?? "")".contains("ten"))
  }

  @Test func `a score steers the search`() throws {
    let pair = Generator.array(of: .int(in: 0...1_000_000), count: 4)
    func found(steered: Bool) -> Bool {
      let settings = CheckSettings(examples: 4_000, seed: 5, environment: .patient)
      do {
        try check(pair, settings: settings) { numbers in
          if steered { target(Double(numbers.reduce(0, +))) }
          return numbers.reduce(0, +) < 3_999_000
        }
        return false
      } catch { return true }
    }
    #expect(found(steered: true) && !found(steered: false))
  }

  @Test func `a score leads to one number among a billion, by large steps and by small ones`() throws {
    let settings = CheckSettings(examples: 20_000, seed: 1, maxShrinks: 1, environment: .patient)
    #expect(throws: PropertyFailure.self) {
      try check(.int(in: 0...1_000_000_000), settings: settings) { number in
        target(-Double((number - 654_321_987).magnitude))
        return number != 654_321_987
      }
    }
  }

  @Test func `a property that fails once and passes again is called flaky`() throws {
    var count = 0
    let failure = failure {
      try check(.int(in: 0...9), settings: settings) { _ in
        count += 1
        return count != 20
      }
    }
    #expect(failure?.kind == .flaky)
  }

  @Test func `another failure on the way does not replace the first, and is reported`() throws {
    enum Mistake: Error { case large, small }
    var inputs: [Mistake: Set<String>] = [:]
    var others = 0
    for seed in 0..<60 as Range<UInt64> {
      let settings = CheckSettings(examples: 2_000, seed: seed, environment: .patient)
      let failure = failure {
        try check(.int(in: 0...1_000_000), settings: settings) { number in
          if number > 900_000 { throw Mistake.large }
          // Half of a large number is in this range.
          if (450_000...500_000).contains(number) { throw Mistake.small }
        }
      }
      let mistake = try #require(failure?.error as? Mistake)
      inputs[mistake, default: []].insert(failure?.input.first ?? "")
      if mistake == .large { others += failure?.others.count ?? 0 }
    }
    #expect(inputs == [.large: ["900001"], .small: ["450000"]])
    #expect(others > 0)
  }

  @Test func `a known failure is run first, and forgotten when it passes`() throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("annals-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    var settings = settings
    settings.failures = directory.path
    var seen: [Int] = []
    func property(_ limit: Int) throws {
      try check(.int(), settings: settings, function: "known") {
        seen.append($0)
        return $0 <= limit
      }
    }
    let first = failure { try property(99) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 1)
    seen = []
    #expect(failure { try property(99) }?.report.examples == 0)
    #expect(seen.first == 100 && first?.input == ["100"])
    try property(Int.max)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
    settings.environment = ["ANNALS_FAILURES": "off"]
    #expect(failure { try property(99) } != nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
  }
}
