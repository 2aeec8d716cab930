import AnnalsTesting
import Foundation

/// The decoding steps of a type: any of Codable's ways, with the result of each.
indirect enum ReadPlan: Sendable {
  enum Leaf: CaseIterable, Sendable {
    case string, int, double, float, bool, int8, uint8, int16, uint16, int32, uint32, int64, uint64, uint, int128
    case uint128, date, data, url, uuid, decimal, ints, doubles, strings, byName, byNumber, byBool, optional, nested
  }

  case single(Leaf)
  case isNil
  case path
  case keyed([Member])
  case unkeyed([Element])

  enum Way: CaseIterable, Sendable { case value, ifPresent, isNil, nestedKeyed, nestedUnkeyed, superDecoder }

  struct Member: Sendable {
    var key: TreeKey
    var way: Way
    var leaf: Leaf
    var plan: ReadPlan?
  }

  struct Element: Sendable {
    var way: Way
    var leaf: Leaf
    var plan: ReadPlan?
  }
}

/// A type that decodes itself by a plan and records the results.
struct PlannedReading: Decodable {
  @TaskLocal static var plan: ReadPlan = .isNil
  /// The result of each step, including errors.
  ///
  /// Decoding continues after an error, because a type may catch it.
  var trace: [String] = []

  init(from decoder: any Decoder) throws {
    let plan = Self.plan
    do {
      switch plan {
      case .path: trace.append(Self.text(decoder.codingPath))
      case .isNil: trace.append("\(try decoder.singleValueContainer().decodeNil())")
      case .single(let leaf): try read(leaf, decoder)
      case .keyed(let members):
        let container = try decoder.container(keyedBy: TreeKey.self)
        trace.append("keys \(container.allKeys.map(\.stringValue).sorted()) at \(Self.text(container.codingPath))")
        for member in members { step { try $0.read(member, container) } }
      case .unkeyed(let elements):
        var container = try decoder.unkeyedContainer()
        trace.append("\(container.count ?? -1) at \(Self.text(container.codingPath))")
        for element in elements {
          step { try $0.read(element, &container) }
          trace.append("\(container.currentIndex) \(container.isAtEnd)")
        }
      }
    } catch {
      trace.append(Self.text(error))
    }
  }

  private mutating func step(_ body: (inout PlannedReading) throws -> Void) {
    do { try body(&self) } catch { trace.append(Self.text(error)) }
  }

  private mutating func note<T>(_ value: T) { trace.append(Self.text(value)) }

  private static func text(_ value: some Any) -> String {
    switch value {
    // A string by its scalars, because a description would hide them. A number by its bits, because -0 equals 0.
    case let value as String: "\(Array(value.unicodeScalars.map(\.value)))"
    case let value as Double: "\(value.bitPattern)"
    case let value as Float: "\(value.bitPattern)"
    case let value as Date: "\(value.timeIntervalSinceReferenceDate.bitPattern)"
    case let value as Data: "\(Array(value))"
    case let value as [Double]: "\(value.map(\.bitPattern))"
    case let value as [String: String]: "\(value.sorted { $0.key < $1.key }.map { (text($0.key), text($0.value)) })"
    case let value as [Int: Int]: "\(value.sorted { $0.key < $1.key })"
    case let value as PlannedReading: "\(value.trace)"
    default: "\(value)"
    }
  }

  private static func text(_ path: [any CodingKey]) -> String {
    path.map { "\($0.stringValue)(\($0.intValue.map(String.init) ?? ""))" }.joined(separator: ".")
  }

  /// An error's kind and path.
  ///
  /// Foundation gives no path for a number or a string that does not fit.
  static func text(_ error: any Error) -> String {
    switch error {
    case DecodingError.typeMismatch(let type, let context): "mismatch \(type) at \(text(context.codingPath))"
    case DecodingError.valueNotFound(let type, let context): "no value \(type) at \(text(context.codingPath))"
    case DecodingError.keyNotFound(let key, let context): "no key \(key.stringValue) at \(text(context.codingPath))"
    case DecodingError.dataCorrupted: "corrupted"
    // Inside, Foundation throws an error of its own, and turns it into corrupted data at the end.
    default: "corrupted"
    }
  }

