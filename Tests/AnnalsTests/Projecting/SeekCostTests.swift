import Annals
import AnnalsTesting
import Testing

/// How many events are read on the way through the past.
@Suite struct SeekCostTests {
  @Test func `two thousand steps back in a long log, and forth again, read few events each`() throws {
    let (store, count) = (CountingStore(), 20_000)
    for part in 0..<40 {
      try store.put((0..<500).map { .put(Item("\(($0 * 7 + part) % 40)", "g\($0 % 3)", part * 500 + $0)) })
    }
    let list = try controller(store, ListRequest(sort: [.ascending(\.rank)]))
    try list.seek(to: Position(count - 1))
    var before = store.read
    for position in (count - 2_001..<count - 1).reversed() {
      try list.seek(to: Position(position))
      // The last row identifies the state.
      #expect(list.fetchedObjects.last?.rank == position - 1)
    }
    #expect(store.read - before <= 2_000 * 15)
    // Moves far away and back: the far state is still kept.
    before = store.read
    try list.seek(to: 5_000)
    #expect(store.read - before <= count / 32)
    before = store.read
    for step in 0..<400 {
      let position = 5_000 + (step % 3 == 0 ? -step / 3 : step / 4)
      try list.seek(to: Position(position))
      #expect(list.position == Position(position))
    }
    #expect(store.read - before <= 400 * 100 + count / 32)
  }
}
