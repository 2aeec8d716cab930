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
  /// An empty collection has nothing to draw: the case, or the step of a machine, ends without a verdict.
  ///
  /// - Parameter elements: The elements.
  /// - Returns: The generator.
  public static func element<Elements: Collection & Sendable>(of elements: Elements) -> Generator
  where Elements.Element == Value {
    let count = UInt64(elements.count)
    return Generator { source in
      guard count > 0 else { throw Discarded.filter }
      let index = try source.choose(through: count - 1) { $0.next(below: count) }
      return elements[elements.index(elements.startIndex, offsetBy: Int(index))]
    }
  }

  /// A generator of all cases of a type; the first ones are simpler.
  ///
  /// - Returns: The generator.
  public static func anyCase() -> Generator where Value: CaseIterable & Sendable {
    element(of: Array(Value.allCases))
  }

  /// A generator that draws from one of several generators, each equally often.
  ///
  /// - Parameter generators: The generators, one or more; the values of the first are the simplest.
  /// - Returns: The generator.
  public static func oneOf(_ generators: Generator...) -> Generator {
    frequency(generators.map { (1, $0) })
  }

  /// A generator that draws from one of several generators, some more often than others.
  ///
  /// - Parameter weighted: Weights, 1 or more, and generators; the values of the first are the simplest.
  /// - Returns: The generator.
  public static func frequency(_ weighted: (weight: Int, generator: Generator)...) -> Generator {
    frequency(weighted.map { ($0.weight, $0.generator) })
  }

  static func frequency(_ weighted: [(Int, Generator)]) -> Generator {
    precondition(!weighted.isEmpty, "a choice needs a generator")
    precondition(weighted.allSatisfy { $0.0 > 0 }, "a weight is 1 or more: \(weighted.map(\.0))")
    let (weights, generators) = (weighted.map { UInt64($0.0) }, weighted.map(\.1))
    let bound = UInt64(generators.count - 1)
    return Generator { source in
      try source.span(.branch) {
        let index = try source.choose(through: bound) { $0.index(weights: weights) }
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
  mutating func index(weights: [UInt64]) -> UInt64 {
    var rest = next(below: weights.reduce(0, +))
    for (index, weight) in weights.enumerated() {
      if rest < weight { return UInt64(index) }
      rest -= weight
    }
    return 0
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
