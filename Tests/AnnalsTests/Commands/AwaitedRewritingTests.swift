@testable import Annals
@testable import AnnalsLog
import AnnalsSQLite
import Dispatch
import Foundation
import Synchronization
import Testing

/// Erasures and compactions that are awaited.
@Suite struct AwaitedRewritingTests {
  private let folder = Folder()

  /// A folder that is deleted with its last reference.
  private final class Folder: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: "annals-rewriting-\(UUID().uuidString)")

    deinit { try? FileManager.default.removeItem(at: url) }
  }

  private func fill(_ store: any EventStore) throws {
    for (id, name) in [("1", "Ann"), ("2", "Ben")] {
      try store.execute(Joining.Command(id: id, name: name), on: Joining[id])
      try store.execute(Joining.Command(id: id, name: name + "e"), on: Joining[id])
    }
  }

  /// Keeps the last event of each stream.
  private var compaction: Compaction {
    var compaction = Compaction()
    compaction.rewrite(MemberEvent.self) { _, events in events.suffix(1) }
    compaction.prove(Members())
    compaction.prove(Joining.self)
    return compaction
  }

  /// A store in memory and one in a file.
  private func stores() throws -> [any EventStore] {
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    return [
      MemoryEventStore(),
      try SQLiteEventStore(path: folder.url.appending(path: UUID().uuidString).path, durability: .process),
    ]
  }

  @MainActor
  @Test func `the lists of the main actor show an awaited erasure and an awaited compaction when they return`()
    async throws
  {
    for store in try stores() {
      try fill(store)
      let list = members(of: store)
      var causes: [ChangeCause] = []
      let observation = list.observe { causes.append($0.cause) }
      try list.performFetch()
      #expect(list.results.rows.map(\.name.value) == ["Anne", "Bene"])
      #expect(try await store.erase(subject: "member-1").fields == 2)
      #expect(list.results.rows.map(\.name.value) == [nil, "Bene"])
      let receipt = try await store.compact(compaction)
      #expect(receipt.cut == 2)
      #expect(list.results.rows.map(\.name.value) == [nil, "Bene"] && list.failure == nil)
      #expect(causes.contains { $0.contains(.erasure) })
      #expect(try await store.compact(compaction).isUnchanged)
      observation.cancel()
    }
  }

  @MainActor
  @Test func `the main actor goes on while events are erased and compacted`() async throws {
    let goesOn = DispatchSemaphore(value: 0)
    let waits = Mutex<[Bool]>([])
    // Only a job of the main actor lets the work go on.
    let wait: @Sendable () -> Void = {
      let isFree = waitHere(goesOn)
      waits.withLock { $0.append(isFree) }
    }
    let store = WaitingStore(wait)
    try fill(store.inner)
    let erasing = Task { try await store.erase(subject: "member-2") }
    await Task.yield()
    await Task { @MainActor in _ = goesOn.signal() }.value
    #expect(try await erasing.value.fields == 2)
    let compaction = compaction
    let compacting = Task { try await store.compact(compaction) { if $0 == .rewriting { wait() } } }
    await Task.yield()
    await Task { @MainActor in _ = goesOn.signal() }.value
    #expect(try await compacting.value.cut == 2)
    #expect(waits.withLock { $0 } == [true, true])
  }

  @Test func `a compaction that is cancelled ends at its next part and leaves the log as it was`() async throws {
    for store in try stores() {
      try fill(store)
      let before = try store.events(.all, after: 0, through: nil, limit: 99)
      let compaction = compaction
      for step in Compaction.Step.allCases.dropLast() {
        let task = Mutex<Task<CompactionReceipt, any Error>?>(nil)
        let isThere = DispatchSemaphore(value: 0)
        let work = Task {
          try await store.compact(compaction) { found in
            if found == step {
              #expect(waitHere(isThere))
              task.withLock { $0?.cancel() }
            }
          }
        }
        task.withLock { $0 = work }
        isThere.signal()
        let result = await work.result
        if step == .proving {
          // No part follows that could end the work: it is done.
          #expect(try result.get().cut == 2)
        } else {
          #expect(throws: CancellationError.self) { try result.get() }
          #expect(try store.events(.all, after: 0, through: nil, limit: 99) == before)
        }
      }
    }
  }

  @Test func `an awaited erasure or compaction of a cancelled task does nothing`() async throws {
    let store = MemoryEventStore()
    try fill(store)
    let compaction = compaction
    let work = Task {
      // Until it is cancelled.
      while !Task.isCancelled { await Task.yield() }
      await #expect(throws: CancellationError.self) { try await store.erase(subject: "member-1") }
      await #expect(throws: CancellationError.self) { try await store.compact(compaction) }
    }
    work.cancel()
    await work.value
    #expect(store.revision() == MemoryEventStore().revision() && store.head() == 4)
  }

  @Test func `errors of an awaited erasure and compaction are those of the calls that are not awaited`() async throws {
    let bare = BareStore()
    let first = await #expect(throws: EventStoreError.self) { try await bare.erase(subject: "a") }
    #expect(first?.code == .unsupported)
    let second = await #expect(throws: EventStoreError.self) { try await bare.compact(Compaction()) }
    #expect(second?.code == .unsupported)
    let full = MemoryEventStore()
    try fill(full)
    var cutsAll = Compaction()
    cutsAll.rewrite(MemberEvent.self) { _, _ in [] }
    cutsAll.prove(Members())
    let all = cutsAll
    await #expect(throws: CompactionError.self) { try await full.compact(all) }
    struct Mine: Error {}
    let compaction = compaction
    await #expect(throws: Mine.self) { try await full.compact(compaction) { _ in throw Mine() } }
    #expect(full.head() == 4 && full.revision().compacted.count == 0)
  }

  @Test func `states of deciders that are in memory forget what an awaited erasure took away`() async throws {
    let store = MemoryEventStore()
    try fill(store)
    func name() throws -> String? { try store.state(of: Joining["1"]).name?.value }
    #expect(try name() == "Anne")
    try await store.erase(subject: "member-1")
    #expect(store.runtime.states.count == 0)
    #expect(try name() == nil)
    #expect(try await store.state(of: Joining["2"]).name?.value == "Bene")
  }

  private func members(
    of store: some EventStore, isolation: isolated (any Actor)? = #isolation
  ) -> FetchedResultsController<Member> {
    FetchedResultsController(store: store, projection: Members())
  }
}

