import AnnalsTesting
import Foundation
import Testing

@Suite struct GeneratorTests {
  /// The values that a generator makes, the simplest first.
  private func values<Value>(_ generator: Generator<Value>, count: Int = 400, seed: UInt64 = 1) throws -> [Value] {
    var values: [Value] = []
    try check(generator, settings: CheckSettings(examples: count, seed: seed, environment: .patient)) {
      values.append($0)
      return true
    }
    return values
  }

  @Test func `the same seed makes the same values, another seed others`() throws {
    let generator = Generator.array(of: .string())
    #expect(try values(generator) == values(generator))
    #expect(try values(generator) != values(generator, seed: 2))
  }

  @Test(arguments: [0...0, -3...3, 5...9, -9...(-5), 0...1_000_000, Int.min...Int.max, Int.min...0, 7...Int.max])
  func `integers stay in their range and reach both ends and the simplest`(range: ClosedRange<Int>) throws {
    let numbers = try values(.int(in: range), count: 2_000)
    #expect(numbers.allSatisfy(range.contains))
    #expect(numbers.contains(range.lowerBound) && numbers.contains(range.upperBound))
    #expect(numbers[0] == min(max(0, range.lowerBound), range.upperBound))
  }

  @Test func `integers of every width are made`() throws {
    #expect(try Set(values(Generator<UInt8>.integer(in: 0...255), count: 20_000)).count == 256)
    #expect(try Set(values(Generator<Int8>.integer(in: -128...127), count: 20_000)).count == 256)
    #expect(try values(Generator<UInt64>.integer(in: 0...UInt64.max), count: 2_000).contains(UInt64.max))
    #expect(try values(Generator<Int64>.integer(in: 3...9, toward: 5), count: 10)[0] == 5)
  }

  @Test func `large ranges bring small numbers, long ones, and neighbours of powers`() throws {
    let numbers = try values(.int(), count: 4_000)
    #expect(numbers.count { abs($0 / 2) < 50 } > 400)
    #expect(numbers.count { $0.magnitude > 1 << 60 } > 400)
    #expect(numbers.contains { $0 > 1_000 && ($0 & ($0 - 1)) == 0 })
  }

  @Test func `doubles bring every kind of number`() throws {
    let numbers = try values(.double, count: 4_000)
    #expect(numbers[0] == 0 && numbers[0].sign == .plus)
    #expect(numbers.contains { $0.isNaN } && numbers.contains(.infinity) && numbers.contains(-.infinity))
    #expect(numbers.contains { $0 == 0 && $0.sign == .minus } && numbers.contains { $0.isSubnormal })
    #expect(numbers.contains { $0 != $0.rounded() && abs($0) < 1_000 })
  }

  @Test(arguments: [0.25...0.75, -2...2, 0...0, 1e300...1e301, -1e308...1e308])
  func `doubles stay in their range and reach both ends`(range: ClosedRange<Double>) throws {
    let numbers = try values(.double(in: range), count: 1_000)
    #expect(numbers.allSatisfy(range.contains))
    #expect(numbers.contains(range.lowerBound) && numbers.contains(range.upperBound))
  }

  @Test func `strings bring what databases and Swift see differently`() throws {
    let text = try values(.string(), count: 6_000).joined(separator: "|")
    for piece in ["\u{E9}", "e\u{301}", "\u{0}", "\u{202E}", "\u{1F600}", "\u{10FFFF}"] {
      #expect(text.unicodeScalars.contains { String($0) == piece } || text.utf8.contains(sequence: Array(piece.utf8)))
    }
    #expect(try values(.string(), count: 10)[0].isEmpty)
    #expect(try values(.string(of: "xyz", count: 2...3)).allSatisfy { (2...3).contains($0.count) })
    #expect(try Set(values(.string(of: "xyz", count: 1...1))) == ["x", "y", "z"])
  }

  @Test func `collections have as many elements as they were asked for`() throws {
    #expect(try Set(values(.array(of: .bool, count: 2...4)).map(\.count)) == [2, 3, 4])
    #expect(try Set(values(.array(of: .bool, count: 3)).map(\.count)) == [3])
    #expect(try Set(values(.set(of: .int(in: 0...3), count: 1...3)).map(\.count)) == [1, 2, 3])
    #expect(try Set(values(.dictionary(of: .int(in: 0...9), to: .bool, count: 0...2)).map(\.count)) == [0, 1, 2])
    #expect(try values(.array(of: .int())).map(\.count).max() ?? 0 > 15)
    #expect(try values(.shuffled([1, 2, 3]))[0] == [1, 2, 3])
    #expect(try Set(values(.shuffled([1, 2, 3]))).count == 6)
  }

  @Test func `dates have whole microseconds and stay in their range`() throws {
    let range = Date(timeIntervalSinceReferenceDate: -10)...Date(timeIntervalSinceReferenceDate: 1_000_000)
    let dates = try values(.date(in: range))
    #expect(dates.allSatisfy(range.contains))
    #expect(dates[0] == Date(timeIntervalSinceReferenceDate: 0))
    #expect(Set(dates).count > 100)
    #expect(try values(.date()).allSatisfy { abs($0.timeIntervalSince1970) < 1e11 })
  }

  @Test func `the simplest UUID has nothing but zeros, and others differ`() throws {
    let uuids = try values(.uuid)
    #expect(uuids[0] == UUID(uuidString: "00000000-0000-0000-0000-000000000000"))
    #expect(Set(uuids).count > 200)
  }

  @Test func `choices bring every alternative, heavier ones more often`() throws {
    enum Suit: CaseIterable { case clubs, hearts, spades }
    #expect(try Set(values(.anyCase()) as [Suit]).count == 3)
    #expect(try Set(values(.oneOf(.constant(1), .int(in: 7...8)))) == [1, 7, 8])
    let weighted = try values(.frequency((1, .constant("rare")), (9, .constant("often"))), count: 1_000)
    #expect((20...250).contains(weighted.count { $0 == "rare" }))
    let missing = try values(Generator.int(in: 1...9).optional(), count: 1_000)
    #expect((100...500).contains(missing.count { $0 == nil }))
    #expect(try Set(values(zip(.bool, .bool, .bool)).map { "\($0)" }).count == 8)
  }

  @Test func `a filter lets through what it is asked for, and nothing else`() throws {
    let even = try values(Generator.int(in: 0...99).filter { $0.isMultiple(of: 2) })
    #expect(even.allSatisfy { $0.isMultiple(of: 2) } && Set(even).count > 20)
  }

  @Test func `recursive values are no deeper than they may be`() throws {
    indirect enum Tree {
      case leaf
      case node([Tree])

      var depth: Int {
        switch self {
        case .leaf: 0
        case .node(let trees): 1 + (trees.map(\.depth).max() ?? 0)
        }
      }
    }
    let trees = Generator<Tree>.recursive(.constant(.leaf), depth: 3) { inner in
      Generator.array(of: inner).map { .node($0) }
    }
    let depths = try values(trees).map(\.depth)
    #expect(Set(depths) == [0, 1, 2, 3])
  }
}

extension Sequence where Element: Equatable {
  fileprivate func contains(sequence: [Element]) -> Bool {
    let all = Array(self)
    return all.indices.contains { all[$0...].starts(with: sequence) }
  }
}
