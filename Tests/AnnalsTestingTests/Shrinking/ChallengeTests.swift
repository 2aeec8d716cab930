import AnnalsTesting
import Testing

/// The problems of the shrinking challenge: each has one smallest form, whatever the seed.
@Suite struct ChallengeTests {
  private func forms<Value>(
    _ generator: Generator<Value>, seeds: Range<UInt64> = 0..<12, _ holds: (Value) throws -> Bool
  ) throws -> Set<String> {
    var forms: Set<String> = []
    for seed in seeds {
      let settings = CheckSettings(examples: 100_000, seed: seed, environment: [:])
      let failure = #expect(throws: PropertyFailure.self) { try check(generator, settings: settings, holds) }
      forms.insert(failure?.input.joined(separator: "\n") ?? "")
      #expect(failure?.shrinkTries ?? 0 < 1_000)
    }
    return forms
  }

  @Test func `a reversed list shrinks to zero and one`() throws {
    let forms = try forms(.array(of: .int(in: -1_000...1_000))) { $0 == $0.reversed() }
    #expect(forms == ["[0, 1]"])
  }

  @Test func `a large union shrinks to one list of five numbers`() throws {
    let lists = Generator.array(of: .array(of: .int()))
    let forms = try forms(lists) { Set($0.joined()).count <= 4 }
    #expect(forms == ["[[0, 1, -1, 2, -2]]"])
  }

  @Test func `a length that is drawn first shrinks with its list`() throws {
    let lists = Generator<Int>.int(in: 1...100).flatMap { .array(of: .int(in: 0...1_000), count: $0) }
    let forms = try forms(lists) { ($0.max() ?? 0) < 900 }
    #expect(forms == ["[900]"])
  }

  @Test func `sums that overflow shrink to two numbers`() throws {
    let list = Generator<[Int16]>.array(of: .integer(in: Int16.min...Int16.max), count: 0...1).filter { list in
      list.reduce(0 as Int) { $0 + Int($1) } < 256
    }
    let forms = try forms(.array(of: list, count: 5)) { lists in
      lists.joined().reduce(0 as Int16) { $0 &+ $1 } < 5 * 256
    }
    #expect(forms == ["[[], [], [], [-1], [-32768]]"])
  }

  @Test func `nested lists shrink to the flattest`() throws {
    let lists = Generator.array(of: .array(of: .int()))
    let forms = try forms(lists) { $0.map(\.count).reduce(0, +) <= 10 }
    #expect(forms == ["[[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]"])
  }

  @Test func `a number that counts its list shrinks with the list`() throws {
    for seed in 0..<12 as Range<UInt64> {
      // Only a long list begins the shrinking; then every such list fails.
      var isFound = false
      let settings = CheckSettings(examples: 100_000, seed: seed, environment: [:])
      let failure = #expect(throws: PropertyFailure.self) {
        try check(.array(of: .int(in: 0...40)), settings: settings) { list in
          isFound = isFound || list.count > 4 && list.last == list.count + 10
          return !isFound || list.last != list.count + 10
        }
      }
      #expect(failure?.input == ["[11]"])
    }
  }

  @Test func `a double of any kind shrinks to a whole number`() throws {
    let forms = try forms(.double, seeds: 0..<40) { !($0 >= 1_000) }
    #expect(forms == ["1000.0"])
  }

  @Test func `another alternative takes the place of a larger one`() throws {
    let value = Generator<Int>.oneOf(.int(in: 0...1_000), Generator.array(of: .int(in: 0...9)).map { $0.reduce(0, +) })
    let forms = try forms(value.map { [$0] }, seeds: 0..<40) { $0[0] < 17 }
    #expect(forms == ["[17]"])
  }

  @Test func `three distinct numbers are the smallest three`() throws {
    let forms = try forms(.array(of: .int())) { Set($0).count < 3 }
    #expect(forms == ["[0, 1, -1]"])
  }

  @Test func `a deletion that forgets an equal neighbour shrinks to two zeros`() throws {
    let lists = Generator<[Int]>.array(of: .int(in: 0...1_000), count: 1...50).flatMap { list in
      zip(.constant(list), .int(in: 0...(list.count - 1)))
    }
    let forms = try forms(lists) { list, place in
      var rest = list
      if let first = rest.firstIndex(of: list[place]) { rest.remove(at: first) }
      return !rest.contains(list[place])
    }
    #expect(forms == ["([0, 0], 0)"])
  }

  @Test func `numbers that point to places of their list shrink to two that point to each other`() throws {
    let lists = Generator<Int>.int(in: 1...20).flatMap { .array(of: .int(in: 0...($0 - 1)), count: $0) }
    let forms = try forms(lists) { list in
      list.indices.allSatisfy { list[$0] == $0 || list[list[$0]] != $0 }
    }
    #expect(forms == ["[1, 0]"])
  }

  @Test(arguments: [(0, "10|10"), (1, "10|9"), (4, "10|6")])
  func `two numbers with a difference shrink to the smallest pair`(difference: Int, form: String) throws {
    var forms: Set<String> = []
    for seed in 0..<8 as Range<UInt64> {
      let settings = CheckSettings(examples: 300_000, seed: seed, environment: [:])
      let number = Generator<Int>.int(in: 1...1_000)
      let failure = #expect(throws: PropertyFailure.self) {
        try check(number, number, settings: settings) { $0 < 10 || abs($0 - $1) != difference }
      }
      forms.insert(failure?.input.joined(separator: "|") ?? "")
    }
    #expect(forms == [form])
  }

  private indirect enum Term {
    case number(Int)
    case sum(Term, Term)
    case quotient(Term, Term)

    func value() throws -> Int {
      switch self {
      case .number(let number): return number
      case .sum(let left, let right): return try left.value() &+ right.value()
      case .quotient(let left, let right):
        let (dividend, divisor) = (try left.value(), try right.value())
        try ensure(divisor != 0, "division by zero")
        return dividend / divisor
      }
    }

    var dividesByZeroLiterally: Bool {
      switch self {
      case .number: false
      case .sum(let left, let right): left.dividesByZeroLiterally || right.dividesByZeroLiterally
      case .quotient(_, .number(0)): true
      case .quotient(let left, let right): left.dividesByZeroLiterally || right.dividesByZeroLiterally
      }
    }
  }

  @Test func `a calculator's division by a sum of zeros shrinks to the smallest term`() throws {
    let term = Generator<Term>.recursive(Generator.int(in: -100...100).map { .number($0) }) { inner in
      .oneOf(zip(inner, inner).map { .sum($0, $1) }, zip(inner, inner).map { .quotient($0, $1) })
    }
    let forms = try forms(term) { term in
      try assume(!term.dividesByZeroLiterally)
      _ = try term.value()
      return true
    }
    #expect(forms == [".quotient(.number(0), .sum(.number(0), .number(0)))"])
  }
}
