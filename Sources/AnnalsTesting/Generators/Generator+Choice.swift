import Foundation

extension Generator {
  /// Returns a generator of one constant value.
  ///
  /// - Parameter value: The value.
  /// - Returns: The generator.
  public static func constant(_ value: Value) -> Generator where Value: Sendable {
    Generator { _ in value }
  }

  /// Returns a generator of a collection's elements, which shrink toward the first element.
  ///
  /// If an element is a string or a character with another spelling, such as "\u{E9}" and "e\u{301}", one draw in ten
  /// returns the other spelling. Swift considers both spellings equal, but a database or a file system might not.
  ///
  /// If the collection is empty, the current case (or a machine's current step) ends without passing or failing. If all
  /// cases of a check end in this way, the check fails, and its report names this generator.
  ///
  /// - Parameters:
  ///   - elements: The elements.
  ///   - fileID: The file that contains the call, for the report.
  ///   - line: The line of the call.
  /// - Returns: The generator.
  public static func element<Elements: Collection & Sendable>(
    of elements: Elements, fileID: String = #fileID, line: UInt = #line
  ) -> Generator where Elements.Element == Value {
    let count = UInt64(elements.count)
    guard count > 0 else { return none("element(of:)", "the collection is empty", fileID, line) }
    let isText = Value.self == String.self || Value.self == Character.self
    return Generator { source in
      let swarm = source.swarm(of: count)
      let index = try source.choose(through: count - 1) { $0.next(below: count, in: swarm) }
      let element = elements[elements.index(elements.startIndex, offsetBy: Int(index))]
      guard isText, let other = otherSpelling(of: element) else { return element }
      return try source.flip(0.1) ? other : element
    }
  }

  /// Returns a generator of all values of a `CaseIterable` type, which shrink toward the first value.
  ///
  /// - Parameters:
  ///   - fileID: The file that contains the call, for the report if the type has no values.
  ///   - line: The line of the call.
  /// - Returns: The generator.
  public static func anyCase(fileID: String = #fileID, line: UInt = #line) -> Generator
  where Value: CaseIterable & Sendable {
    let cases = Array(Value.allCases)
    return cases.isEmpty ? none("anyCase()", "the type has no values", fileID, line) : element(of: cases)
  }

  /// Returns a generator that draws from one of several generators with equal probability.
  ///
  /// - Parameters:
  ///   - generators: One or more generators. Pass the generator of the simplest values first, because shrinking prefers
  ///     the first generator.
  ///   - fileID: The file that contains the call, for the report if no generator is passed.
  ///   - line: The line of the call.
  /// - Returns: The generator.
  public static func oneOf(
    _ generators: Generator..., fileID: String = #fileID, line: UInt = #line
  ) -> Generator {
    guard !generators.isEmpty else { return none("oneOf(_:)", "no generator was passed", fileID, line) }
    return frequency(generators.map { (1, $0) })
  }

  /// Returns a generator that draws from one of several generators with weighted probabilities.
  ///
  /// - Parameters:
  ///   - weighted: Pairs of a nonnegative weight and a generator. Pass the generator of the simplest values first,
  ///     because shrinking prefers the first generator. Generators with a weight of 0 are ignored. If no generator
  ///     remains, or if a weight is less than 0, no value is generated, and the report contains the reason.
  ///   - fileID: The file that contains the call, for the report.
  ///   - line: The line of the call.
  /// - Returns: The generator.
  public static func frequency(
    _ weighted: (weight: Int, generator: Generator)..., fileID: String = #fileID, line: UInt = #line
  ) -> Generator {
    let weights = weighted.map(\.weight)
    let reason: String? =
      if weights.isEmpty {
        "no generator was passed"
      } else if let wrong = weights.first(where: { $0 < 0 }) {
        "a weight must be at least 0 (was \(wrong))"
      } else if weights.allSatisfy({ $0 == 0 }) {
        weights.count == 1 ? "the only weight is 0" : "all \(weights.count) weights are 0"
      } else if weights.reduce(0 as Double, { $0 + Double($1) }) >= 0x1p63 {
        "the sum of the weights must be less than 2^63 (the weights are \(weights))"
      } else {
        nil
      }
    if let reason { return none("frequency(_:)", reason, fileID, line) }
    return frequency(weighted.filter { $0.weight > 0 }.map { ($0.weight, $0.generator) })
  }

  /// Returns a generator without values.
  static func none(_ name: String, _ reason: String, _ fileID: String, _ line: UInt) -> Generator {
    let text = "Generator<\(Value.self)>.\(name) at \(fileID):\(line) has no value: \(reason)"
    return Generator { _ in throw Discarded.noValue(text) }
  }

  /// Returns a generator that draws from one or more generators with weights of at least 1.
  static func frequency(_ weighted: [(Int, Generator)]) -> Generator {
    let (weights, generators) = (weighted.map { UInt64($0.0) }, weighted.map(\.1))
    let bound = UInt64(generators.count - 1)
    return Generator { source in
      try source.span(.branch) {
        let swarm = source.swarm(of: bound + 1)
        let index = try source.choose(through: bound) { $0.index(weights: weights, in: swarm) }
        return try generators[Int(index)].draw(source)
      }
    }
  }

  /// Returns a generator of values that can contain other values of the same type.
  ///
  ///     indirect enum Shape { case dot, both(Shape, Shape) }
  ///     let shape = Generator<Shape>.recursive(.constant(.dot)) { inner in
  ///       zip(inner, inner).map { .both($0, $1) }
  ///     }
  ///
  /// - Parameters:
  ///   - leaf: The generator of values without nested values.
  ///   - depth: The maximum nesting depth, which is at least 0.
  ///   - branch: A function that receives a generator of nested values, and returns the generator of the values that
  ///     contain them.
  /// - Returns: The generator.
  public static func recursive(
    _ leaf: Generator, depth: Int = 5, _ branch: (Generator) -> Generator
  ) -> Generator {
    // The deepest level makes the choice too, with a forced result. So all levels have the same structure, and
    // shrinking can exchange them.
    var whole = Generator { source in
      try source.span(.recursion) {
        try source.force(0, through: 1)
        return try leaf.draw(source)
      }
    }
    for _ in 0..<depth {
      let inner = branch(whole)
      whole = Generator { source in
        try source.span(.recursion) { try source.flip(0.5) ? inner.draw(source) : leaf.draw(source) }
      }
    }
    return whole
  }
}

extension SplitMix64 {
  /// Returns the index of a random weight, with probabilities proportional to the weights.
  ///
  /// - Parameters:
  ///   - weights: The weights.
  ///   - swarm: The permitted indices, or `nil` for all.
  /// - Returns: The index.
  mutating func index(weights: [UInt64], in swarm: Swarm? = nil) -> UInt64 {
    func weight(_ index: Int) -> UInt64 { swarm?.has(UInt64(index)) ?? true ? weights[index] : 0 }
    var rest = next(below: weights.indices.reduce(0) { $0 + weight($1) })
    for index in weights.indices {
      if rest < weight(index) { return UInt64(index) }
      rest -= weight(index)
    }
    return 0
  }

