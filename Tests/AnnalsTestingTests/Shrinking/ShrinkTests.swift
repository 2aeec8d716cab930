import AnnalsTesting
import Testing

/// Problems that the shrinking challenge lacks: each has one smallest form, for every seed.
@Suite struct ShrinkTests {
  private func forms<Value>(
    _ generator: Generator<Value>, seeds: Range<UInt64> = 0..<12, within cases: Int = 1_000,
    _ holds: (Value) throws -> Bool
  ) throws -> Set<String> {
    try forms(seeds: seeds, within: cases) { try check(generator, settings: $0, holds) }
  }

  private func forms(
    seeds: Range<UInt64> = 0..<12, within cases: Int = 1_000, _ check: (CheckSettings) throws -> Void
  ) throws -> Set<String> {
    var forms: Set<String> = []
    var all: [Int] = []
    for seed in seeds {
      let settings = CheckSettings(examples: 300_000, seed: seed, environment: .patient)
      let failure = #expect(throws: PropertyFailure.self) { try check(settings) }
      forms.insert(failure?.input.joined(separator: "|") ?? "")
      all.append(failure?.shrinkTries ?? 0)
    }
    let mean = all.reduce(0, +) / max(all.count, 1)
    #expect(mean <= cases)
    return forms
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

  @Test func `a number that counts its list shrinks with the list`() throws {
    for seed in 0..<12 as Range<UInt64> {
      // Only a long list starts the shrinking; after that every such list fails.
      var isFound = false
      let settings = CheckSettings(examples: 100_000, seed: seed, environment: .patient)
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

  @Test func `a sum of numbers on both sides of zero shrinks to the fewest and largest`() throws {
    let forms = try forms(.array(of: .int(in: -500...500)), seeds: 0..<24, within: 170) {
      abs($0.reduce(0, +)) < 1_000
    }
    #expect(forms == ["[500, 500]"])
  }

  @Test func `numbers that only their product matters of shrink to the smallest first one`() throws {
    let number = Generator<Int>.int(in: 0...1_000)
    #expect(try forms(zip(number, number), seeds: 0..<24, within: 100) { $0 * $1 < 5_000 } == ["(5, 1000)"])
  }

  @Test func `a number whose bits matter shrinks to these bits`() throws {
    #expect(try forms(.int(in: 0...100_000), seeds: 0..<24, within: 80) { $0 & 0x55 != 0x41 } == ["65"])
  }

  @Test func `numbers that add up to zero shrink to those on the simpler side`() throws {
    let forms = try forms(.array(of: .int(in: -20...20)), seeds: 0..<24, within: 280) { list in
      !(list.count >= 3 && list.reduce(0, +) == 0 && !list.contains(0))
    }
    #expect(forms == ["[1, 1, -2]"])
  }

  @Test func `an order shrinks to the one that is right as long as possible`() throws {
    let forms = try forms(.shuffled(Array(0..<6)), seeds: 0..<24, within: 32) { $0.firstIndex(of: 5) ?? 0 > 2 }
    #expect(forms == ["[0, 1, 5, 2, 3, 4]"])
  }

  @Test func `a count that is drawn first loses the element that is not needed`() throws {
    let lists = Generator<Int>.int(in: 0...8).flatMap { .array(of: Generator.array(of: .int(in: 0...9)), count: $0) }
    let forms = try forms(lists, seeds: 0..<24, within: 95) { ($0.map { $0.reduce(0, +) }.max() ?? 0) < 12 }
    #expect(forms == ["[[3, 9]]"])
  }

  @Test func `records of several parts shrink to the one record and the parts that matter`() throws {
    let record = zip(
      Generator<String>.string(of: "abcdef"), Generator<Int>.int(in: 0...120).optional(),
      Generator<[String]>.array(of: .string(of: "xyz")), .bool)
    let forms = try forms(.array(of: record), within: 160) { list in
      !list.contains { ($0.1 ?? 0) > 64 && $0.3 && $0.2.contains { $0.contains("z") } }
    }
    #expect(forms == ["[(\"\", 65, [\"z\"], true)]"])
  }

  @Test func `no case runs twice while it is shrunk`() throws {
    for seed in 0..<6 as Range<UInt64> {
      var (runs, isFailing) = ([[[Int]]](), false)
      let failure = #expect(throws: PropertyFailure.self) {
        try check(
          .array(of: .array(of: .int())), settings: CheckSettings(examples: 1_000, seed: seed, environment: .patient)
        ) { lists in
          let holds = Set(lists.joined()).count <= 4
          isFailing = isFailing || !holds
          if isFailing { runs.append(lists) }
          return holds
        }
      }
      // The smallest case is the first that runs once more, to be described.
      var seen: Set<[[Int]]> = []
      let twice = runs.first { !seen.insert($0).inserted }
      #expect(twice.map { swiftSource(of: $0) } == failure?.input.first && seen.count > 100, "\(seen.count)")
    }
  }

  @Test func `an element of a fixed number is not removed, because another one takes its place`() throws {
    var seen: Set<[[Int]]> = []
    let rows = Generator.array(of: .array(of: .int(in: 0...9), count: 4), count: 3)
    let failure = #expect(throws: PropertyFailure.self) {
      try check(rows, settings: CheckSettings(examples: 10_000, seed: 1, environment: .patient)) { rows in
        seen.insert(rows)
        return !rows.enumerated().allSatisfy { place, row in row.allSatisfy { $0 > place } }
      }
    }
    #expect(failure?.input == ["[[1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3]]"])
    let row = (0...3).map { Array(repeating: $0, count: 4) }
    #expect(!seen.contains([row[2], row[3], row[0]]))
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
