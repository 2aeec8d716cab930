/// A JSON value as the contract of a log reads it: strings and names by their scalars, numbers by their value.
///
/// Foundation's readers join names that are canonically equal and lose the text of a number, so that a log read through
/// them would not be the log that was written.
public enum JSONValue: Hashable, Sendable {
  /// Nothing.
  case null
  /// True or false.
  case bool(Bool)
  /// A number, exact.
  case number(JSONNumber)
  /// A text.
  case string(String)
  /// Values in order.
  case array([JSONValue])
  /// The members that are not null, by name; null and absent are the same.
  case object([Member])

  /// A value of an object with its name.
  public struct Member: Hashable, Sendable {
    /// The name.
    public let name: String
    /// The value.
    public let value: JSONValue

    package init(name: String, value: JSONValue) {
      self.name = name
      self.value = value
    }

    /// Tells whether names are the same scalars, and values equal.
    public static func == (left: Member, right: Member) -> Bool {
      ExactString(left.name) == ExactString(right.name) && left.value == right.value
    }

    /// Feeds name and value.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(ExactString(name))
      hasher.combine(value)
    }
  }

  /// Reads one value, and nothing after it.
  ///
  /// - Parameter text: A text that is JSON by RFC 8259.
  /// - Throws: What was expected and what was found, with the byte.
  public init(parsing text: String) throws {
    if let plain = Self.plainString(text) {
      self = .string(plain)
      return
    }
    let tape = JSONTape()
    try tape.load(text, strictly: true)
    self = tape.value()
  }

  /// What stands between the quotes of a text that is a string without an escape; nil of any other text.
  ///
  /// Most texts that are read by themselves are of this kind: a member of metadata, an attribute of an imported line.
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

  /// Compares two values: strings by their scalars, numbers by their value.
  ///
  /// A deep value needs no deep stack. A recursion took 2 KB a level in a debug build, and 256 levels of that are the
  /// whole stack of a secondary thread on Apple's systems.
  ///
  /// - Complexity: O(n) for the n values inside.
  public static func == (left: JSONValue, right: JSONValue) -> Bool {
    guard var rest = parts(left, right) else { return false }
    while let (one, other) = rest.popLast() {
      guard let inner = parts(one, other) else { return false }
      rest += inner
    }
    return true
  }

  /// The pairs of values inside of two values that must be equal, or nil if the two differ already.
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

  /// Feeds what makes values equal.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .number(let value): hasher.combine(value)
    case .string(let value): hasher.combine(ExactString(value))
    case .array(let values): hasher.combine(values)
    case .object(let members): hasher.combine(members)
    }
  }

  /// The value as compact JSON: numbers as they came, members by name.
  public var text: String { written(isCanonical: false) }

  /// The one text that all equal values share.
  package var canonicalText: String { written(isCanonical: true) }

  private func written(isCanonical: Bool) -> String {
    let text = JSONText()
    write(to: text, isCanonical)
    return text.text
  }

  private func write(to text: JSONText, _ isCanonical: Bool) {
    switch self {
    case .null: text.add("null")
    case .bool(let value): text.add(value ? "true" : "false")
    case .number(let value): text.add(bare: isCanonical ? value.canonicalText : value.text)
    case .string(let value): text.add(quoted: value, .numbered)
    case .array(let values):
      text.add(UInt8(ascii: "["))
      for (index, value) in values.enumerated() {
        if index > 0 { text.add(UInt8(ascii: ",")) }
        value.write(to: text, isCanonical)
      }
      text.add(UInt8(ascii: "]"))
    case .object(let members):
      text.add(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { text.add(UInt8(ascii: ",")) }
        text.add(quoted: member.name, .numbered)
        text.add(UInt8(ascii: ":"))
        member.value.write(to: text, isCanonical)
      }
      text.add(UInt8(ascii: "}"))
    }
  }

  /// A string as JSON writes it, with everything below space escaped.
  package static func quoted(_ string: String) -> String {
    let text = JSONText(capacity: string.utf8.count + 16)
    text.add(quoted: string, .numbered)
    return text.text
  }
}
