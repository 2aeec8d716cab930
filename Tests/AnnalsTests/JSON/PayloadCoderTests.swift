import Annals
import AnnalsLog
import AnnalsTesting
import Foundation
import Testing

@Suite struct PayloadCoderTests {
  private static let foundation: JSONEncoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .custom { try DateModel(of: $0).encode(to: $1) }
    return encoder
  }()

  private static let foundationDecoder: JSONDecoder = {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { try DateModel(from: $0).date }
    return decoder
  }()

  /// A text, or an error's kind and path.
  private func written(_ encode: () throws -> String) -> (text: String, path: [String]?) {
    do {
      return (try encode(), nil)
    } catch EncodingError.invalidValue(_, let context) {
      return ("refused", context.codingPath.map { "\($0.stringValue)(\($0.intValue.map(String.init) ?? ""))" })
    } catch {
      return ("\(error)", nil)
    }
  }

  private func ours(_ tree: WrittenTree, _ coder: PayloadCoder = PayloadCoder()) -> (text: String, path: [String]?) {
    written { try coder.encode(tree) }
  }

  private func theirs(_ tree: WrittenTree) -> (text: String, path: [String]?) {
    written { String(decoding: try Self.foundation.encode(tree), as: UTF8.self) }
  }

  @Test func `what is written is Foundation's text, byte for byte`() throws {
    let coder = PayloadCoder()
    try check(Generator<WrittenTree>.tree(.leaf), settings: CheckSettings(examples: 3_000)) { tree in
      let (one, other) = (ours(tree, coder), theirs(tree))
      try ensure(one.text.utf8.elementsEqual(other.text.utf8), "expected \(other), found \(one)")
    }
  }

  @Test func `what JSON cannot hold is refused where Foundation refuses it`() throws {
    let leaf = Generator<WrittenTree>.frequency((4, .leaf), (1, .impossible))
    try check(.tree(leaf, nests: false), settings: CheckSettings(examples: 2_000)) { tree in
      let (one, other) = (ours(tree), theirs(tree))
      try ensure(
        one.text.utf8.elementsEqual(other.text.utf8) && one.path == other.path, "expected \(other), found \(one)")
    }
  }

  @Test func `a refusal inside nested containers names the whole way`() throws {
    let leaf = Generator<WrittenTree>.frequency((4, .leaf), (1, .impossible))
    try check(.tree(leaf), settings: CheckSettings(examples: 2_000)) { tree in
      let (one, other) = (ours(tree), theirs(tree))
      try ensure(one.text.utf8.elementsEqual(other.text.utf8), "expected \(other), found \(one)")
      // Foundation omits nested containers from the path of a value that is encoded inside them.
      var rest = (one.path ?? [])[...]
      for key in other.path ?? [] {
        guard let place = rest.firstIndex(of: key) else { return try ensure(false, "expected \(other), found \(one)") }
        rest = rest[(place + 1)...]
      }
    }
  }

  @Test func `what is read is what Foundation reads, errors and their places too`() throws {
    let coder = PayloadCoder()
    try check(.jsonText, .plan, settings: CheckSettings(examples: 6_000)) { text, plan in
      try PlannedReading.$plan.withValue(plan) {
        let one = Result { try coder.decode(PlannedReading.self, from: text).trace }
        let other = Result { try Self.foundationDecoder.decode(PlannedReading.self, from: Data(text.utf8)).trace }
        try ensure(try one.get() == other.get(), "expected \(other), found \(one)")
      }
    }
  }

  @Test func `every type reads every kind of value as Foundation does`() throws {
    let coder = PayloadCoder()
    let values = [
      "null", "true", "0", "1", "-1", "1.5", "1e2", "300", #""""#, #""a""#, #""AQI=""#, "[]", "[1]", "[null]", "[1.5]",
      #"["a"]"#, #"[true,1]"#, "{}", #"{"a":"b"}"#, #"{"1":2}"#, #"{"a":1}"#, #"{"a":null}"#, "1e999", "-0.0",
      #""\u0000""#, #""2026-03-31T18:30:00Z""#, #""2026-03-31T18:30:00.25+02:00""#, #""2026-03-31""#,
      #""2026\u002d03-31T18:30:00Z""#, #""2026-02-30T00:00:00Z""#,
    ]
    for value in values {
      for leaf in ReadPlan.Leaf.allCases {
        for text in [value, "{\"a\":\(value)}", "[\(value)]"] {
          for way in ReadPlan.Way.allCases {
            let plan: ReadPlan =
              switch text.first {
              case "{" where text != value:
                .keyed([.init(key: TreeKey(stringValue: "a"), way: way, leaf: leaf, plan: .single(.int))])
              case "[" where text != value: .unkeyed([.init(way: way, leaf: leaf, plan: .single(.int))])
              default: .single(leaf)
              }
            try PlannedReading.$plan.withValue(plan) {
              let one = try coder.decode(PlannedReading.self, from: text).trace
              let other = try Self.foundationDecoder.decode(PlannedReading.self, from: Data(text.utf8)).trace
              #expect(one == other, "\(text) as \(plan)")
            }
          }
        }
      }
    }
  }

  @Test func `numbers are read to the same bits`() throws {
    struct Numbers: Decodable, Equatable {
      var double: Double?
      var float: Float?
      var int: Int?
      var byte: UInt8?
      var unsigned: UInt64?

      init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        (double, float) = (try? container.decode(Double.self), try? container.decode(Float.self))
        (int, byte) = (try? container.decode(Int.self), try? container.decode(UInt8.self))
        unsigned = try? container.decode(UInt64.self)
      }

      var bits: [UInt64?] {
        [
          double?.bitPattern, float.map { UInt64($0.bitPattern) }, int.map { UInt64(bitPattern: Int64($0)) },
          byte.map { UInt64($0) }, unsigned,
        ]
      }
    }
    let coder = PayloadCoder()
    try check(.numberText, settings: CheckSettings(examples: 20_000)) { text in
      // Foundation reads past the end of a number that is the whole text.
      let one = try coder.decode([Numbers].self, from: "[\(text)]")[0].bits
      let other = try JSONDecoder().decode([Numbers].self, from: Data("[\(text)]".utf8))[0].bits
      if text.isReadOtherwise {
        try ensure(one[0] == Double(text).flatMap { $0.isFinite ? $0.bitPattern : nil }, "\(text) is read as \(one)")
        for (mine, theirs) in zip(one, other) where mine != nil && theirs != nil {
          try ensure(mine == theirs, "\(text): expected \(other), found \(one)")
        }
        return
      }
      try ensure(one == other, "\(text): expected \(other), found \(one)")
    }
  }

  @Test func `numbers are written as Foundation writes them and read back to the same bits`() throws {
    let coder = PayloadCoder()
    try check(.frequency((1, .bordering), (1, .double)), settings: CheckSettings(examples: 20_000)) { number in
      guard number.isFinite else { return }
      let text = try coder.encode(number)
      try ensure(
        try text == String(decoding: Self.foundation.encode(number), as: UTF8.self), "\(number) is written \(text)")
      try ensure(
        try coder.decode(Double.self, from: text).bitPattern == number.bitPattern, "\(number) is written \(text)")
    }
    for number in [0, 1, -1, 10, 99, 100, 12_345, Int.max, .min, .max - 1, .min + 1, 1_000_000_000_000_000_000] {
      #expect(try coder.encode(number) == "\(number)")
      #expect(try coder.decode(Int.self, from: "\(number)") == number)
    }
  }

  @Test func `a name that is encoded twice has the value that was encoded last`() throws {
    struct Twice: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: TreeKey.self)
        for (name, value) in [("b", 1), ("a", 2), ("b", 3), ("a", 4), ("", 5)] {
          try container.encode(value, forKey: TreeKey(stringValue: name))
        }
      }
    }
    #expect(try PayloadCoder().encode(Twice()) == #"{"":5,"a":4,"b":3}"#)
    #expect(try Self.foundation.encode(Twice()) == Data(#"{"":5,"a":4,"b":3}"#.utf8))
  }

  @Test func `among many names, one that is encoded twice has the value that was encoded last`() throws {
    struct Many: Encodable {
      let values: [Int]

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: TreeKey.self)
        for (index, value) in values.enumerated() {
          try container.encode(value, forKey: TreeKey(stringValue: "n\((index * 7) % 20)"))
        }
      }
    }
    // Twenty names, each three times.
    let many = Many(values: Array(0..<60))
    let text = try PayloadCoder().encode(many)
    #expect(try Self.foundation.encode(many) == Data(text.utf8))
    #expect(try JSONDecoder().decode([String: Int].self, from: Data(text.utf8)).values.sorted() == Array(40..<60))
  }

  @Test func `what fails while it is encoded leaves nothing behind`() throws {
    struct Forgiving: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: TreeKey.self)
        try? container.encode(["x": 1, "y": Double.nan], forKey: TreeKey(stringValue: "a"))
        try container.encode(1, forKey: TreeKey(stringValue: "b"))
        var elements = container.nestedUnkeyedContainer(forKey: TreeKey(stringValue: "c"))
        try? elements.encode([1, .nan])
        try elements.encode(2)
      }
    }
    #expect(try PayloadCoder().encode(Forgiving()) == #"{"b":1,"c":[2]}"#)
  }

  @Test func `names are compared by their scalars`() throws {
    let text = "{\"\u{E9}\":1,\"e\u{301}\":2}"
    let keys = try PayloadCoder().decode([String: Int].self, from: "{\"\u{E9}\":1,\"x\":2}")
    #expect(keys == ["\u{E9}": 1, "x": 2])
    struct Both: Decodable {
      var (one, other): (Int, Int)

      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: TreeKey.self)
        one = try container.decode(Int.self, forKey: TreeKey(stringValue: "\u{E9}"))
        other = try container.decode(Int.self, forKey: TreeKey(stringValue: "e\u{301}"))
      }
    }
    let both = try PayloadCoder().decode(Both.self, from: text)
    #expect((both.one, both.other) == (1, 2))
  }

  @Test func `nesting has a limit on both ways, and nothing overflows the stack`() throws {
    struct Deep: Codable {
      var depth: Int

      init(depth: Int) { self.depth = depth }

      init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        depth = try container.isAtEnd ? 1 : container.decode(Deep.self).depth + 1
      }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        if depth > 1 { try container.encode(Deep(depth: depth - 1)) }
      }
    }
    let coder = PayloadCoder()
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    let limit = JSON.maximumDepth
    #expect(try coder.encode(Deep(depth: limit)) == nested(limit))
    #expect(try coder.decode(Deep.self, from: nested(limit)).depth == limit)
    for depth in [limit + 1, limit + 2, 100_000] {
      #expect(throws: EncodingError.self) { try coder.encode(Deep(depth: depth)) }
    }
    for text in [
      nested(limit + 1), String(repeating: "[", count: 100_000), String(repeating: "{\"a\":", count: 100_000),
    ] {
      #expect(throws: DecodingError.self) { try coder.decode(Deep.self, from: text) }
    }
  }

  @Test func `a decoder that you keep is not overwritten`() throws {
    struct Keeper: Decodable {
      let decoder: any Decoder
      init(from decoder: any Decoder) throws { self.decoder = decoder }
    }
    let coder = PayloadCoder()
    let kept = try coder.decode(Keeper.self, from: "[1,2]")
    _ = try coder.decode([String].self, from: #"["a","b","c"]"#)
    #expect(try [Int](from: kept.decoder) == [1, 2])
  }

  @Test(arguments: [
    "", " ", "nul", "tru", "01", "-", "1.", ".5", "+1", "1e", "1e+", "\"a", "\"\n\"", "[1,]", "{\"a\":1,}", "{a:1}",
    "1 2", "[1",
    "{\"a\"}", "{\"a\":}", "[1 2]", #""\x""#, #""\ud800""#, #""\udc00\ud800""#, #""\u12"#, #""\u12g4""#, "NaN", "[}",
    "{]",
    "\u{FEFF}1", #"{"a":1,"zz":tru}"#, #""\ud800\u0061""#, "nullx", "\"\\", "[\"\\u\"]", "1\u{0}",
  ])
  func `what is not JSON is refused with its place`(text: String) throws {
    let error = #expect(throws: DecodingError.self) { try PayloadCoder().decode(PlannedReading.self, from: text) }
    guard case .dataCorrupted(let context)? = error else {
      Issue.record("expected corrupted data, found \(String(describing: error))")
      return
    }
    #expect(context.codingPath.isEmpty)
    #expect(context.debugDescription.contains("at byte"))
  }

  @Test func `a number that does not fit is named with its place`() throws {
    let error = #expect(throws: DecodingError.self) {
      try PayloadCoder().decode([String: [Int8]].self, from: #"{"a":[1,300]}"#)
    }
    guard case .dataCorrupted(let context)? = error else {
      Issue.record("expected corrupted data, found \(String(describing: error))")
      return
    }
    #expect(context.codingPath.map(\.stringValue) == ["a", "Index 1"])
    #expect(context.debugDescription.contains("300"))
  }
}
