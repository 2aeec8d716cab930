import AnnalsTesting
import Foundation
import Testing

/// The problems of the shrinking challenge (github.com/jlink/shrinking-challenge).
///
/// Each has one smallest form, for every seed. `ANNALS_CHALLENGE_SEEDS=100` runs that many seeds, and prints the means
/// beside the results of other libraries there. `Docs/Evidence/Shrinking.md` shows them in a table.
@Suite struct ChallengeTests {
  private static let seeds = ProcessInfo.processInfo.environment["ANNALS_CHALLENGE_SEEDS"].flatMap { UInt64($0) }

  private func forms<Value>(
    _ generator: Generator<Value>, seeds: Range<UInt64> = 0..<12, within evaluations: Int = 1_000,
    name: String = #function, published: String = "", _ holds: (Value) throws -> Bool
  ) throws -> Set<String> {
    try forms(seeds: seeds, within: evaluations, name: name, published: published) {
      try check(generator, settings: $0, holds)
    }
  }

  private func forms(
    seeds: Range<UInt64> = 0..<12, within evaluations: Int = 1_000, name: String = #function, published: String = "",
    _ check: (CheckSettings) throws -> Void
  ) throws -> Set<String> {
    var forms: Set<String> = []
    var all: [Int] = []
    for seed in Self.seeds.map({ 0..<$0 }) ?? seeds {
      let settings = CheckSettings(examples: 300_000, seed: seed, environment: [:])
      let failure = #expect(throws: PropertyFailure.self) { try check(settings) }
      forms.insert(failure?.input.joined(separator: "|") ?? "")
      all.append(failure?.shrinkTries ?? 0)
    }
    let mean = all.reduce(0, +) / max(all.count, 1)
    #expect(mean <= evaluations)
    if Self.seeds != nil {
      print(
        "\(name): \(forms.count) form of \(all.count) seeds, \(mean) evaluations"
          + (published.isEmpty ? "" : "; published: \(published)"))
    }
    return forms
  }

  @Test func `a reversed list shrinks to zero and one`() throws {
    let forms = try forms(.array(of: .int(in: -1_000...1_000)), within: 45, published: "Hypothesis 46, elm-test 142") {
      $0 == $0.reversed()
    }
    #expect(forms == ["[0, 1]"])
  }

  @Test func `a large union shrinks to one list of five numbers`() throws {
    let lists = Generator.array(of: .array(of: .int()))
    let forms = try forms(lists, within: 500, published: "Hypothesis 341, elm-test 636") { Set($0.joined()).count <= 4 }
    #expect(forms == ["[[0, 1, -1, 2, -2]]"])
  }

  @Test func `a length that is drawn first shrinks with its list`() throws {
    let lists = Generator<Int>.int(in: 1...100).flatMap { .array(of: .int(in: 0...1_000), count: $0) }
    let forms = try forms(lists, within: 170, published: "Hypothesis 85, elm-test 1266") { ($0.max() ?? 0) < 900 }
    #expect(forms == ["[900]"])
  }

  @Test func `sums that overflow shrink to two numbers`() throws {
    let list = Generator<[Int16]>.array(of: .integer(in: Int16.min...Int16.max), count: 0...1).filter { list in
      list.reduce(0 as Int) { $0 + Int($1) } < 256
    }
    let forms = try forms(.array(of: list, count: 5), within: 580) { lists in
      lists.joined().reduce(0 as Int16) { $0 &+ $1 } < 5 * 256
    }
    #expect(forms == ["[[], [], [], [-1], [-32768]]"])
  }

  @Test func `sums of lists of any length that overflow shrink to two numbers in the last list`() throws {
    let list = Generator<[Int16]>.array(of: .integer(in: Int16.min...Int16.max)).filter { list in
      list.reduce(0 as Int) { $0 + Int($1) } < 256
    }
    let forms = try forms(
      .array(of: list, count: 5), within: 750, published: "Hypothesis 137, elm-test 475 (many forms)"
    ) { lists in
      lists.joined().reduce(0 as Int16) { $0 &+ $1 } < 5 * 256
    }
    #expect(forms == ["[[], [], [], [], [-1, -32768]]"])
  }

