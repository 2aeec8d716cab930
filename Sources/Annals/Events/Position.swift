/// Where an event stands in the whole log.
///
/// The first event has position 1. As a state, position P is the log's first P events, and 0 is the empty log. Commit
/// order is position order. No position is left out, except where a compaction cut events.
public struct Position: Hashable, Comparable, Sendable, Codable, ExpressibleByIntegerLiteral, CustomStringConvertible {
  /// The number, counted from 1; 0 stands before the first event.
  public let rawValue: Int

  /// Creates a position from its number.
  ///
  /// - Parameter rawValue: The number, 0 or more.
  public init(_ rawValue: Int) {
    precondition(rawValue >= 0, "`rawValue` must be at least 0 (was \(rawValue))")
    self.rawValue = rawValue
  }

  /// Creates a position from a literal, 0 or more.
  public init(integerLiteral value: Int) {
    self.init(value)
  }

  /// Decodes a position from its number, refusing a negative one.
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

  /// Tells whether one position stands before another.
  public static func < (left: Position, right: Position) -> Bool {
    left.rawValue < right.rawValue
  }

  /// The position's number.
  public var description: String { String(rawValue) }
}

/// A row can have the position of its event as its id, and rows can be sorted and sectioned by it.
extension Position: OrderedValue {
  /// Writes the number.
  public func encode(into writer: inout KeyWriter) { rawValue.encode(into: &writer) }

  /// The key of the number.
  public var sectionKey: SectionKey { .int(rawValue) }
}
