import Annals
import AnnalsTesting
import Synchronization
import Testing

/// An element of the tested trees: a number.
///
/// Only a part of it is the key, and its last digit is the weight.
final class Numbered: Sendable {
  let number: Int
  let note: String

  init(_ number: Int, _ note: String = "") { (self.number, self.note) = (number, note) }
}

/// Trees with few slots, so that a hundred elements make a deep one.
enum Small: TreeOrder {
  static var leafCapacity: Int { 4 }
  static var innerCapacity: Int { 3 }
  static var isWeighted: Bool { true }
  static func head(_ element: Numbered) -> UInt64 { UInt64(element.number / 3) }
  static func compareTails(_ left: Numbered, _ right: Numbered) -> Int { left.number - right.number }
  static func weight(_ element: Numbered) -> Int { element.number % 10 }
}

/// Trees as lists use them.
enum Usual: TreeOrder {
  static func head(_ element: Numbered) -> UInt64 { UInt64(element.number / 3) }
  static func compareTails(_ left: Numbered, _ right: Numbered) -> Int { left.number - right.number }
}

@Suite struct SortedTreeTests {
  #if !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)
    @Test func `a rank that no element has ends the program with a sentence`() async {
      let after = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var tree = SortedTree<Usual>()
        for number in 0..<3 { tree.insert(Numbered(number)) }
        tree.remove(at: 3)
      }
      let said = String(decoding: after?.standardErrorContent ?? [], as: UTF8.self)
      #expect(said.contains("`rank` must be at least 0 and less than the count 3 (was 3)"), "\(said)")
    }
  #endif

  private enum Step: Sendable {
    case insert(Int)
    case remove(Int)
    case keep
  }

  private static func steps(count: ClosedRange<Int>, upTo bound: Int) -> Generator<[Step]> {
    let number = Generator<Int>.int(in: 0...bound)
    let pair = zip(Generator<Int>.int(in: 0...99), number)
    // Arrays that may be empty are mostly short. Half of them must be long, so that the trees are deep.
    let long = (count.lowerBound + count.upperBound) / 2...count.upperBound
    return zip(.bool(0.5), .frequency((1, .array(of: pair, count: count)), (1, .array(of: pair, count: long)))).map {
      isGrowing, pairs in
      pairs.map { kind, number in
        kind == 0 ? .keep : kind < (isGrowing ? 20 : 60) ? .remove(number) : .insert(number)
      }
    }
  }

  @Test func `a small tree is a sorted array, whatever is inserted, removed, sliced and kept`() throws {
    let steps = Self.steps(count: 0...300, upTo: 200)
    try check(steps, .array(of: .int(in: 0...1_000), count: 30), settings: CheckSettings(examples: 150)) {
      try drive(Small.self, $0, $1)
    }
  }

  @Test func `a usual tree is a sorted array`() throws {
    let steps = Self.steps(count: 1_000...2_000, upTo: 4_000)
    try check(steps, .array(of: .int(in: 0...4_000), count: 30), settings: CheckSettings(examples: 6)) {
      try drive(Usual.self, $0, $1)
    }
  }

  /// Batches of changes: few or many, of a small or a large part of the keys.
  private static func batches(upTo bound: Int) -> Generator<[[Int]]> {
    let number = Generator<Int>.int(in: -bound...bound)
    let few = Generator<[Int]>.array(of: number, count: 0...4)
    let many = Generator<[Int]>.array(of: number, count: bound / 4...bound)
    let all = Generator<Bool>.bool(0.5).map { isGone in Array(0...bound).map { isGone ? -$0 : $0 } }
    return .array(of: .frequency((4, few), (4, many), (1, all)), count: 1...12)
  }

  @Test func `changes in one pass lead to the tree of single changes, at every share of its elements`() throws {
    try check(Self.batches(upTo: 60), settings: CheckSettings(examples: 200)) { try drive(Small.self, batches: $0) }
    try check(Self.batches(upTo: 1_500), settings: CheckSettings(examples: 8)) { try drive(Usual.self, batches: $0) }
  }

  /// Negative numbers are taken out, others set; a key may come several times in a batch.
  private func drive<Order: TreeOrder>(_: Order.Type, batches: [[Int]]) throws where Order.Element == Numbered {
    var tree = SortedTree<Order>()
    var model: [Int: Numbered] = [:]
    for (index, batch) in batches.enumerated() {
      let (old, oldModel) = (tree, model)
      var edits: [TreeEdit<Order>] = []
      for number in batch {
        let element = Numbered(abs(number), "\(index)")
        edits.append(number < 0 ? .remove(element) : .set(element))
        model[abs(number)] = number < 0 ? nil : element
      }
      // By one core, or by several from a few edits on.
      tree.apply(TreeEdit.ordered(edits), parallelFrom: [.max, 2, 20][index % 3])
      try compare(tree, model)
      try compare(old, oldModel)
      try compareDifference(old, oldModel, tree, model)
      // What single changes lead to is a tree that takes single changes.
      let one = Numbered(index * 7, "single")
      try require(tree.insert(one) === model.updateValue(one, forKey: index * 7), "what was replaced")
      let number = index * 5
      try require(tree.remove(Numbered(number)) === model.removeValue(forKey: number), "what was removed")
    }
    try compare(tree, model)
  }

  @Test func `changes in one pass share every node that has none of them`() {
    var tree = SortedTree<Counting>(sorted: (0..<10_000).map { Numbered($0) })
    let old = tree
    tree.apply([.remove(Numbered(20)), .set(Numbered(5_000)), .set(Numbered(20_000))])
    var changes = 0
    let comparisons = Counting.comparisons { tree.difference(from: old) { _ in changes += 1 } }
    #expect(changes == 3)
    #expect(comparisons <= 2 * 2 * Counting.leafCapacity)
  }

  @Test func `changes of a tree that is in no order, as one with lost pages is, come to their end`() {
    let one = Numbered(7)
    for count in [1, 20, 500] {
      var tree = SortedTree<Small>(sorted: (0..<count).map { _ in one })
      tree.apply([.set(Numbered(1)), .set(Numbered(7, "new")), .remove(Numbered(9))])
      #expect(tree.count >= 1)
      tree = SortedTree<Small>(sorted: (0..<count).map { Numbered(count - $0) })
      tree.apply((0..<40).map { .set(Numbered($0)) })
      #expect(tree.count >= 1)
    }
  }

  private func drive<Order: TreeOrder>(_: Order.Type, _ steps: [Step], _ cuts: [Int]) throws
  where Order.Element == Numbered {
    var tree = SortedTree<Order>()
    var model: [Int: Numbered] = [:]
    var kept: [(tree: SortedTree<Order>, model: [Int: Numbered])] = []
    for (index, step) in steps.enumerated() {
      switch step {
      case .remove(let number):
        let removed = tree.remove(Numbered(number))
        try require(removed === model.removeValue(forKey: number), "what was removed")
      case .keep: kept.append((tree, model))
      case .insert(let number):
        let element = Numbered(number, "\(index)")
        try require(tree.insert(element) === model.updateValue(element, forKey: number), "what was replaced")
      }
    }
    try compare(tree, model)
    for (old, oldModel) in kept {
      try compare(old, oldModel)
      try compareDifference(old, oldModel, tree, model)
      try compareDifference(tree, model, old, oldModel)
    }
    let (one, other) = (cuts[0] % (tree.count + 1), cuts[1] % (tree.count + 1))
    let range = min(one, other)..<max(one, other)
    let sorted = Set(model.keys.sorted()[range])
    var slice = tree.slice(range)
    var sliceModel = model.filter { sorted.contains($0.key) }
    try compare(slice, sliceModel)
    try compareDifference(tree, model, slice, sliceModel)
    // A slice is an ordinary tree, although its edges have few elements.
    for number in cuts {
      if number.isMultiple(of: 2) {
        slice.remove(Numbered(number))
        sliceModel[number] = nil
      } else {
        let element = Numbered(number)
        slice.insert(element)
        sliceModel[number] = element
      }
    }
    try compare(slice, sliceModel)
    try compare(tree, model)
  }

  private func require(_ isTrue: Bool, _ what: String) throws {
    if !isTrue { throw Difference(what: what) }
  }

  private func compare<Order: TreeOrder>(_ tree: SortedTree<Order>, _ model: [Int: Numbered]) throws
  where Order.Element == Numbered {
    try require(tree.defects == [], tree.defects.joined(separator: " "))
    let sorted = model.sorted { $0.key < $1.key }.map(\.value)
    try require(tree.count == sorted.count, "count")
    try require(tree.map(\.note) == sorted.map(\.note), "elements")
    var weight = 0
    for (rank, element) in sorted.enumerated() {
      try require(tree[rank] === element, "element at \(rank)")
      try require(tree.rank(of: element) == rank, "rank of \(element.number)")
      guard Order.isWeighted else { continue }
      try require(tree.weight(before: rank) == weight, "weight before \(rank)")
      for rest in 0..<element.number % 10 {
        let place = tree.locate(weight: weight + rest)
        try require(place.rank == rank && place.rest == rest, "place of the weight \(weight + rest)")
      }
      weight += element.number % 10
    }
    try require(tree.weight == weight, "weight")
    for number in 0...20 where model[number] == nil {
      try require(tree.rank(of: Numbered(number)) == nil, "\(number) is not there")
      let before = sorted.filter { $0.number < number }.count
      try require(tree.lookup(of: Numbered(number)).rank == before, "where \(number) would be")
    }
    try require(tree.elementsEqual(sorted) { $0 === $1 }, "the elements in order")
  }

  private func compareDifference<Order: TreeOrder>(
    _ old: SortedTree<Order>, _ oldModel: [Int: Numbered], _ new: SortedTree<Order>, _ newModel: [Int: Numbered]
  ) throws where Order.Element == Numbered {
    var found: [String] = []
    new.difference(from: old) { change in
      switch change {
      case .removed(let element, let rank): found.append("\(element.number) gone from \(rank)")
      case .added(let element, let rank): found.append("\(element.number) new at \(rank)")
      case .replaced(let before, let rank, let after, let newRank):
        found.append("\(before.number) at \(rank) is \(after.note) at \(newRank)")
      }
    }
    let (oldRanks, newRanks) = (ranks(oldModel), ranks(newModel))
    let wanted = Set(oldModel.keys).union(newModel.keys).sorted().compactMap { number -> String? in
      switch (oldModel[number], newModel[number]) {
      case (let before?, let after?):
        before === after ? nil : "\(number) at \(oldRanks[number] ?? -1) is \(after.note) at \(newRanks[number] ?? -1)"
      case (nil, _?): "\(number) new at \(newRanks[number] ?? -1)"
      default: "\(number) gone from \(oldRanks[number] ?? -1)"
      }
    }
    try require(found == wanted, "difference \(found), expected \(wanted)")
  }

  private func ranks(_ model: [Int: Numbered]) -> [Int: Int] {
    Dictionary(uniqueKeysWithValues: model.keys.sorted().enumerated().map { ($1, $0) })
  }

  @Test(arguments: 0...70) func `a tree built of sorted elements is sound`(count: Int) throws {
    let elements = (0..<count).map { Numbered($0) }
    let tree = SortedTree<Small>(sorted: elements)
    #expect(tree.defects == [])
    #expect(tree.map(\.number) == Array(0..<count))
  }

  @Test func `elements that arrive in order fill their nodes`() {
    var tree = SortedTree<Usual>()
    let most = Usual.leafCapacity * Usual.innerCapacity
    for number in 0..<most { tree.insert(Numbered(number)) }
    #expect(tree.defects == [])
    #expect(tree.description == "\(most) elements on 2 levels")
  }

  @Test func `a tree that lost nearly all of its elements has few levels`() {
    var tree = SortedTree<Small>(sorted: (0..<2_000).map { Numbered($0) })
    for number in 0..<2_000 where !number.isMultiple(of: 200) { tree.remove(Numbered(number)) }
    #expect(tree.defects == [])
    #expect(tree.description == "10 elements on 2 levels" || tree.description == "10 elements on 3 levels")
  }

  @Test func `a comparison of two lists' search trees skips the nodes that are in both trees`() {
    var tree = SortedTree<Counting>(sorted: (0..<10_000).map { Numbered($0) })
    let old = tree
    tree.insert(Numbered(5_000))
    tree.remove(Numbered(20))
    var changes = 0
    let comparisons = Counting.comparisons { tree.difference(from: old) { _ in changes += 1 } }
    #expect(changes == 2)
    // Two leaves, and no other node.
    #expect(comparisons <= 2 * Counting.leafCapacity)
  }

  private struct Difference: Error, CustomStringConvertible {
    let what: String
    var description: String { what }
  }
}

/// Counts the elements that are compared, for each test by itself: tests run at the same time.
private enum Counting: TreeOrder {
  private final class Count: Sendable {
    let value = Mutex(0)
  }

  @TaskLocal private static var count: Count?

  /// How many elements `body` compares.
  static func comparisons(_ body: () -> Void) -> Int {
    let count = Count()
    $count.withValue(count, operation: body)
    return count.value.withLock { $0 }
  }

  static func head(_ element: Numbered) -> UInt64 {
    count?.value.withLock { $0 += 1 }
    return UInt64(element.number)
  }

  static func compareTails(_ left: Numbered, _ right: Numbered) -> Int { left.number - right.number }
}