  @Test func `what is wrong in a part shrinks to the part alone, in the simplest place`() throws {
    let plain = Generator<[Int]>.array(of: .int(in: 0...999))
    let pairs = Generator<[(Bool, Int)]>.array(of: zip(.bool, .int(in: 0...999)))
    let forms = try forms(seeds: 0..<40, within: 130) { settings in
      try check(plain, pairs, settings: settings) { numbers, pairs in
        !(numbers + pairs.map(\.1)).contains { $0 > 36 }
      }
    }
    #expect(forms == ["[37]|[]"])
  }

  @Test func `nested lists shrink to the flattest`() throws {
    let lists = Generator.array(of: .array(of: .int()))
    let forms = try forms(lists, within: 430, published: "elm-test 1015") { $0.map(\.count).reduce(0, +) <= 10 }
    #expect(forms == ["[[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]"])
  }

  @Test func `a number that counts its list shrinks with the list`() throws {
    for seed in 0..<12 as Range<UInt64> {
      // Only a long list starts the shrinking; after that every such list fails.
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
    let forms = try forms(.double, seeds: 0..<40, within: 140) { !($0 >= 1_000) }
    #expect(forms == ["1000.0"])
  }

  @Test func `another alternative takes the place of a larger one`() throws {
    let value = Generator<Int>.oneOf(.int(in: 0...1_000), Generator.array(of: .int(in: 0...9)).map { $0.reduce(0, +) })
    let forms = try forms(value.map { [$0] }, seeds: 0..<40, within: 56) { $0[0] < 17 }
    #expect(forms == ["[17]"])
  }

  @Test func `three distinct numbers are the smallest three`() throws {
    let forms = try forms(.array(of: .int()), within: 92, published: "elm-test 295") { Set($0).count < 3 }
    #expect(forms == ["[0, 1, -1]"])
  }

  @Test func `a deletion that forgets an equal neighbour shrinks to two zeros`() throws {
    let lists = Generator<[Int]>.array(of: .int(in: 0...1_000), count: 1...50).flatMap { list in
      zip(.constant(list), .int(in: 0...(list.count - 1)))
    }
    let forms = try forms(lists, within: 80, published: "elm-test 1104") { list, place in
      var rest = list
      if let first = rest.firstIndex(of: list[place]) { rest.remove(at: first) }
      return !rest.contains(list[place])
    }
    #expect(forms == ["([0, 0], 0)"])
  }

  @Test func `numbers that point to places of their list shrink to two that point to each other`() throws {
    let lists = Generator<Int>.int(in: 1...20).flatMap { .array(of: .int(in: 0...($0 - 1)), count: $0) }
    let forms = try forms(lists, within: 118, published: "elm-test 841 (9 forms)") { list in
      list.indices.allSatisfy { list[$0] == $0 || list[list[$0]] != $0 }
    }
    #expect(forms == ["[1, 0]"])
  }

  @Test(arguments: [("zero", 0...0, "10|10", 510), ("one", 1...1, "10|9", 367), ("small", 1...4, "10|6", 244)])
  func `two numbers with a difference shrink to the smallest pair`(
    name: String, difference: ClosedRange<Int>, form: String, published: Int
  ) throws {
    let number = Generator<Int>.int(in: 1...1_000)
    let forms = try forms(seeds: 0..<8, within: 220, name: "difference \(name)", published: "elm-test \(published)") {
      settings in
      try check(number, number, settings: settings) { $0 < 10 || !difference.contains(abs($0 - $1)) }
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
    let forms = try forms(term, within: 350, published: "Hypothesis 341, elm-test 1287 (3 forms)") { term in
      try assume(!term.dividesByZeroLiterally)
      _ = try term.value()
      return true
    }
    #expect(forms == [".quotient(.number(0), .sum(.number(0), .number(0)))"])
  }

  private indirect enum Heap: Sendable {
    case empty
    case node(Int, Heap, Heap)

    /// In the order of the challenge: the right branch first.
    var numbers: [Int] {
      switch self {
      case .empty: []
      case .node(let number, let left, let right): [number] + right.numbers + left.numbers
      }
    }

    /// The mistake: below the top nothing is sorted.
    var sortedNumbers: [Int] {
      switch self {
      case .empty: []
      case .node(let number, let left, let right): [number] + left.merged(right).numbers
      }
    }

    func merged(_ other: Heap) -> Heap {
      switch (self, other) {
      case (_, .empty): self
      case (.empty, _): other
      case (.node(let mine, let left, let right), .node(let theirs, _, _)) where mine <= theirs:
        .node(mine, right.merged(other), left)
      case (_, .node(let theirs, let left, let right)): .node(theirs, right.merged(self), left)
      }
    }

    func isOrdered(from least: Int = .min) -> Bool {
      switch self {
      case .empty: true
      case .node(let number, let left, let right):
        least <= number && left.isOrdered(from: number) && right.isOrdered(from: number)
      }
    }
  }

  @Test func `a heap that is sorted wrongly shrinks to the smallest, which no other change of its size leads to`()
    throws
  {
    let heap = Generator<Heap>.recursive(.constant(.empty)) { inner in
      zip(.int(), inner, inner).map { .node($0, $1, $2) }
    }
    let forms = try forms(heap, within: 400, published: "elm-test 1187 (not the smallest)") { heap in
      try assume(heap.isOrdered())
      let sorted = heap.sortedNumbers
      return sorted == heap.numbers.sorted()
    }
    #expect(
      forms == [".node(0, .empty, .node(0, .node(0, .empty, .empty), .node(1, .empty, .empty)))"])
  }

  @Test func `parts that are equally needed stand in order`() throws {
    let pairs = Generator<[(Int, Int)]>.array(of: zip(.int(in: 0...6), .int(in: 0...6)))
    let forms = try forms(pairs) { list in !(list.contains { $0 == (2, 5) } && list.contains { $0 == (4, 1) }) }
    #expect(forms == ["[(2, 5), (4, 1)]"])
  }

  @Test func `numbers that fail need not lie side by side`() throws {
    let forms = try forms(.int(in: 0...30)) { ![12, 19, 29].contains($0) }
    #expect(forms == ["12"])
  }

  @Test func `amounts that only matter together become one`() throws {
    let amounts = try forms(.array(of: .int(in: 1...9), count: 0...20), seeds: 0..<40) { $0.reduce(0, +) < 9 }
    #expect(amounts == ["[9]"])
    let debts = try forms(.array(of: .int(in: -90...90))) { list in
      !(list.reduce(0, +) < -100 && !list.contains { $0 > 0 })
    }
    #expect(debts == ["[-11, -90]"])
  }

  @Test func `a generator written by hand shrinks to its parts`() throws {
    let tree = Generator { draw in try handMadeTerm(draw, depth: 4) }
    let forms = try forms(tree, seeds: 0..<40, within: 140) { $0.sum < 100 }
    #expect(forms == [".number(100)"])
  }
}

private indirect enum HandMade {
  case number(Int)
  case both(HandMade, HandMade)

  var sum: Int {
    switch self {
    case .number(let number): number
    case .both(let left, let right): left.sum + right.sum
    }
  }
}

/// A term of numbers.
///
/// The bottom level makes the choice too, so that all levels have the same structure.
private func handMadeTerm(_ draw: Draw, depth: Int) throws -> HandMade {
  let inner = Generator { draw in try handMadeTerm(draw, depth: depth - 1) }
  guard try draw(.bool(depth > 0 ? 0.5 : 0)), depth > 0 else { return .number(try draw(.int(in: 0...120))) }
  return .both(try draw(inner), try draw(inner))
}
