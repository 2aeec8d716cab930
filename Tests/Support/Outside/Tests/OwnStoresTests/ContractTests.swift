import Annals
import AnnalsStoreTesting
import AnnalsTesting
import OwnStores
import Testing

@Suite struct ContractTests {
  @Test(arguments: Stores.allCases, StoreContract.rules)
  func `a store written with public names keeps the contract`(stores: Stores, rule: StoreContract.Rule) throws {
    try stores.withStores { try rule.check($0) }
  }

  @Test(arguments: Stores.allCases)
  func `a store has every capability of the one inside it, but for erasing behind a seal`(stores: Stores) throws {
    try stores.withStore { outer, inner in
      let isSealed = [.sealingMemory, .sealingSQLite].contains(stores)
      #expect(outer.checkpoints != nil && outer.snapshots != nil && outer.savedLists != nil)
      #expect(outer.inlineLists != nil && outer.compacting != nil)
      #expect((outer.erasing == nil) == isSealed)
      #expect((outer.externalWriters == nil) == (inner.externalWriters == nil))
    }
  }

  @Test(arguments: StoreContract.rules)
  func `a store that can only read and append keeps the contract`(rule: StoreContract.Rule) throws {
    try rule.check { BareStore(environment: $0) }
  }

  @Test func `a store without capabilities names the one that it lacks`() throws {
    let store = BareStore()
    func lacking(_ body: () throws -> Void) -> String? {
      do { try body() } catch { return (error as? EventStoreError)?.capability }
      return nil
    }
    #expect(lacking { try store.erase(subject: "ann") } == "erasures")
    #expect(lacking { try store.compact(Compaction()) } == "compactions")
    #expect(lacking { try store.forgetFollower("f", version: 1) } == "checkpoints")
    #expect(lacking { try store.deleteSnapshots() } == "snapshots")
    #expect(lacking { try store.controller().performFetch() } == "saved lists")
    #expect(
      lacking { _ = try store.keepList(of: Stocks(), request: ListRequest(), cacheName: "stock") } == "inline lists")
  }

  @Test func `behind a seal nothing is erased, and the error says so`() throws {
    let store = SealingStore(MemoryEventStore(), key: 7)
    let payload = #"{"name":{"$personal":"ann","value":"Ann"}}"#
    try store.append(Append([NewEvent(type: "T", payload: payload)], to: "s"))
    let error = #expect(throws: EventStoreError.self) { try store.erase(subject: "ann") }
    #expect(error?.code == .unsupported)
    #expect(error?.capability == "erasures")
    #expect(error?.message.contains("SealingStore") == true)
    #expect(try store.events(.all, after: 0, through: nil, limit: 9).map(\.payload) == [payload])
  }
}
