public import Annals

/// The tool's sort order for JSON values: missing values, false, true, numbers, strings, and finally arrays and
/// objects, which all compare as equal.
extension JSONValue: OrderedValue {
  /// Writes the value's sort key: a byte for the value's kind, followed by the value if it is a number or a string.
  ///
  /// The keys sort missing values first, followed by false, true, numbers, strings, and finally arrays and objects.
  public func encode(into writer: inout KeyWriter) {
    switch self {
    case .null: writer.write(byte: 0)
    case .bool(let value): writer.write(byte: value ? 2 : 1)
    case .number(let number):
      writer.write(byte: 3)
      number.encode(into: &writer)
    case .string(let text):
      writer.write(byte: 4)
      writer.write(text: text)
    case .array, .object: writer.write(byte: 5)
    }
  }

  /// The key of the section for rows that have this value.
  ///
  /// Equal values have the same key. For example, 3 and 3.0 have the same key, but "10" and 10 have different keys.
  public var sectionKey: SectionKey {
    switch self {
    case .null: .null
    case .bool(let value): .bool(value)
    case .number(let number): number.int.map { .int($0) } ?? .other(number.canonicalText)
    case .string(let text): .string(text)
    case .array, .object: .other(canonicalText)
    }
  }
}

extension JSONNumber {
  /// Writes the sign, then the exponent and the digits.
  ///
  /// A negative number reverses their order.
  func encode(into writer: inout KeyWriter) {
    if digits.isEmpty { return writer.write(byte: 1) }
    writer.write(byte: isNegative ? 0 : 2)
    writer.write(Magnitude(exponent: exponent, digits: digits), descending: isNegative)
  }

  private struct Magnitude: OrderedValue {
    let exponent: Int
    let digits: [UInt8]

    func encode(into writer: inout KeyWriter) {
      exponent.encode(into: &writer)
      // The digits do not end with a zero, so that the end comes before every continuation.
      for digit in digits { writer.write(byte: digit + 1) }
      writer.write(byte: 0)
    }
  }
}

extension SectionKey {
  /// The JSON value that the key was made from, in its canonical form.
  var json: String {
    switch self {
    case .null: "null"
    case .bool, .int: description
    // The tool's own keys of this kind are JSON; an app's may be any text.
    case .other(let text): (try? JSONValue(parsing: text)) != nil ? text : JSONValue.quoted(text)
    case .string(let text): JSONValue.quoted(text)
    case .double(let value): value.isFinite ? description : JSONValue.quoted(description)
    case .date: JSONValue.quoted(description)
    }
  }
}
