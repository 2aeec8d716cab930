/// A generator of random values for tests.
///
/// You can combine existing generators, or write a generator that draws values from other generators:
///
///     let price = Generator { draw in
///       let whole = try draw(.int(in: 0...99))
///       return Double(whole) + 0.99
///     }
///
/// You don't need to write code for shrinking. A check shrinks a failing case by running its generators with simpler
/// choices, so every smaller value is a value that the generator can produce. Simpler choices produce simpler values,
/// such as the first alternative, numbers near 0, and shorter collections.
public struct Generator<Value>: Sendable {
  @usableFromInline let draw: @Sendable (Draw) throws -> Value

  /// Creates a generator from a function that draws values.
  ///
  /// - Parameter draw: A function that creates a value. It must take all randomness from its argument, a ``Draw``.
  @inlinable
  public init(_ draw: @escaping @Sendable (Draw) throws -> Value) {
    self.draw = draw
  }

  /// Returns a generator of transformed values.
  ///
  /// - Parameter transform: The function that transforms a value.
  /// - Returns: The generator.
  @inlinable
  public func map<Other>(_ transform: @escaping @Sendable (Value) throws -> Other) -> Generator<Other> {
    Generator<Other> { [draw] source in try transform(draw(source)) }
  }

  /// Returns a generator that draws a value, and then draws from the generator that `transform` returns for that value.
  ///
  /// - Parameter transform: The function that returns the next generator for a value.
  /// - Returns: The generator.
  @inlinable
  public func flatMap<Other>(
    _ transform: @escaping @Sendable (Value) throws -> Generator<Other>
  ) -> Generator<Other> {
    Generator<Other> { [draw] source in try transform(draw(source)).draw(source) }
  }

  /// Returns a generator of the values that meet a condition.
  ///
  /// A value that doesn't meet the condition is redrawn, at most twice. If the last value doesn't meet the condition
  /// either, the case ends without passing or failing. If the condition would discard most values, generate suitable
  /// values with ``map(_:)`` or ``flatMap(_:)`` instead.
  ///
  /// - Parameters:
  ///   - isIncluded: A function that returns true for a value that meets the condition.
  ///   - fileID: The file that contains the call, for the report if most values are discarded.
  ///   - line: The line of the call.
  /// - Returns: The generator.
  public func filter(
    _ isIncluded: @escaping @Sendable (Value) throws -> Bool, fileID: String = #fileID, line: UInt = #line
  ) -> Generator {
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
      throw Discarded.filter("Generator<\(Value.self)>.filter(_:) at \(fileID):\(line)")
    }
  }

  /// Returns a generator of optional values, which shrink toward `nil`.
  ///
  /// - Parameter probability: The probability of a value that isn't `nil`, from 0 through 1.
  /// - Returns: The generator.
  public func optional(_ probability: Double = 0.75) -> Generator<Value?> {
    Generator<Value?> { [draw] source in
      try source.span(.branch) { try source.flip(probability) ? draw(source) : nil }
    }
  }
}