  private mutating func read(_ leaf: ReadPlan.Leaf, _ decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    switch leaf {
    // The container's own methods, not the general one.
    case .string: note(try container.decode(String.self))
    case .int: note(try container.decode(Int.self))
    case .double: note(try container.decode(Double.self))
    case .bool: note(try container.decode(Bool.self))
    default: note(try PlannedReading.$plan.withValue(.path) { try Self.each(leaf) { try container.decode($0) } })
    }
  }

  private static func each(_ leaf: ReadPlan.Leaf, _ body: (any Decodable.Type) throws -> any Decodable) throws -> Any {
    switch leaf {
    case .string: try body(String.self)
    case .int: try body(Int.self)
    case .double: try body(Double.self)
    case .float: try body(Float.self)
    case .bool: try body(Bool.self)
    case .int8: try body(Int8.self)
    case .uint8: try body(UInt8.self)
    case .int16: try body(Int16.self)
    case .uint16: try body(UInt16.self)
    case .int32: try body(Int32.self)
    case .uint32: try body(UInt32.self)
    case .int64: try body(Int64.self)
    case .uint64: try body(UInt64.self)
    case .uint: try body(UInt.self)
    case .int128: try body(Int128.self)
    case .uint128: try body(UInt128.self)
    case .date: try body(Date.self)
    case .data: try body(Data.self)
    case .url: try body(URL.self)
    case .uuid: try body(UUID.self)
    case .decimal: try body(Decimal.self)
    case .ints: try body([Int].self)
    case .doubles: try body([Double].self)
    case .strings: try body([String].self)
    // The order of Foundation's dictionary decides which of several bad members comes first.
    case .byName: try (try? body([String: String].self)) ?? body(Failing.self)
    case .byNumber: try (try? body([Int: Int].self)) ?? body(Failing.self)
    case .byBool: try body([Bool: Int].self)
    case .optional: try body(Int?.self)
    case .nested: try body(PlannedReading.self)
    }
  }

