import AnnalsTesting
import Foundation

/// A key that is made while the program runs, with a number or without.
struct TreeKey: CodingKey, Hashable {
  var stringValue: String
  var intValue: Int?

  init(stringValue: String) { self.stringValue = stringValue }
  init(intValue: Int) { (stringValue, self.intValue) = ("key\(intValue)", intValue) }
}

/// A value that encodes itself in every way that Codable has.
indirect enum WrittenTree: Encodable, Sendable {
  case null, bool(Bool), string(String), double(Double), float(Float), int(Int), int8(Int8), uint16(UInt16)
  case int64(Int64), uint64(UInt64), int128(Int128), uint128(UInt128)
  case date(Date), data(Data), url(URL), uuid(UUID), decimal(Decimal)
  case nothing
  case optional(WrittenTree?)
  case wrapped(WrittenTree)
  case array([WrittenTree]), arrayOfInts([Int]), arrayOfDoubles([Double]), arrayOfStrings([String])
  case dictionary([String: WrittenTree]), byInt([Int: WrittenTree]), byBool([Bool: WrittenTree])
  case object([Member])
  case elements([Element])
  case twice([Member], [Member])

  /// How a member or an element is put into its container.
  enum Way: CaseIterable, Sendable { case value, ifPresent, nilInstead, nestedKeyed, nestedUnkeyed, superEncoder }

  struct Member: Sendable {
    var key: String
    var number: Int?
    var way: Way
    var value: WrittenTree
    var codingKey: TreeKey { number.map { TreeKey(intValue: $0) } ?? TreeKey(stringValue: key) }
  }

  struct Element: Sendable {
    var way: Way
    var value: WrittenTree
  }

  func encode(to encoder: any Encoder) throws {
    func single(_ value: some Encodable) throws {
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
    switch self {
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .bool(let value): try single(value)
    case .string(let value): try single(value)
    case .double(let value): try single(value)
    case .float(let value): try single(value)
    case .int(let value): try single(value)
    case .int8(let value): try single(value)
    case .uint16(let value): try single(value)
    case .int64(let value): try single(value)
    case .uint64(let value): try single(value)
    case .int128(let value): try single(value)
    case .uint128(let value): try single(value)
    case .date(let value): try single(value)
    case .data(let value): try single(value)
    case .url(let value): try single(value)
    case .uuid(let value): try single(value)
    case .decimal(let value): try single(value)
    case .nothing: break
    case .optional(let value): try value.encode(to: encoder)
    case .wrapped(let value): try single(value)
    case .array(let values): try values.encode(to: encoder)
    case .arrayOfInts(let values): try single(values)
    case .arrayOfDoubles(let values): try single(values)
    case .arrayOfStrings(let values): try single(values)
    case .dictionary(let values): try values.encode(to: encoder)
    case .byInt(let values): try values.encode(to: encoder)
    case .byBool(let values):
      // A dictionary has no order, unless it has one member at most.
      try values.encode(to: encoder)
    case .object(let members):
      var container = encoder.container(keyedBy: TreeKey.self)
      for member in members { try Self.put(member, into: &container) }
    case .elements(let elements):
      var container = encoder.unkeyedContainer()
      for element in elements { try Self.put(element, into: &container) }
    case .twice(let first, let second):
      // Two containers of one encoder are one.
      var one = encoder.container(keyedBy: TreeKey.self)
      var other = encoder.container(keyedBy: TreeKey.self)
      for (left, right) in zip(first, second) {
        try Self.put(left, into: &one)
        try Self.put(right, into: &other)
      }
    }
  }

  private static func put(_ member: Member, into container: inout KeyedEncodingContainer<TreeKey>) throws {
    let key = member.codingKey
    switch member.way {
    case .value:
      switch member.value {
      // The container's own methods, which are not the general one.
      case .string(let value): try container.encode(value, forKey: key)
      case .double(let value): try container.encode(value, forKey: key)
      case .int(let value): try container.encode(value, forKey: key)
      case .bool(let value): try container.encode(value, forKey: key)
      case .int8(let value): try container.encode(value, forKey: key)
      default: try container.encode(member.value, forKey: key)
      }
    case .ifPresent: try container.encodeIfPresent(Optional(member.value), forKey: key)
    case .nilInstead: try container.encodeNil(forKey: key)
    case .nestedKeyed:
      var nested = container.nestedContainer(keyedBy: TreeKey.self, forKey: key)
      try nested.encode(member.value, forKey: TreeKey(stringValue: "inner"))
      var again = container.nestedContainer(keyedBy: TreeKey.self, forKey: key)
      try again.encode(1, forKey: TreeKey(stringValue: "again"))
    case .nestedUnkeyed:
      var nested = container.nestedUnkeyedContainer(forKey: key)
      try nested.encode(member.value)
    case .superEncoder: try member.value.encode(to: container.superEncoder(forKey: key))
    }
  }

  private static func put(_ element: Element, into container: inout any UnkeyedEncodingContainer) throws {
    switch element.way {
    case .value, .ifPresent:
      switch element.value {
      case .string(let value): try container.encode(value)
      case .double(let value): try container.encode(value)
      case .int(let value): try container.encode(value)
      default: try container.encode(element.value)
      }
    case .nilInstead: try container.encodeNil()
    case .nestedKeyed:
      var nested = container.nestedContainer(keyedBy: TreeKey.self)
      try nested.encode(element.value, forKey: TreeKey(stringValue: "inner"))
    case .nestedUnkeyed:
      var nested = container.nestedUnkeyedContainer()
      try nested.encode(element.value)
    case .superEncoder: try element.value.encode(to: container.superEncoder())
    }
  }
}

extension Generator<String> {
  /// Strings that JSON has to take care with, and plain ones.
  static var nasty: Generator<String> {
    .frequency(
      (3, .string(count: 0...20)),
      (2, .string(of: "a\"\\/\u{0}\u{1}\u{8}\t\n\u{C}\r\u{1F} \u{7F}é\u{2028}😀\u{FEFF}", count: 0...12)),
      (1, .element(of: ["", "null", "1", "_0", "super", "\u{10FFFF}", String(repeating: "long ", count: 40)])))
  }

  /// Names of members: some the beginning of others, none canonically equal to another.
  static var memberName: Generator<String> {
    .frequency((4, .string(of: "ab_0é\"\\\n", count: 0...3)), (1, .nasty.map(\.precomposedStringWithCanonicalMapping)))
  }
}

extension Generator<Double> {
  /// Doubles at the borders of what JSON and its readers can do, and ordinary ones.
  static var bordering: Generator<Double> {
    .frequency(
      (3, .double), (3, Generator<Int>.int(in: -1_000_000...1_000_000).map { Double($0) / 100 }),
      (2, Generator<Int>.int(in: -20...20).map { 0x1p53 + Double($0) }),
      (
        1,
        .element(of: [
          0, -0.0, .leastNonzeroMagnitude, 2.2250738585072014e-308, 1e16, 1e15, 0x1p54, 1e21, 1e-5, 123456789.125, 1e22,
        ])
      ),
      (1, .element(of: [.greatestFiniteMagnitude, 0.1, 1 / 3, 100, 99999999999.999, 1e11, 1e10 + 0.001])))
  }
}

extension Generator<WrittenTree> {
  static var leaf: Generator<WrittenTree> {
    let odd: [WrittenTree] = [
      .null, .bool(true), .bool(false), .nothing, .int(.min), .int(.max), .uint64(.max), .int64(.min), .int8(-128),
      .uint16(65_535), .int128(.min), .uint128(.max), .int128(7), .optional(nil), .optional(.int(1)),
    ]
    let urls = ["http://a/b?c=d#e", "x", "/a%20b", "mailto:a@b"].compactMap { URL(string: $0) }
    let decimals = ["0", "-1.5", "1e20", "0.00000000001", "12345678901234567890123456789012345678"]
      .compactMap { Decimal(string: $0) }
    let strings = Generator<String>.nasty
    let doubles = Generator<Double>.bordering
    let bytes = Generator<[UInt8]>.array(of: Generator<UInt8>.integer(in: 0...UInt8.max), count: 0...9)
    let others: Generator<WrittenTree> = .oneOf(
      doubles.map { .float(Float($0).isFinite ? Float($0) : 0.1) },
      doubles.map { .date(Date(timeIntervalSinceReferenceDate: $0)) },
      bytes.map { .data(Data($0)) },
      Generator<UUID>.uuid.map { .uuid($0) },
      Generator<[Int]>.array(of: .int()).map { .arrayOfInts($0) },
      Generator<[Double]>.array(of: doubles).map { .arrayOfDoubles($0) },
      Generator<[String]>.array(of: strings).map { .arrayOfStrings($0) },
      Generator<URL>.element(of: urls).map { .url($0) },
      Generator<Decimal>.element(of: decimals).map { .decimal($0) })
    return .oneOf(
      strings.map { .string($0) }, doubles.map { .double($0) }, Generator<Int>.int().map { .int($0) },
      .element(of: odd),
      others)
  }

  /// Values that no JSON can hold.
  static var impossible: Generator<WrittenTree> {
    .element(of: [
      .double(.nan), .double(.infinity), .float(-.infinity), .date(Date(timeIntervalSinceReferenceDate: .nan)),
      .arrayOfDoubles([1, .nan]),
    ])
  }

  /// Trees of every kind of container.
  static func tree(_ leaf: Generator<WrittenTree>, nests: Bool = true) -> Generator<WrittenTree> {
    let ways: [WrittenTree.Way] = nests ? WrittenTree.Way.allCases : [.value, .ifPresent, .nilInstead]
    let way = Generator<WrittenTree.Way>.element(of: ways)
    @Sendable func unique(_ members: [WrittenTree.Member]) -> [WrittenTree.Member] {
      var seen: Set<String> = []
      return members.filter { seen.insert($0.codingKey.stringValue).inserted }
    }
    return .recursive(leaf, depth: 4) { inner in
      let element = zip(way, inner).map { WrittenTree.Element(way: $0, value: $1) }
      let member = zip(way, Generator<String>.memberName, Generator<Int>.int(in: 0...9), inner)
        .map { way, name, number, value in
          WrittenTree.Member(key: name, number: number < 3 ? number : nil, way: way, value: value)
        }
      let members = Generator<[WrittenTree.Member]>.array(of: member, count: 0...8).map { unique($0) }
      let many = Generator<[WrittenTree.Member]>.array(of: member, count: 17...40).map { unique($0) }
      let arrays: Generator<WrittenTree> = .oneOf(
        Generator<[WrittenTree]>.array(of: inner, count: 0...5).map { .array($0) },
        Generator<[WrittenTree.Element]>.array(of: element, count: 0...6).map { .elements($0) })
      let objects: Generator<WrittenTree> = .frequency(
        (4, members.map { .object($0) }), (1, many.map { .object($0) }),
        (
          1,
          members.map { all in
            .twice(all.filter { $0.key.count.isMultiple(of: 2) }, all.filter { !$0.key.count.isMultiple(of: 2) })
          }
        ))
      let dictionaries: Generator<WrittenTree> = .oneOf(
        Generator<[String: WrittenTree]>.dictionary(of: .memberName, to: inner, count: 0...5).map { .dictionary($0) },
        Generator<[Int: WrittenTree]>.dictionary(of: .int(in: -3...30), to: inner, count: 0...4).map { .byInt($0) },
        inner.map { .byBool([true: $0]) })
      return .frequency(
        (3, arrays), (4, objects), (2, dictionaries), (1, inner.map { .wrapped($0) }), (1, inner.map { .optional($0) }))
    }
  }
}
