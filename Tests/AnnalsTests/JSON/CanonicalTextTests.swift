import Annals
import AnnalsLog
import AnnalsTesting
import Testing

/// A value has one text, even if its parts have no order and differ in order between processes.
@Suite struct CanonicalTextTests {
  struct Place: Codable, Hashable {
    var x: Int
    var y: Int?
  }

  /// A value with all types that have no order, nested inside each other.
  struct Tangle: Codable, Equatable {
    var names: Set<String> = []
    var groups: Set<Set<Int>> = []
    var places: [Place: Set<String>] = [:]
    var byNumber: [Int: [Place: Int]] = [:]
    var deep: [[String: Set<Place>]] = []
    var ordered: [Int] = []
    var maybe: Set<Double>?
    var pairs: [Place: Place] = [:]
  }

  private static let place = zip(.int(in: 0...40), Generator<Int>.int(in: 0...2).optional()).map { Place(x: $0, y: $1) }
  private static let name = Generator<Int>.int(in: 0...99).map { "n\($0)" }
  private static let tangle: Generator<Tangle> = {
    let names = Generator<Set<String>>.set(of: name, count: 0...9)
    let some = zip(
      names, Generator<Set<Set<Int>>>.set(of: .set(of: .int(in: 0...30), count: 0...5), count: 0...6),
      Generator<[(Place, Set<String>)]>.array(of: zip(place, names), count: 0...6))
    let others = zip(
      Generator<[Set<Place>]>.array(of: .set(of: place, count: 0...8), count: 0...4),
      Generator<[Int]>.array(of: .int(in: 0...9), count: 0...9),
      Generator<Set<Int>>.set(of: .int(in: -9...9), count: 0...7).optional())
    return zip(some, others).map { some, others in
      var tangle = Tangle()
      (tangle.names, tangle.groups) = (some.0, some.1)
      tangle.places = Dictionary(some.2) { first, _ in first }
      for (index, places) in others.0.enumerated() {
        tangle.byNumber[index] = Dictionary(places.map { ($0, $0.x) }) { first, _ in first }
        tangle.deep.append(["a\(index)": places, "b": []])
        for place in places { tangle.pairs[place] = Place(x: index, y: nil) }
      }
      tangle.ordered = others.1
      tangle.maybe = others.2.map { Set($0.map { Double($0) / 2 }) }
      return tangle
    }
  }()

  /// An equal value whose hash tables were filled in another order and have another size.
  private func shuffled(_ tangle: Tangle) -> Tangle {
    func set<T>(_ set: Set<T>) -> Set<T> {
      var other = Set<T>(minimumCapacity: 4 * set.count + 50)
      for element in set.reversed() { other.insert(element) }
      return other
    }
    func dictionary<K, V>(_ dictionary: [K: V], _ value: (V) -> V) -> [K: V] {
      var other = [K: V](minimumCapacity: 4 * dictionary.count + 50)
      for (key, element) in dictionary.reversed() { other[key] = value(element) }
      return other
    }
    var other = tangle
    other.names = set(tangle.names)
    other.groups = set(Set(tangle.groups.map(set)))
    other.places = dictionary(tangle.places, set)
    other.byNumber = dictionary(tangle.byNumber) { dictionary($0) { $0 } }
    other.deep = tangle.deep.map { dictionary($0, set) }
    other.maybe = tangle.maybe.map(set)
    other.pairs = dictionary(tangle.pairs) { $0 }
    return other
  }

  @Test func `equal values have one text, which leads to an equal value`() throws {
    let coder = PayloadCoder(isCanonical: true)
    try check(Self.tangle, settings: CheckSettings(examples: 200)) { tangle in
      let other = shuffled(tangle)
      try ensureEqual(other, tangle)
      let text = try coder.encode(tangle)
      try ensureEqual(try coder.encode(other), text)
      let again = try coder.decode(Tangle.self, from: text)
      try ensureEqual(again, tangle)
      try ensureEqual(try coder.encode(again), text)
    }
  }

  @Test func `what has an order keeps it, and what has none is in the order of its texts`() throws {
    let coder = PayloadCoder(isCanonical: true)
    var tangle = Tangle(names: ["b", "a", "c"], ordered: [3, 1, 2])
    tangle.places = [Place(x: 2, y: nil): ["z", "y"], Place(x: 10, y: 1): []]
    tangle.groups = [[3, 20, 1], []]
    #expect(
      try coder.encode(tangle)
        == #"{"byNumber":{},"deep":[],"groups":[[1,20,3],[]],"names":["a","b","c"],"ordered":[3,1,2],"pairs":[],"#
        + #""places":[{"x":10,"y":1},[],{"x":2},["y","z"]]}"#)
    #expect(try coder.encode([5, 4]) == "[5,4]")
    #expect(try coder.encode(Set([5, 40, 39])) == "[39,40,5]")
    #expect(try coder.encode([Set([2, 1]), []]) == "[[1,2],[]]")
  }

  @Test func `a value without sets has the text that events have`() throws {
    try check(Generator<WrittenTree>.tree(.leaf), settings: CheckSettings(examples: 500)) { tree in
      let (plain, canonical) = (
        Result { try PayloadCoder().encode(tree) }, Result { try PayloadCoder(isCanonical: true).encode(tree) }
      )
      try ensureEqual(try? canonical.get(), try? plain.get())
    }
  }
}