  private struct Failing: Decodable {
    init(from decoder: any Decoder) throws {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: ""))
    }
  }

  private mutating func read(_ member: ReadPlan.Member, _ container: KeyedDecodingContainer<TreeKey>) throws {
    let key = member.key
    trace.append("\(container.contains(key))")
    switch member.way {
    case .value:
      switch member.leaf {
      case .string: note(try container.decode(String.self, forKey: key))
      case .int: note(try container.decode(Int.self, forKey: key))
      case .double: note(try container.decode(Double.self, forKey: key))
      case .bool: note(try container.decode(Bool.self, forKey: key))
      case .int8: note(try container.decode(Int8.self, forKey: key))
      default:
        note(
          try PlannedReading.$plan.withValue(member.plan ?? .path) {
            try Self.each(member.leaf) { try container.decode($0, forKey: key) }
          })
      }
    case .ifPresent:
      switch member.leaf {
      case .string: note(try container.decodeIfPresent(String.self, forKey: key) as Any)
      case .int: note(try container.decodeIfPresent(Int.self, forKey: key) as Any)
      case .double: note(try container.decodeIfPresent(Double.self, forKey: key) as Any)
      case .bool: note(try container.decodeIfPresent(Bool.self, forKey: key) as Any)
      case .uint64: note(try container.decodeIfPresent(UInt64.self, forKey: key) as Any)
      default:
        note(
          try PlannedReading.$plan.withValue(member.plan ?? .path) {
            try container.decodeIfPresent(PlannedReading.self, forKey: key)?.trace as Any
          })
      }
    case .isNil: note(try container.decodeNil(forKey: key))
    case .nestedKeyed:
      let nested = try container.nestedContainer(keyedBy: TreeKey.self, forKey: key)
      note(nested.allKeys.map(\.stringValue).sorted())
      note(Self.text(nested.codingPath))
      note(try nested.decode(Int.self, forKey: TreeKey(stringValue: "a")))
    case .nestedUnkeyed:
      var nested = try container.nestedUnkeyedContainer(forKey: key)
      note(Self.text(nested.codingPath))
      note(try nested.decode(Int.self))
    case .superDecoder:
      let decoder = try key.intValue == 0 ? container.superDecoder() : container.superDecoder(forKey: key)
      note(Self.text(decoder.codingPath))
      try read(member.leaf, decoder)
    }
  }

  private mutating func read(_ element: ReadPlan.Element, _ container: inout any UnkeyedDecodingContainer) throws {
    switch element.way {
    case .value:
      switch element.leaf {
      case .string: note(try container.decode(String.self))
      case .int: note(try container.decode(Int.self))
      case .double: note(try container.decode(Double.self))
      case .bool: note(try container.decode(Bool.self))
      case .int8: note(try container.decode(Int8.self))
      default:
        note(
          try PlannedReading.$plan.withValue(element.plan ?? .path) {
            try Self.each(element.leaf) { try container.decode($0) }
          })
      }
    case .ifPresent:
      switch element.leaf {
      case .string: note(try container.decodeIfPresent(String.self) as Any)
      case .int: note(try container.decodeIfPresent(Int.self) as Any)
      case .double: note(try container.decodeIfPresent(Double.self) as Any)
      default: note(try container.decodeIfPresent(Int8.self) as Any)
      }
    case .isNil: note(try container.decodeNil())
    case .nestedKeyed:
      let nested = try container.nestedContainer(keyedBy: TreeKey.self)
      note(Self.text(nested.codingPath))
      note(try nested.decode(Int.self, forKey: TreeKey(stringValue: "a")))
    case .nestedUnkeyed:
      var nested = try container.nestedUnkeyedContainer()
      note(Self.text(nested.codingPath))
      note(try nested.decode(Int.self))
    case .superDecoder:
      let decoder = try container.superDecoder()
      note(Self.text(decoder.codingPath))
      try read(element.leaf, decoder)
    }
  }
}

extension Generator<ReadPlan> {
  static var plan: Generator<ReadPlan> {
    let leaf = Generator<ReadPlan>.frequency(
      (6, Generator<ReadPlan.Leaf>.anyCase().map { .single($0) }), (1, .element(of: [.isNil, .path])))
    return .recursive(leaf, depth: 3) { inner in
      // ß has one spelling. Foundation's decoder has one key for two spellings of a key, and Annals has two.
      let key = zip(.element(of: ["a", "b", "ab", "", "\"", "ß", "super", "key1"]), Generator<Int>.int(in: 0...9))
        .map { $1 < 2 ? TreeKey(intValue: $1) : TreeKey(stringValue: $0) }
      let leaf = Generator<ReadPlan.Leaf>.frequency((1, .anyCase()), (1, .constant(.nested)))
      let member = zip(key, .anyCase(), leaf, inner).map { ReadPlan.Member(key: $0, way: $1, leaf: $2, plan: $3) }
      let element = zip(Generator<ReadPlan.Way>.anyCase(), leaf, inner)
        .map { ReadPlan.Element(way: $0, leaf: $1, plan: $2) }
      return .oneOf(
        Generator<[ReadPlan.Member]>.array(of: member, count: 0...6).map { .keyed($0) },
        Generator<[ReadPlan.Element]>.array(of: element, count: 0...6).map { .unkeyed($0) })
    }
  }
}