/// A store whose erasures wait.
private final class WaitingStore: ForwardingEventStore {
  let inner = MemoryEventStore()
  var wrapped: any EventStore { inner }
  private let wait: @Sendable () -> Void

  init(_ wait: @escaping @Sendable () -> Void) { self.wait = wait }

  var erasing: (any ErasingStore)? { Erasing(inner: inner, wait: wait) }

  private struct Erasing: ErasingStore {
    let inner: MemoryEventStore
    let wait: @Sendable () -> Void

    func commitErasure(of subject: String) throws -> ErasureReceipt {
      wait()
      guard let erasing = inner.erasing else {
        throw EventStoreError.unsupported("erasures", by: MemoryEventStore.self)
      }
      return try erasing.commitErasure(of: subject)
    }

    func hasPersonalValues() throws -> Bool { try inner.erasing?.hasPersonalValues() ?? false }
  }
}

/// A store that can neither erase nor compact.
private final class BareStore: ForwardingEventStore {
  let wrapped: any EventStore = MemoryEventStore()
  var erasing: (any ErasingStore)? { nil }
  var compacting: (any CompactingStore)? { nil }
}

private enum MemberEvent: Event { case named(id: String, name: Personal<String>) }

private struct Member: Row {
  let id: String
  var name: Personal<String>
}

private struct Members: Projection {
  func project(_ event: MemberEvent, into rows: inout Rows<Member>) {
    if case .named(let id, let name) = event { rows.insert(Member(id: id, name: name)) }
  }
}

private struct Joining: Decider, Equatable {
  struct Command { let id, name: String }

  var name: Personal<String>?

  func decide(_ command: Command) -> [MemberEvent] {
    [.named(id: command.id, name: Personal(command.name, of: "member-\(command.id)"))]
  }

  mutating func evolve(_ event: MemberEvent) {
    if case .named(_, let name) = event { self.name = name }
  }
}

/// True if someone signals: other tests may hold the main actor and Swift's pool for minutes.
private func waitHere(_ semaphore: DispatchSemaphore) -> Bool { semaphore.wait(timeout: .now() + 1_500) == .success }
