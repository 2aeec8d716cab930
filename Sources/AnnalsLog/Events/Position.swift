/// The position of an event in the whole log.
///
/// The first event has position 1. The state at a position results from all events up to and including this position,
/// so the state at position 0 is the state of an empty log. An event that is committed later has a higher position.
/// Positions have no gaps, except where a compaction removed events.
public struct Position: Hashable, Comparable, Sendable, Codable, ExpressibleByIntegerLiteral, CustomStringConvertible {
  /// The position's number, which is 1 for the log's first event, or 0 for the position before this event.
  public let rawValue: Int

  /// Creates a position from its number.
  ///
  /// - Parameter rawValue: The number, at least 0.
  public init(_ rawValue: Int) {
    precondition(rawValue >= 0, "a position must be at least 0 (was \(rawValue))")
    self.rawValue = rawValue
  }

  /// Creates a position from an integer literal, which must be at least 0.
  public init(integerLiteral value: Int) {
    self.init(value)
  }

  /// Decodes a position from its number, and throws for a negative number.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let number = try container.decode(Int.self)
    guard number >= 0 else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "a position must be at least 0 (was \(number))")
    }
    rawValue = number
  }

  /// Encodes the position as its number.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }

  /// Returns the position at a given distance after or before this position.
  ///
  ///     let next = try store.events(of: BookEvent.self, after: store.head().advanced(by: -10))
  ///
  /// The method only adds two numbers. It doesn't check whether the log has an event at the resulting position.
  ///
  /// - Parameter distance: The number of positions, negative for an earlier position. A result below 0 or above
  ///   `Int.max` is a runtime error.
  /// - Returns: The position whose number is ``rawValue`` plus the distance.
  public func advanced(by distance: Int) -> Position {
    let (number, isTooLarge) = rawValue.addingReportingOverflow(distance)
    precondition(!isTooLarge, "position \(rawValue) can't be advanced by \(distance), because the number is too large")
    precondition(
      number >= 0, "position \(rawValue) can't be advanced by \(distance), because a position must be at least 0")
    return Position(number)
  }

  /// Returns whether the left position is before the right position.
  public static func < (left: Position, right: Position) -> Bool {
    left.rawValue < right.rawValue
  }

  /// The position's number.
  public var description: String { String(rawValue) }
}
