import Annals
import AnnalsLog
import Testing

/// What a store writes into a batch.
@Suite struct EventBatchBuilderTests {
  @Test func `the name of a type is asked for once, and a type without a name is asked for again`() {
    let builder = EventBatchBuilder(capacity: 4)
    var asked: [Int64] = []
    func index(_ key: Int64, _ name: String?) -> Int? {
      builder.addType(key) {
        asked.append(key)
        return name
      }
    }
    #expect([index(7, "Opened"), index(9, "Closed"), index(7, "Opened"), index(9, "Closed")] == [0, 1, 0, 1])
    #expect(asked == [7, 9])
    #expect(index(8, nil) == nil && index(8, "Moved") == 2)
    #expect(asked == [7, 9, 8, 8])
  }
}
