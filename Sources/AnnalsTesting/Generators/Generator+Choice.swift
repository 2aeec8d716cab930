extension Generator {
  /// A generator of one value.
  ///
  /// - Parameter value: The value.
  /// - Returns: The generator.
  public static func constant(_ value: Value) -> Generator where Value: Sendable {
    Generator { _ in value }
  }

  /// A generator of the elements of a collection; the first ones are simpler.
  ///
  /// An empty collection has no elements to draw: the case, or the step of a machine, ends without a verdict. A check
  /// whose cases all end like this fails, and its report names this generator.
  ///
  /// - Parameters:
  ///   - elements: The elements.
  ///   - fileID: The file of the call, for the report.
  ///   - line: The line of the call.
  /// - Returns: The generator.
  public static func element<Elements: Collection & Sendable>(
    of elements: Elements, fileID: String = #fileID, line: UInt = #line
  ) -> Generator where Elements.Element == Value {
    let count = UInt64(elements.count)
    guard count > 0 else { return none("element(of:)", "its collection is empty", fileID, line) }
    return Generator { source in
      let swarm = source.swarm(of: count)
      let index = try source.choose(through: count - 1) { $0.next(below: count, in: swarm) }
      return elements[elements.index(elements.startIndex, offsetBy: Int(index))]
    }
  }

  /// A generator of all cases of a type; the first ones are simpler.
  ///
  /// - Parameters:
  ///   - fileID: The file of the call, for the report if the type has no case.
  ///   - line: The line of the call.
  /// - Returns: The generator.
  public static func anyCase(fileID: String = #fileID, line: UInt = #line) -> Generator
  where Value: CaseIterable & Sendable {
    let cases = Array(Value.allCases)
    return cases.isEmpty ? none("anyCase()", "the type has no case", fileID, line) : element(of: cases)
  }

  /// A generator that draws from one of several generators, each equally often.
  ///
  /// - Parameters:
  ///   - generators: The generators, one or more. The values of the first are the simplest.
  ///   - fileID: The file of the call, for the report if no generator is passed.
  ///   - line: The line of the call.
  /// - Returns: The generator.
  public static func oneOf(
    _ generators: Generator..., fileID: String = #fileID, line: UInt = #line
  ) -> Generator {
    guard !generators.isEmpty else { return none("oneOf(_:)", "it has no generator to draw from", fileID, line) }
    return frequency(generators.map { (1, $0) })
  }

  /// A generator that draws from one of several generators, some more often than others.
  ///
  /// - Parameters:
  ///   - weighted: Weights, 0 or more, and generators. The values of the first are the simplest. A generator of weight
  ///     0 is left out. If none is left, or a weight is less than 0, no value is made, and the report names the reason.
  ///   - fileID: The file of the call, for the report.
  ///   - line: The line of the call.
  /// - Returns: The generator.
  public static func frequency(
    _ weighted: (weight: Int, generator: Generator)..., fileID: String = #fileID, line: UInt = #line
  ) -> Generator {
    let weights = weighted.map(\.weight)
    let reason: String? =
      if weights.isEmpty {
        "it has no generator to draw from"
      } else if let wrong = weights.first(where: { $0 < 0 }) {
        "a weight is 0 or more, found \(wrong)"
      } else if weights.allSatisfy({ $0 == 0 }) {
        weights.count == 1 ? "its only weight is 0" : "all of its \(weights.count) weights are 0"
      } else if weights.reduce(0 as Double, { $0 + Double($1) }) >= 0x1p63 {
        "the sum of its weights is too large: \(weights)"
      } else {
        nil
      }
    if let reason { return none("frequency(_:)", reason, fileID, line) }
    return frequency(weighted.filter { $0.weight > 0 }.map { ($0.weight, $0.generator) })
  }

  /// A generator without a value.
  static func none(_ name: String, _ reason: String, _ fileID: String, _ line: UInt) -> Generator {
    let text = "Generator<\(Value.self)>.\(name) at \(fileID):\(line) has no value: \(reason)"
    return Generator { _ in throw Discarded.noValue(text) }
  }

  /// A generator that draws from some, one or more, with weights of 1 or more.
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

  /// A generator of values that contain values of their own kind.
  ///
  ///     indirect enum Shape { case dot, both(Shape, Shape) }
  ///     let shape = Generator<Shape>.recursive(.constant(.dot)) { inner in
  ///       zip(inner, inner).map { .both($0, $1) }
  ///     }
  ///
  /// - Parameters:
  ///   - leaf: Makes values that contain no other.
  ///   - depth: The largest number of values inside each other, 0 or more.
  ///   - branch: Makes the generator of values that contain others, drawn from the generator that it gets.
  /// - Returns: The generator.
  public static func recursive(
    _ leaf: Generator, depth: Int = 5, _ branch: (Generator) -> Generator
  ) -> Generator {
    // The deepest level makes the choice too, with a known result. So all levels have the same structure and are
    // interchangeable when a case is shrunk.
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
  /// The number of a weight, heavier ones more often.
  ///
  /// - Parameters:
  ///   - weights: The weights.
  ///   - swarm: The numbers that may come; nil for all.
  /// - Returns: The number.
  mutating func index(weights: [UInt64], in swarm: Swarm? = nil) -> UInt64 {
    func weight(_ index: Int) -> UInt64 { swarm?.has(UInt64(index)) ?? true ? weights[index] : 0 }
    var rest = next(below: weights.indices.reduce(0) { $0 + weight($1) })
    for index in weights.indices {
      if rest < weight(index) { return UInt64(index) }
      rest -= weight(index)
    }
    return 0
  }

  /// A number below a bound that a swarm has.
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

/// The alternatives that may come in one case.
///
/// A history in which everything may come hardly has twelve of one kind in a row. So in half of the cases some
/// alternatives are left out (Groce and others, "Swarm testing", 2012). The case's choices are what they always are:
/// shrinking and replaying know nothing of it.
struct Swarm {
  private let mask: UInt64

  /// Leaves out about half of some alternatives, and not all of them.
  ///
  /// - Parameters:
  ///   - word: The number of the case, which says what is left out.
  ///   - count: How many alternatives there are, 2 through 64.
  init(_ word: UInt64, of count: UInt64) {
    let all = UInt64.max >> (64 - count)
    let mask = SplitMix64.mixed(word &+ count) & all
    self.mask = mask == 0 ? all : mask
  }

  var count: UInt64 { UInt64(mask.nonzeroBitCount) }

  func has(_ index: UInt64) -> Bool { mask >> index & 1 == 1 }
}

extension Draw {
  /// What may come of some alternatives in this case; nil if all may, or if they are too many to be kinds.
  func swarm(of count: UInt64) -> Swarm? {
    plan.swarm != 0 && (2...64).contains(count) ? Swarm(plan.swarm, of: count) : nil
  }
}

/// A generator of tuples.
///
/// - Parameters:
///   - first: Makes the first part.
///   - second: Makes the second part.
///   - rest: Make the other parts.
/// - Returns: The generator.
public func zip<First, Second, each Rest>(
  _ first: Generator<First>, _ second: Generator<Second>, _ rest: repeat Generator<each Rest>
) -> Generator<(First, Second, repeat each Rest)> {
  Generator { source in
    (try source(first), try source(second), repeat try source(each rest))
  }
}