extension Generator<String> {
  /// Numbers in all spellings of JSON.
  static var numberText: Generator<String> {
    let digits = Generator<String>.string(of: "0123456789", count: 0...22).map { text in
      let trimmed = text.drop { $0 == "0" }
      return trimmed.isEmpty ? "0" : String(trimmed)
    }
    let point = Generator<String>.string(of: "0123456789", count: 1...20).map { "." + $0 }
    let fraction: Generator<String> = .frequency((2, .constant("")), (1, point))
    let letter = Generator<String>.element(of: ["e", "E", "e+", "e-"])
    let power = zip(letter, Generator<Int>.int(in: 0...330)).map { "\($0)\($1)" }
    let exponent: Generator<String> = .frequency((3, .constant("")), (1, power))
    let sign = Generator<String>.element(of: ["", "-"])
    let parts = zip(sign, digits, fraction, exponent).map { sign, digits, fraction, exponent in
      sign + digits + fraction + exponent
    }
    return .frequency(
      (4, parts), (3, Generator<Int>.int(in: -300...300).map { "\($0)" }),
      (
        2,
        .element(of: [
          "9007199254740992", "9007199254740993", "-9007199254740993", "9223372036854775807", "9223372036854775808",
          "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616", "1e999",
          "-1e999", "1e-999", "0e999", "-0", "-0.0", "0.0", "5e-324", "2e-324", "2.2250738585072011e-308", "255", "256",
          "-128", "-129", "1.0", "1.5", "12e1", "1e19", "170141183460469231731687303715884105727",
          "340282366920938463463374607431768211456", "1.7976931348623159e308", "3.4028235e38", "3.5e38", "1e-46",
          "9007199254740993.0", "0.1e1", "100e-2", "123456789012345678", "999999999999999999",
        ])
      ))
  }

  /// Strings in all spellings of JSON, with their quotes.
  static var stringText: Generator<String> {
    let piece = Generator<String>.frequency(
      (
        3,
        .element(of: [
          "a", "b", "é", "😀", " ", "\u{7F}", "\u{2028}", #"\""#, #"\\"#, #"\/"#, #"\b"#, #"\f"#, #"\n"#, #"\r"#, #"\t"#,
          #"\u0000"#, #"\u00e9"#, #"\uD83D\uDE00"#, #"\uFFFF"#, #"\u0061"#,
        ])
      ),
      (
        1,
        .element(of: ["AQI=", "AQL/", "http://a/b", "123e4567-e89b-12d3-a456-426614174000", "long enough to be one"])
      ))
    return Generator<[String]>.array(of: piece, count: 0...4).map { "\"" + $0.joined() + "\"" }
  }

  /// Valid JSON with spaces in some places.
  static var jsonText: Generator<String> {
    let leaf = Generator<String>.frequency(
      (3, Generator<String>.numberText.map { $0.isReadOtherwise ? "7" : $0 }), (3, .stringText),
      (2, .element(of: ["null", "true", "false", "[]", "{}", "1", "[1]", "[null,1]"])))
    let space = Generator<String>.frequency((6, .constant("")), (1, .element(of: [" ", "\n", "\t", "\r\n  "])))
    return .recursive(leaf, depth: 4) { inner in
      let spaced = zip(space, inner, space).map { $0 + $1 + $2 }
      let name = Generator<String>.element(of: [
        "a", "b", "ab", "", "\\\"", "ß", "\\u0061", "super", "key0", "key1", "0", "1", "x", "_0", "\\u00df",
      ])
      let member = zip(space, name, space, spaced).map { "\($0)\"\($1)\"\($2):\($3)" }
      let many = Generator<[String]>.array(of: member, count: 17...30)
      let few = Generator<[String]>.array(of: member, count: 0...5)
      let elements = Generator<[String]>.array(of: spaced, count: 0...5)
      let arrays: Generator<String> = elements.map { "[" + $0.joined(separator: ",") + "]" }
      let objects: Generator<String> = Generator<[String]>.frequency((4, few), (1, many))
        .map { "{" + $0.joined(separator: ",") + "}" }
      return .frequency((3, arrays), (5, objects))
    }
  }
}

extension String {
  /// True for a number that Foundation reads incorrectly.
  ///
  /// Foundation refuses some zeros with an exponent. It also cuts or refuses integers beyond 2^53 that have a fraction
  /// or an exponent.
  var isReadOtherwise: Bool {
    guard contains(where: { ".eE".contains($0) }), let double = Double(self) else { return false }
    let digits = prefix { !"eE".contains($0) }
    return double.magnitude >= 0x1p53 || digits.count < count && digits.allSatisfy { "-0.".contains($0) }
  }
}
