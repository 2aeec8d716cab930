public import Foundation

/// A value by which rows are sorted, grouped into sections and identified.
///
/// Every value is encoded as bytes (``encode(into:)``), and values are sorted by these bytes. Two values are considered
/// equal only if their bytes are equal. Strings are compared by Unicode scalars, -0.0 equals 0.0, and all NaN values
/// are equal and sorted last.
///
/// Strings, Booleans, integers, floating-point numbers, `Decimal`, `Date`, `Duration`, `URL`, `UUID` and ``Position``
/// conform, and also optionals and ``Personal`` values of these types.
///
/// A type with a raw value conforms without further code: `enum Size: Int, Codable, OrderedValue { … }`. A
/// `CaseIterable` enum conforms without further code, too: `enum Status: CaseIterable, OrderedValue { … }`. A
/// `CaseIterable` enum is sorted in the order in which its cases are declared, even if it has raw values.
///
///     enum Status: String, CaseIterable, Codable, OrderedValue { case open, blocked, done }
///     let section: Sectioning<Card> = .by(\.status)
public protocol OrderedValue: Sendable, Hashable {
  /// Writes bytes that sort in the same order as the values.
  ///
  /// - Parameter writer: The buffer for the bytes. The bytes must not be a prefix of another value's bytes.
  func encode(into writer: inout KeyWriter)

  /// The key of the section that contains the rows with this value, by default derived from the value's bytes.
  var sectionKey: SectionKey { get }

  /// The version of the type's sort order, by default "".
  ///
  /// If the version changes, saved lists are rebuilt.
  ///
  /// So if you change how ``encode(into:)`` sorts values, also change the version: `static let orderVersion = "2"`.
  static var orderVersion: String { get }
}

extension OrderedValue {
  /// The default version, "", for a type whose sort order hasn't changed yet.
  public static var orderVersion: String { "" }
}

extension OrderedValue {
  /// A section key derived from the value's bytes.
  public var sectionKey: SectionKey {
    var writer = KeyWriter()
    encode(into: &writer)
    return .other(writer.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
  }
}

extension OrderedValue where Self: RawRepresentable, RawValue: OrderedValue {
  /// Writes the raw value.
  public func encode(into writer: inout KeyWriter) { rawValue.encode(into: &writer) }

  /// The raw value's section key.
  public var sectionKey: SectionKey { rawValue.sectionKey }
}

extension Bool: OrderedValue {
  /// Writes one byte, so that false sorts before true.
  public func encode(into writer: inout KeyWriter) { writer.write(byte: self ? 1 : 0) }

  /// The Boolean value as a section key.
  public var sectionKey: SectionKey { .bool(self) }
}

extension OrderedValue where Self: FixedWidthInteger {
  /// Writes the integer's bytes, so that negative integers sort before positive integers.
  public func encode(into writer: inout KeyWriter) {
    // Integers with at most 64 bits have one word, so that keys of small integers don't become longer.
    var shift = Swift.max(Self.bitWidth - 64, 0)
    var signBit: UInt64 = Self.isSigned ? 1 << 63 : 0
    while true {
      writer.write(word: UInt64(truncatingIfNeeded: self >> shift) ^ signBit)
      if shift == 0 { return }
      signBit = 0
      shift -= 64
    }
  }

  /// The integer as a section key: ``SectionKey/int(_:)``, or ``SectionKey/other(_:)`` with the integer's digits if it
  /// doesn't fit in an `Int`.
  public var sectionKey: SectionKey { Int(exactly: self).map(SectionKey.int) ?? .other(String(self)) }
}

extension Int: OrderedValue {}
extension Int8: OrderedValue {}
extension Int16: OrderedValue {}
extension Int32: OrderedValue {}
extension Int64: OrderedValue {}
extension UInt: OrderedValue {}
extension UInt8: OrderedValue {}
extension UInt16: OrderedValue {}
extension UInt32: OrderedValue {}
extension UInt64: OrderedValue {}
extension Int128: OrderedValue {}
extension UInt128: OrderedValue {}

extension Double: OrderedValue {
  /// Writes the number so that -0 equals 0, and NaN is sorted last.
  ///
  /// All other numbers are sorted by `totalOrder` of IEEE 754-2019.
  public func encode(into writer: inout KeyWriter) {
    if isNaN { return writer.write(word: .max) }
    let bits = (self == 0 ? 0 : self).bitPattern
    writer.write(word: bits >> 63 == 1 ? ~bits : bits | 1 << 63)
  }

  /// The number as a section key.
  public var sectionKey: SectionKey { .double(self) }
}

extension Float: OrderedValue {
  /// Writes the number as a `Double`.
  public func encode(into writer: inout KeyWriter) { Double(self).encode(into: &writer) }

  /// The number as a section key.
  public var sectionKey: SectionKey { .double(Double(self)) }
}

extension String: OrderedValue {
  /// Writes the string's UTF-8 bytes, so that strings sort by their Unicode scalars.
  public func encode(into writer: inout KeyWriter) { writer.write(text: self) }

  /// The string as a section key.
  public var sectionKey: SectionKey { .string(self) }
}

extension Date: OrderedValue {
  /// Writes the date as the number of seconds since January 1, 2001.
  public func encode(into writer: inout KeyWriter) { timeIntervalSinceReferenceDate.encode(into: &writer) }

  /// The date as a section key.
  public var sectionKey: SectionKey { .date(self) }
}

extension UUID: OrderedValue {
  /// Writes the UUID's sixteen bytes.
  public func encode(into writer: inout KeyWriter) {
    withUnsafeBytes(of: uuid) { for byte in $0 { writer.write(byte: byte) } }
  }

  /// The UUID's string as a section key.
  public var sectionKey: SectionKey { .string(uuidString) }
}

extension Optional: OrderedValue where Wrapped: OrderedValue {
  /// Writes the optional, with `nil` before all other values.
  public func encode(into writer: inout KeyWriter) {
    switch self {
    case .none: writer.write(byte: 0)
    case .some(let value):
      writer.write(byte: 1)
      value.encode(into: &writer)
    }
  }

  /// The wrapped value's section key, or ``SectionKey/null`` for `nil`.
  public var sectionKey: SectionKey { self?.sectionKey ?? .null }

  /// The ``orderVersion`` of the wrapped type.
  ///
  /// Optionals don't need another version, because all values except `nil` are sorted like values of the wrapped type.
  public static var orderVersion: String { Wrapped.orderVersion }
}
