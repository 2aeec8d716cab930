import Annals
import AnnalsLog
import AnnalsTesting
import Testing

/// Numbers at the limits of what a text can contain, compared with a model of plain digits.
@Suite struct JSONNumberTests {
  /// A number as a child would compare it: whole digits times a power of ten.
  private struct Model {
    let isNegative: Bool
    /// Without zeros at either end; empty for zero.
    let digits: String
    /// The power of ten of the last digit.
    let power: Int

    /// Nil if the written power is beyond 1,000,000,000.
    init?(_ text: String) {
      let parts = text.lowercased().split(separator: "e", maxSplits: 1).map(String.init)
      var power = 0
      if parts.count > 1 {
        let isBelow = parts[1].hasPrefix("-")
        let written = String(parts[1].drop { $0 == "-" || $0 == "+" }.drop { $0 == "0" })
        // Compared by its digits, because it may fit into no integer.
        guard written.count < 10 || (written.count == 10 && written <= "1000000000") else { return nil }
        power = (isBelow ? -1 : 1) * (Int(written) ?? 0)
      }
      let number = parts[0].drop { $0 == "-" }.split(separator: ".").map(String.init)
      if number.count > 1 { power -= number[1].count }
      var digits = String(number.joined().drop { $0 == "0" })
      while digits.hasSuffix("0") {
        digits.removeLast()
        power += 1
      }
      self.digits = digits
      self.power = digits.isEmpty ? 0 : power
      isNegative = text.hasPrefix("-") && !digits.isEmpty
    }

    /// Compares two magnitudes: by their digits before the point, then digit by digit.
    private func isSmaller(than other: Model) -> Bool {
      if digits.isEmpty || other.digits.isEmpty { return digits.isEmpty && !other.digits.isEmpty }
      let (places, others) = (digits.count + power, other.digits.count + other.power)
      if places != others { return places < others }
      let width = max(digits.count, other.digits.count)
      func filled(_ digits: String) -> String { digits + String(repeating: "0", count: width - digits.count) }
      return filled(digits) < filled(other.digits)
    }

    func precedes(_ other: Model) -> Bool {
      if isNegative != other.isNegative { return isNegative }
      return isNegative ? other.isSmaller(than: self) : isSmaller(than: other)
    }

    func equals(_ other: Model) -> Bool { !precedes(other) && !other.precedes(self) }

    var int: Int? {
      guard power >= 0, power < 30 else { return digits.isEmpty ? 0 : nil }
      return Int((isNegative ? "-" : "") + (digits.isEmpty ? "0" : digits) + String(repeating: "0", count: power))
    }
  }

  private static let ends = [
    "1000000000", "1000000001", "999999999", "\(Int.max)", "9223372036854775808", "9223372036854775809",
    "99999999999999999999", "18446744073709551616", "2147483647", "2147483648", "4294967296", "0", "18", "19", "308",
    "324",
    String(repeating: "0", count: 40) + "7", String(repeating: "9", count: 400),
  ]

  private static let numbers: Generator<String> = {
    let digits = Generator<String>.frequency(
      (6, .string(of: "0123456789", count: 1...20)), (2, .string(of: "09", count: 1...40)),
      (1, .element(of: ["\(Int.max)", "9223372036854775808", "9007199254740993"])),
      (1, Generator.int(in: 1_000...4_000).map { String(repeating: "7", count: $0) }),
      (1, Generator.int(in: 1_000...4_000).map { String(repeating: "0", count: $0) + "1" }))
    let whole = digits.map { text -> String in
      let text = String(text.drop { $0 == "0" })
      return text.isEmpty ? "0" : text
    }
    let fraction = Generator<String>.frequency((2, .constant("")), (1, digits.map { "." + $0 }))
    let power = Generator<String>.frequency(
      (2, .constant("")),
      (2, zip(.element(of: ["e", "E"]), .element(of: ["", "-", "+"]), .int(in: 0...25)).map { "\($0)\($1)\($2)" }),
      (3, zip(.element(of: ["e", "E"]), .element(of: ["", "-", "+"]), .element(of: ends)).map { "\($0)\($1)\($2)" }))
    return zip(.element(of: ["", "-"]), whole, fraction, power).map { $0 + $1 + $2 + $3 }
  }()

