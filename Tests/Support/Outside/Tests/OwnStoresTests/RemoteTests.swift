import Annals
import AnnalsRemote
import AnnalsStoreTesting
import AnnalsTesting
import OwnStores
import Testing

@Suite struct RemoteTests {
  @Test(arguments: StoreContract.rules)
  func `a remote store written with public names keeps the contract`(rule: StoreContract.Rule) async throws {
    try await rule.check(remote: { OwnRemote(environment: $0) })
  }

  @Test(arguments: RemoteErasingContract.rules)
  func `a remote store written with public names erases as the contract says`(
    rule: RemoteErasingContract.Rule
  ) async throws {
    try await rule.check { OwnRemote() }
  }

  @Test(arguments: RemoteCompactingContract.rules)
  func `a remote store written with public names compacts as the contract says`(
    rule: RemoteCompactingContract.Rule
  ) async throws {
    try await rule.check { OwnRemote() }
  }

  @Test func `A compaction through a replica of a remote store is proven, done and followed`() async throws {
    let store = OwnRemote()
    for copies in 1...9 { try await store.execute(.counted(book: "a", copies: copies), on: Shop["main"]) }
    var compaction = Compaction()
    compaction.rewrite(StockEvent.self) { _, events in Array(events.suffix(1)) }
    compaction.prove(Shop.self)
    let replica = Replica(of: store, in: MemoryEventStore())
    #expect(try await replica.compact(compaction).cut == 8)
    #expect(try replica.log.events(.all, after: 0, through: nil, limit: 9).map(\.position) == [9])
    #expect(try await store.compacting?.compactions(after: 0, limit: 9).map(\.cut) == [8])
  }
}
