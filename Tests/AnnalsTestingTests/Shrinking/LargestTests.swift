@testable import AnnalsTesting
import Testing

/// The search for the largest number that meets a condition.
@Suite struct LargestTests {
  @Test(arguments: 0...140 as ClosedRange<UInt64>)
  func `the largest number below a limit is found wherever the condition ends`(limit: UInt64) {
    for bound in 0...150 as ClosedRange<UInt64> {
      var asked = 0
      let found = Shrinker.largest(through: limit) { number in
        asked += 1
        #expect(number > 0 && number <= limit)
        return number <= bound
      }
      #expect(found == min(bound, limit), "\(bound) of \(limit)")
      #expect(asked <= 20)
    }
  }

  @Test func `numbers up to the very largest are searched`() {
    let bounds: [UInt64] = [.max, .max - 1, .max / 2 + 2, .max / 2 + 1, .max / 2, 1 << 40]
    for bound in bounds {
      #expect(Shrinker.largest { $0 <= bound } == bound)
      #expect(Shrinker.largest(through: .max - 1) { $0 <= bound } == min(bound, .max - 1))
      #expect(Shrinker.largest(through: bound) { _ in true } == bound)
    }
  }
}