  @Test func `a number at any end is read, or refused, and written so that it is read again`() throws {
    try check(Self.numbers, settings: CheckSettings(examples: 200)) { text in
      let model = Model(text)
      let value = try? JSONValue(parsing: text)
      try ensureEqual(value != nil, model != nil)
      try ensureEqual((try? JSON.check(text)) != nil, model != nil)
      guard let model, case .number(let number)? = value else { return }
      try ensure(number == number && !(number < number), "equal with itself")
      try ensureEqual(number.int, model.int)
      try ensureEqual(number.text, text)
      let canonical = number.canonicalText
      guard case .number(let again) = try JSONValue(parsing: canonical) else { return try ensure(false, "a number") }
      try ensure(again == number && again.hashValue == number.hashValue, "\(canonical) is another number")
      try ensureEqual(again.canonicalText, canonical)
      _ = number.double
    }
  }

  @Test func `numbers at any ends are ordered as their digits are`() throws {
    // The second number is often the first one in another spelling.
    let pairs = zip(Self.numbers, Self.numbers, Generator<Int>.int(in: 0...6)).map { one, two, change in
      let (hasPoint, hasPower) = (one.contains("."), one.contains { "eE".contains($0) })
      switch change {
      case 1: return (one, one)
      case 2: return (one, hasPower ? one : one + "e0")
      case 3: return (one, hasPoint || hasPower ? one : one + ".000")
      case 4: return (one, one.hasPrefix("-") ? one : "-" + one)
      default: return (one, two)
      }
    }
    try check(pairs, settings: CheckSettings(examples: 200)) { one, two in
      guard let left = Model(one), let right = Model(two), case .number(let first) = try JSONValue(parsing: one),
        case .number(let second) = try JSONValue(parsing: two)
      else { return }
      try ensureEqual(first < second, left.precedes(right))
      try ensureEqual(second < first, right.precedes(left))
      try ensureEqual(first == second, left.equals(right))
      try ensureEqual(first.canonicalText == second.canonicalText, left.equals(right))
      if first == second { try ensureEqual(first.hashValue, second.hashValue) }
    }
  }

  @Test(arguments: [
    "1e-9223372036854775808", "1e9223372036854775807", "-1E-9223372036854775808", "1e-99999999999999999999",
    "0e1000000001",
  ])
  func `an exponent at the ends of the integers is refused wherever it stands`(text: String) throws {
    #expect(JSONNumber(text: text) == nil)
    for json in [text, "[\(text)]", "{\"a\":{\"b\":\(text)}}"] {
      let failure = #expect(throws: JSONFailure.self) { try JSONValue(parsing: json) }
      #expect(failure?.message == "the number's exponent must be from -1,000,000,000 to 1,000,000,000")
      #expect(throws: try #require(failure)) { try JSON.check(json) }
    }
    let store = MemoryEventStore()
    #expect(throws: EventStoreError.self) { try store.append(Append([NewEvent(type: "T", payload: text)], to: "s")) }
  }

  @Test(arguments: [
    ("12e1000000000", "12e1000000000"), ("120e999999999", "12e1000000000"), ("1.5e1000000000", "1.5e1000000000"),
    ("1e1000000000", "1e1000000000"), ("100e1000000000", "100e1000000000"),
    ("0.01e-1000000000", "0.01e-1000000000"), ("0.1e-999999999", "1e-1000000000"),
    ("0.25e-1000000000", "0.25e-1000000000"),
  ])
  func `a canonical text has a power that can be read`(text: String, canonical: String) throws {
    #expect(JSONNumber(text: text)?.canonicalText == canonical)
    #expect(try JSONValue(parsing: canonical) == JSONValue(parsing: text))
  }
}
