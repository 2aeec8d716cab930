import Annals
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// What aggregates say of rows.
@Suite struct AggregateTests {
  private struct Sale: Row {
    let id: Int
    var shop = "a"
    var price = 0.0
    var weight: Double?
    var copies = 0
    var few: Int8 = 0
    var large: UInt64?
    var cost: Decimal = 0
    var due: Date?
    var author: String?
  }

  private let byShop = ListRequest<Sale>(
    sort: [.ascending(\.price)], section: .by(\.shop), aggregates: [.count, .sum(\.price), .minimum(\.due)])

  private func list(_ sales: [Sale], _ request: ListRequest<Sale> = ListRequest()) -> Results<Sale> {
    var rows = Rows<Sale>()
    for sale in sales { rows.insert(sale) }
    return Results(request, of: rows, at: 0)
  }

  private func sum(_ prices: [Double]) -> Double {
    list(prices.enumerated().map { Sale(id: $0, price: $1) })[.sum(\.price)]
  }

  private func decimalSum(_ costs: [Decimal]) -> Decimal {
    list(costs.enumerated().map { Sale(id: $0, cost: $1) })[.sum(\.cost)]
  }

  @Test func `a header shows a section's count and sum without a pass over its rows`() {
    let list = list([Sale(id: 1, price: 400), Sale(id: 2, price: 440), Sale(id: 3, shop: "b", price: 1)], byShop)
    let headers = list.map { section in
      let total: Double = section[.sum(\.price)]
      return "\(section.title): \(section[.count]) books, \(total)"
    }
    #expect(headers == ["a: 2 books, 840.0", "b: 1 books, 1.0"])
    #expect(list[.count] == 3)
    #expect(list[.sum(\.price)] == 841)
  }

  @Test func `a list that has no rows has aggregates`() {
    let none = list([], ListRequest(section: .by(\.shop, pinned: ["a"]), aggregates: byShop.aggregates))
    #expect(none[.count] == 0)
    #expect(none[.sum(\.price)] == 0)
    #expect(none[.minimum(\.due)] == nil)
    #expect(none[0][.count] == 0)
    #expect(none[0][.sum(\.copies)] == 0)
    #expect(none[0][.distinct(\.author)] == 0)
    #expect(none[.sum(\.cost)] == 0)
    #expect(none[.sum(\.price)].sign == .plus)
  }

  @Test func `nil is not added, is not the smallest and is not distinct`() {
    let day = Date(timeIntervalSince1970: 0)
    let list = list([
      Sale(id: 1, due: nil), Sale(id: 2, weight: 2, large: 3, due: day, author: "x"),
      Sale(id: 3, due: day + 9, author: "x"), Sale(id: 4, author: ""),
    ])
    #expect(list[.sum(\.weight)] == 2)
    #expect(list[.sum(\.large)] == 3)
    #expect(list[.minimum(\.due)] == day)
    #expect(list[.maximum(\.due)] == day + 9)
    #expect(list[.distinct(\.author)] == 2)
    #expect(list[.minimum(\.author)] == "")
    #expect(list[.maximum(\.author)] == "x")
  }

  @Test func `a sum of integers is exact, and the nearest that its type has if it is beyond it`() {
    func sum(_ copies: [Int]) -> Int { list(copies.enumerated().map { Sale(id: $0, copies: $1) })[.sum(\.copies)] }
    #expect(sum([.max, .max, .min, .min]) == -2)
    #expect(sum([.max, 1]) == .max)
    #expect(sum([.min, -1]) == .min)
    #expect(sum([.max, .max, .min]) == Int.max - 1)
    let many = list((0..<9).map { Sale(id: $0, few: 100, large: .max) })
    #expect(many[.sum(\.few)] == 127)
    #expect(many[.sum(\.large)] == .max)
    #expect(many[.sum { Int($0.few) }] == 900)
  }

  @Test func `a sum of Int at its end returns to what it is when rows leave`() throws {
    var rows = Rows<Sale>()
    let request = PreparedRequest(ListRequest<Sale>(aggregates: [.sum(\.copies)]))
    for id in 0..<3 { rows.insert(Sale(id: id, copies: .max)) }
    let full = Results(request, of: &rows, at: 1, knowing: nil)
    rows[0] = nil
    rows[1]?.copies = -5
    let less = Results(request, of: &rows, at: 2, knowing: full)
    #expect(full[.sum(\.copies)] == .max)
    #expect(less[.sum(\.copies)] == .max - 5)
    #expect(Changes(from: full, to: less).aggregates.isTotalChanged)
  }

