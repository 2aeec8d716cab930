import AnnalsTesting
import Testing

/// Parts that only matter together: every problem has one smallest form, for every seed.
@Suite struct TogetherTests {
  private static let seeds: UInt64 = 12
  private static let count = Int(seeds)

  /// The smallest forms that many seeds produce, and their counts.
  private func forms(
    within cases: Int = 2_000, _ check: (CheckSettings) throws -> Void
  ) throws -> [String: Int] {
    var forms: [String: Int] = [:]
    var all: [Int] = []
    for seed in 1...Self.seeds as ClosedRange<UInt64> {
      let settings = CheckSettings(examples: 20_000, seed: seed, environment: .patient)
      let failure = #expect(throws: PropertyFailure.self) { try check(settings) }
      forms[failure?.input.joined(separator: "|") ?? "", default: 0] += 1
      all.append(failure?.shrinkTries ?? 0)
    }
    #expect(all.reduce(0, +) / all.count <= cases, "\(all.reduce(0, +) / all.count)")
    return forms
  }

  private static let digit = Generator<Int>.int(in: 0...9)
  private static let triple = zip(.int(in: 0...9), Generator<Bool>.bool, .int(in: -5...5))

  private func arrays<Element>(of element: Generator<Element>, like zero: String) throws {
    let array = Generator<[Element]>.array(of: element)
    let three = "[" + Array(repeating: zero, count: 3).joined(separator: ", ") + "]"
    let two = try forms { try check(array, array, settings: $0) { $0.count < 3 || $0.count != $1.count } }
    #expect(two == ["\(three)|\(three)": Self.count])
    let all = try forms { settings in
      try check(array, array, array, settings: settings) {
        $0.count < 3 || $0.count != $1.count || $1.count != $2.count
      }
    }
    #expect(all == ["\(three)|\(three)|\(three)": Self.count])
  }

  @Test func `two and three arrays of one length lose their elements together`() throws {
    try arrays(of: Self.digit, like: "0")
    try arrays(of: zip(Self.digit, .bool), like: "(0, false)")
    try arrays(of: Self.triple, like: "(0, false, 0)")
  }

  @Test func `arrays of one length lose the elements that are not needed, at any place`() throws {
    let array = Generator<[(Int, Bool, Int)]>.array(of: Self.triple)
    let found = try forms { settings in
      try check(array, array, settings: settings) { one, other in
        one.count != other.count || !one.contains { $0.0 > 6 } || !other.contains { $0.2 < -3 }
      }
    }
    #expect(found == ["[(7, false, 0)]|[(0, false, -4)]": Self.count])
  }

  @Test func `twice as many of one as of the other become the fewest`() throws {
    let array = Generator<[(Int, Bool, Int)]>.array(of: Self.triple)
    let found = try forms { try check(array, array, settings: $0) { $0.count != 2 * $1.count || $1.isEmpty } }
    #expect(found == ["[(0, false, 0), (0, false, 0)]|[(0, false, 0)]": Self.count])
  }

  @Test func `a history with as many of one kind as of the other loses them in pairs`() throws {
    let balanced = try forms { settings in
      try check(.array(of: Self.triple), settings: settings) { list in
        let count = list.count { $0.1 }
        return count < 2 || count * 2 != list.count
      }
    }
    #expect(balanced == ["[(0, false, 0), (0, false, 0), (0, true, 0), (0, true, 0)]": Self.count])
    // The kinds are alternatives, with their own parts.
    let step = Generator<[Int]>.oneOf(
      .array(of: Self.digit, count: 2), Generator.array(of: Self.digit, count: 4))
    let alternatives = try forms { settings in
      try check(.array(of: step), settings: settings) { list in
        let count = list.count { $0.count == 4 }
        return count < 2 || count * 2 != list.count
      }
    }
    #expect(alternatives == ["[[0, 0], [0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]": Self.count])
  }

  @Test func `as many of each of three kinds become the fewest`() throws {
    let kind = zip(Generator<String>.element(of: ["a", "b", "c"]), Self.digit)
    let found = try forms { settings in
      try check(.array(of: kind), settings: settings) { list in
        let counts = ["a", "b", "c"].map { name in list.count { $0.0 == name } }
        return counts[0] < 2 || Set(counts).count > 1
      }
    }
    #expect(found == ["[(\"a\", 0), (\"a\", 0), (\"b\", 0), (\"b\", 0), (\"c\", 0), (\"c\", 0)]": Self.count])
  }

