/// A way to make values for tests.
///
/// A generator is a plain value. Combine those that there are, or write one that draws from others:
///
///     let price = Generator { draw in
///       let whole = try draw(.int(in: 0...99))
///       return Double(whole) + 0.99
///     }
///
/// There is nothing to write for shrinking: a failing case is shrunk by running its generators on simpler choices, so
/// that every smaller value is one that the generator can make. Generators make simpler values of simpler choices: of
/// alternatives the first, of numbers those near 0, of collections the shorter.
public struct Generator<Value>: Sendable {
  @usableFromInline let draw: @Sendable (Draw) throws -> Value

  /// Creates a generator from a function that draws.
  ///
  /// - Parameter draw: Makes a value of what it draws, and of nothing else.
  @inlinable
  public init(_ draw: @escaping @Sendable (Draw) throws -> Value) {
    self.draw = draw
  }

  /// A generator of what a function makes of each value.
  ///
  /// - Parameter transform: Makes the new value.
  /// - Returns: The generator.
  @inlinable
  public func map<Other>(_ transform: @escaping @Sendable (Value) throws -> Other) -> Generator<Other> {
    Generator<Other> { [draw] source in try transform(draw(source)) }
  }

  /// A generator that draws on from a generator made of each value.
  ///
  /// - Parameter transform: Makes the generator to go on with.
  /// - Returns: The generator.
  @inlinable
  public func flatMap<Other>(
    _ transform: @escaping @Sendable (Value) throws -> Generator<Other>
  ) -> Generator<Other> {
    Generator<Other> { [draw] source in try transform(draw(source)).draw(source) }
  }

  /// A generator of those values that a condition lets through.
  ///
  /// A value that it does not let through is drawn again, twice at most; then the case ends without a verdict. Where
  /// most values would be thrown away, make the right ones with ``map(_:)`` or ``flatMap(_:)`` instead.
  ///
  /// - Parameter isIncluded: Tells whether a value may be used.
  /// - Returns: The generator.
  public func filter(_ isIncluded: @escaping @Sendable (Value) throws -> Bool) -> Generator {
    Generator { [draw] source in
      for _ in 0..<3 {
        let span = source.open(.attempt)
        do {
          let value = try draw(source)
          let isGood = try isIncluded(value)
          source.close(span, discarded: !isGood)
          if isGood { return value }
        } catch {
          source.closeAll(from: span)
          throw error
        }
      }
      throw Discarded.filter
    }
  }

  /// A generator of the same values, some of them missing.
  ///
  /// - Parameter probability: How often there is a value; nil is simpler.
  /// - Returns: The generator.
  public func optional(_ probability: Double = 0.75) -> Generator<Value?> {
    Generator<Value?> { [draw] source in
      try source.span(.branch) { try source.flip(probability) ? draw(source) : nil }
    }
  }
}
