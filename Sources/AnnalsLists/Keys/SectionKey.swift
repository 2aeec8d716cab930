public import Foundation

/// A key that identifies a section.
///
/// `nil` and "" are different keys, and 10 and "10" are different keys.
public enum SectionKey: Hashable, Sendable, CustomStringConvertible {
  /// The key of the section for rows whose value is `nil`.
  case null
  /// A Boolean value.
  case bool(Bool)
  /// An integer.
  case int(Int)
  /// A floating-point number. As keys, -0 equals 0, and NaN equals NaN.
  case double(Double)
  /// A date.
  case date(Date)
  /// A string. Two strings are the same key only if they have the same Unicode scalars.
  case string(String)
  /// A value of another type, converted to a string.
  case other(String)

  /// Returns whether two keys are the same case with the same value.
  public static func == (left: SectionKey, right: SectionKey) -> Bool {
    left.orderKey == right.orderKey
  }

  /// Hashes the key.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(orderKey)
  }

  /// The default title of a section with this key: "" for ``null``, otherwise the key's value as a string.
  public var description: String {
    switch self {
    case .null: ""
    case .bool(let value): String(value)
    case .int(let value): String(value)
    case .double(let value): String(describing: value)
    case .date(let value): value.formatted(.iso8601)
    case .string(let value), .other(let value): value
    }
  }

  /// The key's kind and value as bytes.
  package var orderKey: OrderKey { OrderKey { encode(into: &$0) } }

  /// Writes the key's kind and value.
  func encode(into writer: inout KeyWriter) {
    switch self {
    case .null: writer.write(byte: 0)
    case .bool(let value):
      writer.write(byte: 1)
      value.encode(into: &writer)
    case .int(let value):
      writer.write(byte: 2)
      value.encode(into: &writer)
    case .double(let value):
      writer.write(byte: 3)
      value.encode(into: &writer)
    case .date(let value):
      writer.write(byte: 4)
      value.encode(into: &writer)
    case .string(let value):
      writer.write(byte: 5)
      value.encode(into: &writer)
    case .other(let value):
      writer.write(byte: 6)
      value.encode(into: &writer)
    }
  }
}

extension SectionKey: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  /// Creates a key from a string literal.
  public init(stringLiteral value: String) { self = .string(value) }

  /// Creates a key from an integer literal.
  public init(integerLiteral value: Int) { self = .int(value) }
}