  @Test func `a floating-point sum is the exact one, rounded once, in whatever order the rows came`() throws {
    let numbers: [Double] = [
      1e16, 1, -1e16, 0.1, .leastNonzeroMagnitude, -2.2250738585072014e-308, 1 + .ulpOfOne, 0x1p-53,
    ]
    // All lists of up to four of them.
    var lists: [[Double]] = [[]]
    for _ in 0..<4 { lists += lists.flatMap { list in numbers.map { list + [$0] } }.filter { $0.count < 5 } }
    for list in Set(lists) { #expect(sum(list).bitPattern == exactSum(list).bitPattern, "\(list)") }
    #expect(sum([1e16, 1, -1e16]) == 1)
    try check(.array(of: .int(in: 0...Int.max), count: 0...30), settings: CheckSettings(examples: 200)) { bits in
      let numbers = bits.map { Double(bitPattern: UInt64($0) &* 0x9E37_79B9_7F4A_7C15) }
        .filter { abs($0) < 1e300 }
      try ensureEqual(sum(numbers).bitPattern, exactSum(numbers).bitPattern)
      try ensureEqual(sum(numbers.reversed()).bitPattern, exactSum(numbers).bitPattern)
    }
  }

  @Test func `NaN, infinities and sums beyond all numbers are what they are, and leave nothing behind`() throws {
    #expect(sum([.nan, 1]).isNaN)
    #expect(sum([.infinity, -.infinity]).isNaN)
    #expect(sum([.infinity, -1e308]) == .infinity)
    #expect(sum([-.infinity, 1]) == -.infinity)
    let most = Double.greatestFiniteMagnitude
    #expect(sum([most, most]) == .infinity)
    #expect(sum([-most, -most]) == -.infinity)
    #expect(sum([most, most, -most]) == most)
    #expect(sum([most, most.ulp / 2]) == .infinity)
    #expect(sum([most, most.ulp / 4]) == most)
    #expect(sum([-0.0, -0.0]).sign == .plus)
    #expect(sum([0.1, -0.1]).sign == .plus)
    var rows = Rows<Sale>()
    let request = PreparedRequest(
      ListRequest<Sale>(aggregates: [.sum(\.price), .minimum(\.price), .maximum(\.price)]))
    for (id, price) in [1.5, .nan, .infinity, -.infinity, -0.0].enumerated() { rows.insert(Sale(id: id, price: price)) }
    let odd = Results(request, of: &rows, at: 1, knowing: nil)
    #expect(odd[.sum(\.price)].isNaN)
    #expect(odd[.minimum(\.price)] == -.infinity)
    #expect(odd[.maximum(\.price)].map(\.isNaN) == true)
    for id in 1...3 { rows[id] = nil }
    let plain = Results(request, of: &rows, at: 2, knowing: odd)
    #expect(plain[.sum(\.price)] == 1.5)
    #expect(plain[.maximum(\.price)] == 1.5)
    #expect(plain[.minimum(\.price)].map { $0 == 0 && $0.sign == .plus } == true)
  }

  @Test func `a decimal sum is the exact one, rounded once to 38 digits`() throws {
    func decimal(_ text: String) throws -> Decimal { try #require(Decimal(string: text)) }
    let (large, small) = (try decimal("1e30"), try decimal("1e-30"))
    for list in [[large, small, -large], [small, large, -large], [large, -large, small]] {
      #expect(decimalSum(list) == small)
    }
    #expect(decimalSum([try decimal("12.50"), try decimal("0.05"), -3]) == (try decimal("9.55")))
    let most = try decimal("340282366920938463463374607431768211455")
    #expect(decimalSum([most]) == most)
    #expect(decimalSum([most, -1]) == most - 1)
    #expect(decimalSum([most, most]) == (try decimal("680564733841876926926749214863536422910")))
    #expect(decimalSum([most, 2]) == (try decimal("34028236692093846346337460743176821146e1")))
    #expect(decimalSum([.greatestFiniteMagnitude, .greatestFiniteMagnitude]).isNaN)
    #expect(decimalSum([.nan, 1]).isNaN)
    #expect(decimalSum([try decimal("1e-128"), try decimal("-2e-128")]) == (try decimal("-1e-128")))
    let ten = try Array(repeating: decimal("1e127"), count: 10)
    let (sum, negative) = (try decimal("10e127"), try decimal("-10e127"))
    #expect(!sum.isNaN && decimalSum(ten) == sum)
    #expect(!negative.isNaN && decimalSum(ten.map { -$0 }) == negative)
    // A half is rounded to the even one.
    let odd = decimalSum([try decimal("90000000000000000000000000000000000001e3"), 500])
    #expect(odd == (try decimal("90000000000000000000000000000000000002e3")))
    let even = decimalSum([try decimal("90000000000000000000000000000000000000e3"), 500])
    #expect(even == (try decimal("9e40")))
    let above = decimalSum([try decimal("90000000000000000000000000000000000000e3"), 500, try decimal("1e-9")])
    #expect(above == (try decimal("90000000000000000000000000000000000001e3")))
    try check(.array(of: .int(in: -99_999_999...99_999_999), count: 0...20), settings: CheckSettings(examples: 200)) {
      cents in
      let numbers = cents.map { Decimal($0) / 100 }
      try ensureEqual(decimalSum(numbers), numbers.reduce(0, +))
    }
  }

  @Test func `an aggregate that the request does not have is computed when it is asked for`() {
    let list = list([Sale(id: 1, copies: 2), Sale(id: 2, shop: "b", copies: 3)], byShop)
    #expect(list[.sum(\.copies)] == 5)
    #expect(list[1][.sum(\.copies)] == 3)
    let cut = self.list(list.rows.map { $0 }, ListRequest(section: .by(\.shop), limit: 1))
    #expect(cut.rows.count == 1)
    #expect(cut[.sum(\.copies)] == 5)
    #expect(cut[.count] == 2)
    #expect(cut.collapsing(.all)[0][.sum(\.copies)] == 2)
    #expect(cut.collapsing(.all)[0][.count] == 1)
  }

  @Test func `aggregates include rows outside limit and offset, and rows of collapsed sections`() {
    var request = byShop
    (request.limit, request.offset) = (2, 1)
    let all = (1...3).map { Sale(id: $0, price: Double($0)) } + [Sale(id: 4, shop: "b", price: 10)]
    let list = list(all, request).collapsing(.only(["a"]))
    #expect(list.map(\.key) == ["a"])
    #expect(list[0].isEmpty)
    #expect(list.rows.isEmpty)
    #expect(list[0][.count] == 3)
    #expect(list[0][.sum(\.price)] == 6)
    #expect(list[.count] == 4)
    #expect(list[.sum(\.price)] == 16)
  }

  @Test func `updating an aggregate reads only the changed row`() {
    let reads = Mutex(0)
    let total = Aggregate<Sale>.sum { sale -> Int? in
      reads.withLock { $0 += 1 }
      return sale.copies
    }
    var rows = Rows<Sale>()
    for id in 0..<5_000 { rows.insert(Sale(id: id, shop: "\(id % 7)", copies: id)) }
    let request = PreparedRequest(ListRequest<Sale>(section: .by(\.shop), aggregates: [total, .distinct(\.copies)]))
    let old = Results(request, of: &rows, at: 0, knowing: nil)
    reads.withLock { $0 = 0 }
    rows[2_500]?.copies = 1
    let new = Results(request, of: &rows, at: 1, knowing: old)
    #expect(new[total] - old[total] == -2_499)
    #expect(new[.distinct(\.copies)] == 4_999)
    #expect(reads.withLock { $0 } <= 4)
    #expect(Changes(from: old, to: new).aggregates.sections.map(\.key) == [.string("\(2_500 % 7)")])
  }

  @Test func `lists with the same rows but different aggregates aren't equal`() {
    var limited = byShop
    limited.limit = 1
    let (one, two) = (Sale(id: 1, price: 1), Sale(id: 2, price: 2))
    let (old, new) = (list([one], limited), list([one, two], limited))
    #expect(old.rows == new.rows)
    #expect(old != new)
    #expect(old[0] != new[0])
    let changes = Changes(from: old, to: new)
    #expect(changes.sections.isEmpty)
    #expect(changes.rows.isEmpty)
    #expect(!changes.isEmpty)
    #expect(changes.aggregates.isTotalChanged)
    #expect(changes.aggregates.sections.map(\.newIndex) == [0])
    #expect(list([one], limited) == old)
    #expect(Changes(from: old, to: list([one], limited)).isEmpty)
    limited.aggregates = []
    #expect(list([one], limited) == list([one, two], limited))
  }
}
