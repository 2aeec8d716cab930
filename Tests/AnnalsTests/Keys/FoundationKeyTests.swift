import Annals
import AnnalsTesting
import Foundation
import Testing

/// Keys of decimal numbers, durations, URLs and integers with 128 bits.
@Suite struct FoundationKeyTests {
  /// A decimal number with its digits, as a naive model.
  private struct Number: Sendable, CustomStringConvertible {
    var isNegative = false
    /// The digits of an integer without a sign.
    var digits: String
    var exponent: Int

    var description: String { "\(isNegative ? "-" : "")\(digits)e\(exponent)" }

    var decimal: Decimal {
      Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: Decimal(string: digits) ?? .nan)
    }

    /// All digits before and after the point, with zeros at both ends.
    private var aligned: String {
      let zeros = String(repeating: "0", count: exponent + 128)
      let all = digits + zeros
      return String(repeating: "0", count: 300 - all.count) + all
    }

    private var isZero: Bool { digits.allSatisfy { $0 == "0" } }

    static func isLess(_ left: Number, _ right: Number) -> Bool {
      let (minus, otherMinus) = (left.isNegative && !left.isZero, right.isNegative && !right.isZero)
      if minus != otherMinus { return minus }
      return minus ? left.aligned > right.aligned : left.aligned < right.aligned
    }
  }

  private static let number: Generator<Number> = {
    let digits = Generator<String>.frequency(
      (3, Generator<Int>.int(in: 0...30).map { String($0) }),
      (2, Generator<[Int]>.array(of: .int(in: 0...9), count: 1...38).map { $0.map(String.init).joined() }),
      (1, .element(of: ["1" + String(repeating: "0", count: 37), String(repeating: "9", count: 38)])))
    return zip(.bool, digits, .frequency((4, .int(in: -3...3)), (1, .int(in: -128...89)))).map {
      Number(isNegative: $0, digits: $1, exponent: $2)
    }
  }()

  /// Returns the same number with more zeros in its significand, or the number if it has too many digits for that.
  ///
  /// `Decimal` removes the zeros of a new number, but not those of an operand that was adjusted to a smaller exponent.
  private static func spread(_ number: Number, by zeros: Int) -> Decimal {
    var decimal = number.decimal
    guard number.digits.count + zeros <= 37, decimal.exponent - zeros >= -128 else { return decimal }
    var other = Decimal(sign: .plus, exponent: decimal.exponent - zeros, significand: 1)
    _ = NSDecimalNormalize(&decimal, &other, .plain)
    return decimal
  }

  private static func key(_ value: some OrderedValue, descending: Bool) -> OrderKey {
    OrderKey { $0.write(value, descending: descending) }
  }

  @Test func `decimal numbers are ordered by their exact values, and as Foundation orders them`() throws {
    try check(Self.number, Self.number, .int(in: 0...36), .bool, settings: CheckSettings(examples: 3_000)) {
      one, other, zeros, descending in
      let (left, right) = (one.decimal, other.decimal)
      let (key, otherKey) = (Self.key(left, descending: descending), Self.key(right, descending: descending))
      let (isLess, isMore) = (Number.isLess(one, other), Number.isLess(other, one))
      try ensure((key < otherKey) == (descending ? isMore : isLess), "\(one) < \(other)")
      try ensure((key == otherKey) == (!isLess && !isMore), "\(one) == \(other)")
      try ensure((left < right) == isLess, "Foundation: \(one) < \(other)")
      try ensureEqual(left.sectionKey == right.sectionKey, !isLess && !isMore)

      let same = Self.spread(one, by: zeros)
      try ensure(Self.key(same, descending: descending) == key, "\(one) with \(zeros) zeros")
      try ensureEqual(same.sectionKey.description, left.sectionKey.description)
      sometimes(isLess && zeros > 0 && same.exponent != left.exponent, "another exponent has the same key")
      sometimes(isLess && one.digits.count > 20, "a number of many digits")
    }
  }

  @Test func `no key of a decimal number is the beginning of another one`() throws {
    try check(.array(of: Self.number, count: 2...12), settings: CheckSettings(examples: 200)) { numbers in
      let all = numbers.map { Self.key($0.decimal, descending: false).bytes } + [OrderKey(Decimal.nan).bytes]
      for one in all {
        for other in all where one != other { try ensure(!other.starts(with: one), "\(one) and \(other)") }
      }
    }
  }

  @Test func `decimal numbers at the edges of the type are ordered, NaN last`() throws {
    let most = Decimal.greatestFiniteMagnitude
    let least = Decimal.leastNonzeroMagnitude
    let numbers: [Decimal] = [
      -most, -1e38, -12.5, -12.49, -1, -least, 0, least, 1,
      Decimal(string: "1.00000000000000000000000000000000000001")!,
      12.49, 12.5, 100, 1e38, most, .nan,
    ]
    let keys = numbers.map { OrderKey($0) }
    for index in keys.indices.dropFirst() { #expect(keys[index - 1] < keys[index], "\(numbers[index])") }
    #expect(OrderKey(Decimal(sign: .minus, exponent: 0, significand: 0)) == OrderKey(Decimal(0)))
    #expect(OrderKey(Decimal(sign: .minus, exponent: 5, significand: 0)) == OrderKey(Decimal(0)))
    #expect(OrderKey(-Decimal.nan) == OrderKey(Decimal.nan))
    #expect(OrderKey(Decimal(string: "12.99")!).bytes.count == 5)
    #expect(OrderKey(most).bytes.count <= 24)
    #expect(Decimal(sign: .plus, exponent: -2, significand: 1250).sectionKey == .other("12.5"))
    #expect(Decimal.nan.sectionKey == .other("NaN") && (-Decimal.nan).sectionKey == Decimal.nan.sectionKey)
  }

  @Test func `integers with 128 bits are ordered by all of their bits`() throws {
    let part = Generator<UInt64>.frequency(
      (2, .element(of: [0, 1, .max, 1 << 63, 1 << 63 - 1])),
      (1, Generator<Int>.int(in: .min ... .max).map { UInt64(bitPattern: Int64($0)) }))
    try check(part, part, part, part, settings: CheckSettings(examples: 1_000)) { high, low, otherHigh, otherLow in
      let (left, right) = (UInt128(high) << 64 | UInt128(low), UInt128(otherHigh) << 64 | UInt128(otherLow))
      try ensureEqual(OrderKey(left) < OrderKey(right), left < right)
      let (one, other) = (Int128(bitPattern: left), Int128(bitPattern: right))
      try ensureEqual(OrderKey(one) < OrderKey(other), one < other)
      try ensureEqual(OrderKey(one) == OrderKey(other), one == other)
      try ensureEqual(one.sectionKey == other.sectionKey, one == other)
      let (time, otherTime) = (Duration(attoseconds: one), Duration(attoseconds: other))
      try ensureEqual(OrderKey(time) < OrderKey(otherTime), time < otherTime)
      try ensureEqual(time.sectionKey == otherTime.sectionKey, time == otherTime)
      sometimes(high == otherHigh && left < right, "the lower half decides")
    }
    #expect(OrderKey(-1 as Int8).bytes.count == 8 && OrderKey(-1 as Int128).bytes.count == 16)
    #expect(Int128(5).sectionKey == 5 && Int128.max.sectionKey == .other("170141183460469231731687303715884105727"))
    #expect(Duration.milliseconds(-1500).sectionKey == .other("-1.5 seconds"))
  }

  @Test func `URLs are ordered by their absolute strings`() throws {
    let base = try #require(URL(string: "https://annals.example/a/"))
    let (relative, whole) = (
      try #require(URL(string: "b?c=1", relativeTo: base)), try #require(URL(string: "https://annals.example/a/b?c=1"))
    )
    #expect(OrderKey(relative) == OrderKey(whole) && relative.sectionKey == .string(whole.absoluteString))
    #expect(OrderKey(base) < OrderKey(whole))
  }

  // MARK: Lists

  private struct Ware: Row {
    var id: Int
    var price: Decimal = 0
    var discount: Decimal?
    var time = Duration.zero
    var link: URL?
    var code: Int128 = 0
    var spare: UInt128?
    var level = Level.low
  }

  private enum Level: Int128, Codable, OrderedValue {
    case low = 1, high = 170_141_183_460_469_231_731_687_303_715_884_105_727
  }

  private struct Wares: Projection {
    func project(_ event: WareEvent, into rows: inout Rows<Ware>) {
      if case .put(let ware) = event { rows.insert(ware) }
    }
  }

  private enum WareEvent: Event { case put(Ware) }

  private static let fields = FilterFields<Ware>(
    .field("price", \.price), .field("discount", \.discount), .field("time", \.time), .field("link", \.link),
    .field("code", \.code))

  private static func link(_ number: Int) -> URL? { URL(string: "https://annals.example/\(number)") }

  private static let ware: Generator<Ware> = zip(number, .int(in: -9...9), .bool).map { number, small, hasMore in
    Ware(
      id: 0, price: number.decimal, discount: hasMore ? Decimal(small) / 4 : nil, time: .milliseconds(250 * small),
      link: hasMore ? link(small) : nil, code: Int128(small) << 70,
      spare: hasMore ? .max - UInt128(small + 9) : nil, level: small > 0 ? .high : .low)
  }

  private static let requests: [ListRequest<Ware>] = [
    ListRequest(sort: [.ascending(\.price)], section: .by(\.code)),
    ListRequest(sort: [.descending(\.discount), .ascending(\.time)], section: .by(\.link)),
    ListRequest(sort: [.descending(\.time)], section: .by(\.time)),
    ListRequest(sort: [.descending(\.code), .descending(\.link)], section: .by(\.discount)),
    ListRequest(sort: [.descending(\.spare), .ascending(\.price)], section: .by(\.level)),
  ]

  @Test func `a list that was saved and loaded has the same order and sections as a new list`() throws {
    let wares = Generator<[Ware]>.array(of: Self.ware, count: 0...24)
    try check(wares, wares, .int(in: 0...Self.requests.count - 1), settings: CheckSettings(examples: 200)) {
      first, second, index in
      let store = MemoryEventStore()
      func put(_ wares: [Ware], from start: Int) throws {
        for (id, ware) in wares.enumerated() {
          var ware = ware
          ware.id = start + id
          try store.append([WareEvent.put(ware)], to: "wares")
        }
      }
      let request = Self.requests[index]
      try put(first, from: 0)
      do {
        let controller = FetchedResultsController(
          store: store, projection: Wares(), request: request, cacheName: "wares")
        try controller.performFetch()
        try controller.saveCache()
      }
      try put(second, from: first.count)
      let saved = FetchedResultsController(store: store, projection: Wares(), request: request, cacheName: "wares")
      try saved.performFetch()
      let new = FetchedResultsController(store: store, projection: Wares(), request: request)
      try new.performFetch()
      try ensureEqual(saved.results.map { "\($0.key)" }, new.results.map { "\($0.key)" })
      try ensureEqual(saved.results.rows.map(\.id), new.results.rows.map(\.id))
      sometimes(new.results.count > 2 && first.count > 2 && second.count > 2, "sections")
    }
  }

  @Test func `aggregates and filters of these types use the order of the sort keys`() throws {
    try check(.array(of: Self.ware, count: 0...20), .int(in: -9...9), settings: CheckSettings(examples: 200)) {
      wares, limit in
      var rows = Rows<Ware>()
      for (id, ware) in wares.enumerated() {
        var ware = ware
        ware.id = id
        rows.insert(ware)
      }
      let list = Results(ListRequest<Ware>(), of: rows, at: 0)
      try ensureEqual(list[.minimum(\.price)], wares.map(\.price).min())
      try ensureEqual(list[.maximum(\.price)], wares.map(\.price).max())
      try ensureEqual(list[.maximum(\.discount)], wares.compactMap(\.discount).max())
      try ensureEqual(list[.minimum(\.time)], wares.map(\.time).min())
      try ensureEqual(list[.maximum(\.code)], wares.map(\.code).max())
      try ensureEqual(
        list[.minimum(\.link)]?.absoluteString, wares.compactMap(\.link?.absoluteString).min())
      try ensureEqual(list[.distinct(\.price)], Set(wares.map(\.price)).count)
      func found(_ text: String) throws -> [Int] {
        let filter = try Self.fields.filter(text)
        return rows.all.filter(filter.includes).map(\.id).sorted()
      }
      func wanted(_ test: (Ware) -> Bool) -> [Int] { wares.indices.filter { test(wares[$0]) } }
      let quarter = Decimal(limit) / 4
      try ensureEqual(try found("discount <= \(quarter)"), wanted { $0.discount.map { $0 <= quarter } ?? false })
      try ensureEqual(try found("price > \(quarter)"), wanted { $0.price > quarter })
      try ensureEqual(try found("time >= \(quarter)"), wanted { $0.time >= .milliseconds(250 * limit) })
      try ensureEqual(try found("code = \(Int128(limit) << 70)"), wanted { $0.code == Int128(limit) << 70 })
      try ensureEqual(try found("link = 'https://annals.example/\(limit)'"), wanted { $0.link == Self.link(limit) })
      try ensureEqual(try found("link ends '/\(limit)'"), wanted { $0.link == Self.link(limit) })
    }
  }

  @Test(arguments: [
    ("price < cheap", "a number for price"), ("time > long", "a number of seconds for time"),
    ("time = 0.0000000000000000001", "a number of seconds for time"), ("time = 1e30", "a number of seconds for time"),
    ("code = 1.5", "a whole number for code"), ("link = 5", nil),
  ])
  func `a filter says which values a field has`(_ text: String, _ expected: String?) throws {
    if let expected {
      #expect(#expect(throws: FilterError.self) { try Self.fields.filter(text) }?.expected == expected)
    } else {
      #expect(throws: Never.self) { try Self.fields.filter(text) }
    }
    #expect(try Self.fields.filter("time = 1e-18").includes(Ware(id: 1, time: Duration(attoseconds: 1))))
    #expect(
      try Self.fields.filter("time = 170141183460469231731.687303715884105727").includes(
        Ware(id: 1, time: Duration(attoseconds: .max))))
  }
}
