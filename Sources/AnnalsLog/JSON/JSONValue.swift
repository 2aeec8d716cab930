/// A JSON value that is compared exactly: strings and names by their Unicode scalars, numbers by their decimal value.
///
/// Foundation's decoders merge members with canonically equivalent names, and lose the original form of numbers. So a
/// log that is read with these decoders would differ from the log that was written.
public enum JSONValue: Hashable, Sendable {
  /// The null value.
  case null
  /// A Boolean value.
  case bool(Bool)
  /// A number, with its exact decimal value.
  case number(JSONNumber)
  /// A string.
  case string(String)
  /// An array of values.
  case array([JSONValue])
  /// An object, as an array of its members, sorted by name.
  ///
  /// Members with the value null are omitted, because a null member equals a missing member.
  case object([JSONMember])

  /// Parses a string that contains exactly one JSON value.
  ///
  /// - Parameter text: The JSON according to RFC 8259.
  /// - Throws: An error that explains what was expected, what was found, and at which byte of the string.
  public init(parsing text: String) throws {
    if let plain = Self.plainString(text) {
      self = .string(plain)
      return
    }
    let tape = JSONTape()
    try tape.load(text, strictly: true)
    self = tape.value()
  }

  /// Returns the contents of a string literal without escapes, or `nil` for any other JSON.
  ///
  /// Most strings that are parsed separately are such literals, for example a member of metadata or an attribute of an
  /// imported line.
  package static func plainString(_ text: String) -> String? {
    var text = text
    return text.withUTF8 { bytes in
      guard bytes.count > 1, bytes[0] == UInt8(ascii: "\""), bytes[bytes.count - 1] == UInt8(ascii: "\"") else {
        return nil
      }
      guard UnsafeRawBufferPointer(bytes).nextOfJSONString(from: 1) == bytes.count - 1 else { return nil }
      return String(decoding: bytes[1..<bytes.count - 1], as: UTF8.self)
    }
  }

  /// Returns whether two values are equal, comparing strings by Unicode scalars and numbers by decimal value.
  ///
  /// The comparison isn't recursive, so deeply nested values don't need a large stack. In a debug build, a recursive
  /// comparison would need 2 KB per level. At 256 levels, it would fill the whole stack of a secondary thread on
  /// Apple's systems.
  ///
  /// - Complexity: O(n) for n nested values.
  public static func == (left: JSONValue, right: JSONValue) -> Bool {
    guard var rest = parts(left, right) else { return false }
    while let (one, other) = rest.popLast() {
      guard let inner = parts(one, other) else { return false }
      rest += inner
    }
    return true
  }

  /// Returns the pairs of nested values that must be equal, or `nil` if the two values differ already.
  private static func parts(_ left: JSONValue, _ right: JSONValue) -> [(JSONValue, JSONValue)]? {
    let isEqual: Bool
    switch (left, right) {
    case (.null, .null): isEqual = true
    case (.bool(let one), .bool(let other)): isEqual = one == other
    case (.number(let one), .number(let other)): isEqual = one == other
    case (.string(let one), .string(let other)): isEqual = ExactString(one) == ExactString(other)
    case (.array(let one), .array(let other)):
      return one.count == other.count ? Array(zip(one, other)) : nil
    case (.object(let one), .object(let other)):
      guard one.count == other.count,
        zip(one, other).allSatisfy({ ExactString($0.name) == ExactString($1.name) })
      else { return nil }
      return zip(one, other).map { ($0.value, $1.value) }
    default: isEqual = false
    }
    return isEqual ? [] : nil
  }

  /// Hashes the parts of the value that `==` compares.
  ///
  /// - Complexity: O(n) for n nested values.
  public func hash(into hasher: inout Hasher) {
    var rest = [self]
    while let value = rest.popLast() {
      switch value {
      case .null: hasher.combine(0)
      case .bool(let value): hasher.combine(value)
      case .number(let value): hasher.combine(value)
      case .string(let value): hasher.combine(ExactString(value))
      case .array(let values):
        hasher.combine(values.count)
        rest += values
      case .object(let members):
        hasher.combine(members.count)
        for member in members {
          hasher.combine(ExactString(member.name))
          rest.append(member.value)
        }
      }
    }
  }

  /// The value as a JSON string without whitespace.
  ///
  /// Numbers are written in their original form, and members are sorted by name.
  public var text: String { written(isCanonical: false) }

  /// The value as JSON in a canonical form, which is the same for all equal values.
  package var canonicalText: String { written(isCanonical: true) }

  private func written(isCanonical: Bool) -> String {
    let text = JSONText()
    // The arrays and objects that are being written, with the index of the next element or member. For a value that an
    // upcaster nests deeply, recursion would need more stack than a secondary thread has on Apple's systems.
    var open: [(value: JSONValue, next: Int)] = []
    func write(_ value: JSONValue) {
      if value.write(plainTo: text, isCanonical) { return }
      text.add(UInt8(ascii: value.array == nil ? "{" : "["))
      open.append((value, 0))
    }
    write(self)
    while let (value, next) = open.last {
      switch value {
      case .array(let values) where next < values.count:
        if next > 0 { text.add(UInt8(ascii: ",")) }
        open[open.count - 1].next += 1
        write(values[next])
      case .object(let members) where next < members.count:
        if next > 0 { text.add(UInt8(ascii: ",")) }
        open[open.count - 1].next += 1
        text.add(quoted: members[next].name, .numbered)
        text.add(UInt8(ascii: ":"))
        write(members[next].value)
      default:
        text.add(UInt8(ascii: value.array == nil ? "}" : "]"))
        open.removeLast()
      }
    }
    return text.text
  }

  /// Writes the value, or returns false without writing if it is an array or an object.
  private func write(plainTo text: JSONText, _ isCanonical: Bool) -> Bool {
    switch self {
    case .null: text.add("null")
    case .bool(let value): text.add(value ? "true" : "false")
    case .number(let value): text.add(bare: isCanonical ? value.canonicalText : value.text)
    case .string(let value): text.add(quoted: value, .numbered)
    case .array, .object: return false
    }
    return true
  }

  /// Returns a string as JSON, in which all characters below space are escaped.
  package static func quoted(_ string: String) -> String {
    let text = JSONText(capacity: string.utf8.count + 16)
    text.add(quoted: string, .numbered)
    return text.text
  }
}

/// A member of an object, with its name and value.
public struct JSONMember: Hashable, Sendable {
  /// The member's name.
  public let name: String
  /// The member's value.
  public let value: JSONValue

  package init(name: String, value: JSONValue) {
    self.name = name
    self.value = value
  }

  /// Returns whether two members have equal values, and names with the same Unicode scalars.
  public static func == (left: JSONMember, right: JSONMember) -> Bool {
    ExactString(left.name) == ExactString(right.name) && left.value == right.value
  }

  /// Hashes the name and the value.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ExactString(name))
    hasher.combine(value)
  }
}
