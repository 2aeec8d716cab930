import AnnalsTesting

/// The challenge's problems about lists and numbers.
extension Problem {
  static var reverse: Problem {
    Problem(
      "reverse", .array(of: .int(in: -1_000...1_000)), leadsTo: "[0, 1]", hypothesis: 46, elm: 142
    ) { $0 == $0.reversed() }
  }

  static var lengthList: Problem {
    let lists = Generator<Int>.int(in: 1...100).flatMap { .array(of: .int(in: 0...1_000), count: $0) }
    return Problem("length list", lists, leadsTo: "[900]", hypothesis: 85, elm: 1_266) { ($0.max() ?? 0) < 900 }
  }

  /// With at most one number in a list, as Hypothesis runs it.
  static var boundFive: Problem {
    Problem(
      "bound 5", .array(of: bounded(count: 0...1), count: 5), leadsTo: "[[], [], [], [-1], [-32768]]", hypothesis: 137
    ) { isBounded($0) }
  }

  /// With any number of numbers in a list, as elm-test runs it.
  static var boundFiveLong: Problem {
    Problem(
      "bound 5, long lists", .array(of: bounded(count: 0...Int.max), count: 5),
      leadsTo: "[[], [], [], [], [-1, -32768]]", elm: 475
    ) { isBounded($0) }
  }

  private static func bounded(count: ClosedRange<Int>) -> Generator<[Int16]> {
    Generator<[Int16]>.array(of: .integer(in: Int16.min...Int16.max), count: count).filter { list in
      list.reduce(0 as Int) { $0 + Int($1) } < 256
    }
  }

  private static func isBounded(_ lists: [[Int16]]) -> Bool {
    lists.joined().reduce(0 as Int16) { $0 &+ $1 } < 5 * 256
  }

  static var largeUnionList: Problem {
    Problem(
      "large union list", .array(of: .array(of: .int())), leadsTo: "[[0, 1, -1, 2, -2]]", hypothesis: 341, elm: 636
    ) { Set($0.joined()).count <= 4 }
  }

  static var nestedLists: Problem {
    Problem(
      "nested lists", .array(of: .array(of: .int())), leadsTo: "[[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]", elm: 1_015
    ) { $0.map(\.count).reduce(0, +) <= 10 }
  }

  static var distinct: Problem {
    Problem("distinct", .array(of: .int()), leadsTo: "[0, 1, -1]", elm: 295) { Set($0).count < 3 }
  }

  static var deletion: Problem {
    let lists = Generator<[Int]>.array(of: .int(in: 0...1_000), count: 1...50).flatMap { list in
      zip(.constant(list), .int(in: 0...(list.count - 1)))
    }
    return Problem("deletion", lists, leadsTo: "([0, 0], 0)", elm: 1_104) { list, place in
      var rest = list
      if let first = rest.firstIndex(of: list[place]) { rest.remove(at: first) }
      return !rest.contains(list[place])
    }
  }

  static var coupling: Problem {
    let lists = Generator<Int>.int(in: 1...20).flatMap { .array(of: .int(in: 0...($0 - 1)), count: $0) }
    return Problem("coupling", lists, leadsTo: "[1, 0]", elm: 841) { list in
      list.indices.allSatisfy { list[$0] == $0 || list[list[$0]] != $0 }
    }
  }

  static func difference(_ name: String, _ difference: ClosedRange<Int>, leadsTo form: String, elm: Int) -> Problem {
    let number = Generator<Int>.int(in: 1...1_000)
    return Problem("difference, not \(name)", number, number, leadsTo: form, elm: elm) {
      $0 < 10 || !difference.contains(abs($0 - $1))
    }
  }
}
