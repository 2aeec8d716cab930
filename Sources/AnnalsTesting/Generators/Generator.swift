/// A way to make values for tests.
///
/// A generator is a plain value. Combine existing ones, or write one that draws from others:
///
///     let price = Generator { draw in
///       let whole = try draw(.int(in: 0...99))
///       return Double(whole) + 0.99
///     }
///
/// You write no code for shrinking. A failing case is shrunk by running its generators on simpler choices, so that
/// every smaller value is one that the generator can make. Simpler choices give simpler values: the first alternative,
/// numbers near 0, shorter collections.
public struct Generator<Value>: Sendable {
  @usableFromInline let draw: @Sendable (Draw) throws -> Value

  /// Creates a generator from a function that draws.
  ///
  /// - Parameter draw: Makes a value from what it draws, and from nothing else.
  @inlinable
  public init(_ draw: @escaping @Sendable (Draw) throws -> Value) {
    self.draw = draw
  }

  /// A generator of transformed values.
  ///
  /// - Parameter transform: Makes the new value.
  /// - Returns: The generator.
  @inlinable
  public func map<Other>(_ transform: @escaping @Sendable (Value) throws -> Other) -> Generator<Other> {
    Generator<Other> { [draw] source in try transform(draw(source)) }
  }

  /// A generator that draws from another generator, which you make from each value.
  ///
  /// - Parameter transform: Makes the generator to continue with.
  /// - Returns: The generator.
  @inlinable
  public func flatMap<Other>(
    _ transform: @escaping @Sendable (Value) throws -> Generator<Other>
  ) -> Generator<Other> {
    Generator<Other> { [draw] source in try transform(draw(source)).draw(source) }
  }

  /// A generator of the values that meet a condition.
  ///
  /// A value that does not meet it is drawn again, at most twice; then the case ends without a verdict. If most values
  /// would be discarded, make the right ones with ``map(_:)`` or ``flatMap(_:)`` instead.
  ///
  /// - Parameters:
  ///   - isIncluded: Returns true for a value that meets the condition.
  ///   - fileID: The file of the call, for the report if most values are discarded.
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