  @Test func `rows of one length lose their columns`() throws {
    let rows = Generator<[[Int]]>.array(of: .array(of: Self.digit))
    let found = try forms { settings in
      try check(rows, settings: settings) { rows in
        rows.count < 2 || Set(rows.map(\.count)).count > 1 || rows[0].count < 2
      }
    }
    #expect(found == ["[[0, 0], [0, 0]]": Self.count])
    let deep = try forms { settings in
      try check(.array(of: zip(rows, Self.digit)), rows, settings: settings) { nested, rows in
        let (inner, outer) = (nested.flatMap(\.0).map(\.count).reduce(0, +), rows.map(\.count).reduce(0, +))
        return inner != outer || inner < 2
      }
    }
    #expect(deep == ["[([[0, 0]], 0)]|[[0, 0]]": Self.count])
  }

  @Test func `a number that counts an array goes down with it`() throws {
    let array = Generator<[(Int, Bool, Int)]>.array(of: Self.triple)
    let three = "[(0, false, 0), (0, false, 0), (0, false, 0)]"
    let free = try forms { try check(.int(in: 0...20), array, settings: $0) { $0 != $1.count || $0 < 3 } }
    #expect(free == ["3|\(three)": Self.count])
    let signed = try forms { try check(array, .int(in: -20...20), settings: $0) { $1 != $0.count || $1 < 3 } }
    #expect(signed == ["\(three)|3": Self.count])
    let both = try forms { settings in
      try check(.int(in: 0...20), array, array, settings: settings) { $0 != $1.count || $0 != $2.count || $0 < 3 }
    }
    #expect(both == ["3|\(three)|\(three)": Self.count])
  }

  @Test func `a length that is drawn first goes down with its arrays`() throws {
    let drawn = Generator<Int>.int(in: 0...12).flatMap { count in
      zip(.array(of: Self.triple, count: count), .array(of: Self.digit, count: count))
    }
    let found = try forms { settings in
      try check(drawn, settings: settings) { triples, digits in
        !triples.contains { $0.0 > 6 } || !digits.contains { $0 > 3 }
      }
    }
    #expect(found == ["([(7, false, 0)], [4])": Self.count])
    let byHand = Generator { draw in
      let count = try draw(.int(in: 0...8))
      let ones = try (0..<count).map { _ in try draw(Self.triple) }
      return (ones, try (0..<count).map { _ in try draw(Self.digit) })
    }
    let made = try forms { settings in
      try check(byHand, settings: settings) { ones, others in
        !ones.contains { $0.0 > 6 } || !others.contains { $0 > 3 }
      }
    }
    #expect(made == ["([(7, false, 0)], [4])": Self.count])
  }

  @Test func `a program of sales and returns that must balance becomes the shortest`() throws {
    let part = "0, false, 0"
    let shortest = ["sell(\(part))", "sell(\(part))", "checkIn(\(part))", "checkIn(\(part))", "close()"]
    let lines = shortest.map { "|try system.\($0)" }.joined()
    // Also where a return needs a sale before it.
    for isChecked in [false, true] {
      let found = try forms { try check(BalanceMachine(isChecked: isChecked), settings: $0) }
      #expect(found.count == 1 && found.keys.first?.hasSuffix(lines) == true, "\(found)")
    }
  }
}

/// A till that cannot be closed after two or more sales and the same number of returns.
///
/// Its model has the sums of the sales and returns, so that hardly two states are equal.
private struct BalanceMachine: Machine {
  /// True if a return needs a sale before it.
  let isChecked: Bool

  struct Notes: Hashable {
    var (sales, returns, sums) = (0, 0, [Int]())
  }

  final class Till {
    var (sales, returns) = (0, 0)

    func sell(_ price: Int, _ isGift: Bool, _ rebate: Int) { sales += 1 }
    func checkIn(_ price: Int, _ isGift: Bool, _ rebate: Int) { returns += 1 }
    func close() throws { try ensure(sales != returns || sales < 2, "the till is balanced") }
  }

  func start() -> (model: Notes, system: Till) { (Notes(), Till()) }

  private var parts: Generator<(Int, Bool, Int)> { zip(.int(in: 0...9), .bool, .int(in: -5...5)) }

  var commands: [Command<Notes, Till>] {
    Command("sell(_:_:_:)") { _ in
      parts
    } model: { (notes: inout Notes, sale: (Int, Bool, Int)) in
      notes.sales += 1
      notes.sums.append(sale.0 * 100 + sale.2)
    } run: { (till: Till, sale: (Int, Bool, Int)) in
      till.sell(sale.0, sale.1, sale.2)
    }
    Command("checkIn(_:_:_:)", when: { !isChecked || $0.returns < $0.sales }) { _ in
      parts
    } model: { (notes: inout Notes, sale: (Int, Bool, Int)) in
      notes.returns += 1
      notes.sums.append(sale.0 * -100 + sale.2)
    } run: { (till: Till, sale: (Int, Bool, Int)) in
      till.checkIn(sale.0, sale.1, sale.2)
    }
    Command("close()") { _ in
    } run: {
      try $0.close()
    }
  }
}