  /// Returns a random number below a bound, limited to the numbers of a swarm, if any.
  mutating func next(below bound: UInt64, in swarm: Swarm?) -> UInt64 {
    guard let swarm else { return next(below: bound) }
    var rest = next(below: swarm.count)
    for index in 0..<bound where swarm.has(index) {
      if rest == 0 { return index }
      rest -= 1
    }
    return 0
  }
}

/// The alternatives that are permitted in one case.
///
/// If all alternatives are permitted, a history rarely contains twelve of one kind in a row. So half of the cases omit
/// some alternatives (Groce and others, "Swarm testing", 2012). The swarm doesn't change the meaning of choices, so
/// shrinking and replaying work without it.
struct Swarm {
  private let mask: UInt64

  /// Creates a swarm that omits about half of the alternatives, but never all of them.
  ///
  /// - Parameters:
  ///   - word: The number of the case, which determines the omitted alternatives.
  ///   - count: The number of alternatives, from 2 through 64.
  init(_ word: UInt64, of count: UInt64) {
    let all = UInt64.max >> (64 - count)
    let mask = SplitMix64.mixed(word &+ count) & all
    self.mask = mask == 0 ? all : mask
  }

  var count: UInt64 { UInt64(mask.nonzeroBitCount) }

  func has(_ index: UInt64) -> Bool { mask >> index & 1 == 1 }
}

extension Draw {
  /// Returns the permitted alternatives of this case, or `nil` if all are permitted or the count isn't in 2 through 64.
  func swarm(of count: UInt64) -> Swarm? {
    plan.swarm != 0 && (2...64).contains(count) ? Swarm(plan.swarm, of: count) : nil
  }
}

// Pairs and triples have no parameter pack. The compiler of Swift 6.3 rejects `tuple.2` if the tuple's type comes from
// a pack with leading elements, and it doesn't infer `String?` for an element from the context of a pack.

/// Returns a generator of pairs.
///
/// - Parameters:
///   - first: The generator of the first element.
///   - second: The generator of the second element.
/// - Returns: The generator.
public func zip<First, Second>(_ first: Generator<First>, _ second: Generator<Second>) -> Generator<(First, Second)> {
  Generator { source in (try source(first), try source(second)) }
}

/// Returns a generator of tuples with three elements.
///
/// - Parameters:
///   - first: The generator of the first element.
///   - second: The generator of the second element.
///   - third: The generator of the third element.
/// - Returns: The generator.
public func zip<First, Second, Third>(
  _ first: Generator<First>, _ second: Generator<Second>, _ third: Generator<Third>
) -> Generator<(First, Second, Third)> {
  Generator { source in (try source(first), try source(second), try source(third)) }
}

/// Returns a generator of tuples with four or more elements.
///
/// - Parameters:
///   - first: The generator of the first element.
///   - second: The generator of the second element.
///   - third: The generator of the third element.
///   - fourth: The generator of the fourth element.
///   - rest: The generators of the other elements.
/// - Returns: The generator.
public func zip<First, Second, Third, Fourth, each Rest>(
  _ first: Generator<First>, _ second: Generator<Second>, _ third: Generator<Third>, _ fourth: Generator<Fourth>,
  _ rest: repeat Generator<each Rest>
) -> Generator<(First, Second, Third, Fourth, repeat each Rest)> {
  Generator { source in
    (
      try source(first), try source(second), try source(third), try source(fourth), repeat try source(each rest)
    )
  }
}

/// Returns a string or character that is equal to a value but has other scalars, or `nil` if there is none.
private func otherSpelling<Value>(of value: Value) -> Value? {
  let text = (value as? Character).map { String($0) } ?? value as? String ?? ""
  guard text.utf8.contains(where: { $0 >= 0x80 }) else { return nil }
  let others = [text.decomposedStringWithCanonicalMapping, text.precomposedStringWithCanonicalMapping]
  let other = others.first { !$0.utf8.elementsEqual(text.utf8) }
  return other.flatMap { $0 as? Value ?? $0.first.flatMap { $0 as? Value } }
}
