import Annals
import Foundation
import Testing

@Suite struct OrderedValueTests {
  private func check<V: OrderedValue>(_ values: [V], _ location: SourceLocation = #_sourceLocation) {
    for descending in [false, true] {
      let keys = values.map { value in OrderKey { $0.write(value, descending: descending) } }
      for (place, key) in keys.enumerated() {
        for (otherPlace, other) in keys.enumerated() {
          let before = descending ? place > otherPlace : place < otherPlace
          #expect((key < other) == before, "\(values[place]) and \(values[otherPlace])", sourceLocation: location)
        }
      }
    }
  }

  @Test func `integers are ordered by value, in every width`() {
    check([Int.min, -300, -1, 0, 1, 255, 256, .max])
    check([Int8.min, -1, 0, 1, .max])
    check([UInt64.min, 1, 1 << 63, .max])
  }

  @Test func `numbers are ordered by value, NaN last`() {
    let numbers = [
      -Double.infinity, -1e300, -2, -1, -.leastNonzeroMagnitude, 0, .leastNonzeroMagnitude, 1, 1.5, 1e300, .infinity,
      .nan,
    ]
    check(numbers)
    #expect(OrderKey(-0.0) == OrderKey(0.0))
    #expect(OrderKey(Double.nan) == OrderKey(-Double.nan))
    #expect(SectionKey.double(-0.0) == .double(0))
  }

  @Test func `strings are ordered by their scalars`() {
    check([
      "", "\u{0}", "\u{0}\u{0}", "\u{0}a", "B", "a", "a\u{0}", "a\u{0}b", "ab", "e\u{301}", "z", "\u{e9}", "漢", "😀",
    ])
    #expect(OrderKey("e\u{301}") != OrderKey("\u{e9}"))
    #expect(SectionKey.string("e\u{301}") != .string("\u{e9}"))
  }

  @Test func `nil stands before every value`() {
    check([nil, "", "a"] as [String?])
    check([.none, .some(.none), .some(.some(-1)), .some(.some(0))] as [Int??])
    check([Date.distantPast, Date(timeIntervalSinceReferenceDate: 0), .distantFuture])
    check([false, true])
  }

  @Test func `a value's bytes do not leak into the next one's`() {
    let first = OrderKey { writer in
      writer.write("a", descending: true)
      writer.write("z", descending: false)
    }
    let second = OrderKey { writer in
      writer.write("ab", descending: true)
      writer.write("a", descending: false)
    }
    #expect(second < first)
  }

  @Test func `section keys of different kinds differ`() {
    let keys: [SectionKey] = [.null, "", .bool(true), 1, .double(1), "1", .other("1"), .bool(false), 0]
    #expect(Set(keys).count == keys.count)
    #expect(Optional<String>.none.sectionKey == .null)
    #expect(Optional("").sectionKey == "")
  }

  @Test func `an enum with a raw value is ordered by it`() {
    check([Size.small, .medium, .large])
    #expect(Size.medium.sectionKey == 2)
  }
}

private enum Size: Int, Codable, OrderedValue {
  case large = 3
  case medium = 2
  case small = 1
}
