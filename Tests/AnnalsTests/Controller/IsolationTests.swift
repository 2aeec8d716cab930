import Annals
import AnnalsTesting
import Dispatch
import Foundation
import Synchronization
import Testing

/// Where and when a list is delivered.
@Suite struct IsolationTests {
  @MainActor
  final class Screen: @MainActor FetchedResultsControllerDelegate {
    let controller: FetchedResultsController<Item>
    private(set) var batches = 0
    private var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    init(_ store: some EventStore) throws {
      controller = FetchedResultsController(store: store, projection: Items(), request: .byGroup)
      controller.delegate = self
      try controller.performFetch()
    }

    func controllerDidChangeContent(_ controller: FetchedResultsController<Item>) {
      MainActor.assertIsolated()
      batches += 1
      let count = controller.results.rows.count
      for (wanted, continuation) in waiting where wanted <= count { continuation.resume() }
      waiting.removeAll { $0.count <= count }
    }

    func wait(forRows count: Int) async {
      if controller.results.rows.count >= count { return }
      await withCheckedContinuation { waiting.append((count, $0)) }
    }
  }

  actor Worker {
    private var controller: FetchedResultsController<Item>?
    private let store: MemoryEventStore

    init(_ store: MemoryEventStore) { self.store = store }

    func start() throws {
      controller = FetchedResultsController(store: store, projection: Items(), request: .byGroup)
      try controller?.performFetch()
    }

    func commit(_ id: String) throws -> Int? {
      try store.put(.put(Item(id, "x", 1)))
      return controller?.results.rows.count
    }

    var count: Int? { controller?.results.rows.count }

    var changes: ChangeSequence<Item>? { controller?.changes }
  }

  @MainActor
  @Test func `a commit on the main actor is delivered there before it returns`() throws {
    let store = MemoryEventStore()
    let screen = try Screen(store)
    try store.put(.put(Item("a", "x", 1)))
    #expect(screen.batches == 1)
    #expect(screen.controller.results.rows.count == 1)
  }

  @MainActor
  @Test func `a nonisolated helper's commit on the main actor is delivered before it returns too`() throws {
    nonisolated func commit(_ store: MemoryEventStore) throws { try store.put(.put(Item("a", "x", 1))) }
    let store = MemoryEventStore()
    let screen = try Screen(store)
    try commit(store)
    #expect(screen.controller.results.rows.count == 1)
  }

  @MainActor
  @Test func `a commit outside the main actor doesn't wait, and a job delivers the commit on the main actor`()
    async throws
  {
    let store = MemoryEventStore()
    let screen = try Screen(store)
    // The main actor stays busy until the other thread's commits have returned.
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      for number in 0..<50 { _ = try? store.put(.put(Item("\(number)", "x", number))) }
      done.signal()
    }
    waitHere(done)
    #expect(screen.batches == 0)
    await screen.wait(forRows: 50)
    #expect(screen.controller.results.rows.count == 50)
    #expect(screen.batches == 1)
  }

  @Test func `an actor's own commit is delivered before it returns, and other commits by a job`() async throws {
    let store = MemoryEventStore()
    let worker = Worker(store)
    try await worker.start()
    #expect(try await worker.commit("a") == 1)
    let changes = try #require(await worker.changes)
    try store.put(.put(Item("b", "x", 1)))
    for await change in changes {
      if change.new.rows.count == 2 { break }
    }
    #expect(await worker.count == 2)
  }

  @Test func `without isolation, a user's commits are delivered immediately, and other commits at a refresh`() throws {
    let store = MemoryEventStore()
    let controller = try controller(store)
    try store.put(.put(Item("a", "x", 1)))
    #expect(controller.results.rows.count == 1)
    onAnotherThread { _ = try? store.put(.put(Item("b", "x", 1))) }
    #expect(controller.results.rows.count == 1)
    controller.refresh()
    #expect(controller.results.rows.count == 2)
  }

  @Test func `a controller without isolation that is used in another task delivers in that task`() async throws {
    let store = MemoryEventStore()
    let controller = try controller(store)
    let count = await Task {
      _ = try? store.put(.put(Item("a", "x", 1)))
      let before = controller.results.rows.count
      _ = try? store.put(.put(Item("b", "x", 1)))
      return [before, controller.results.rows.count]
    }.value
    #expect(count == [0, 2])
  }

  @Test func `the store holds no lock while observers run`() throws {
    let store = MemoryEventStore()
    let controller = try controller(store)
    let heads = Mutex<[Position]>([])
    let observation = controller.observe { _ in
      onAnotherThread {
        _ = try? store.put(.put(Item("from elsewhere", "x", 2)))
        let head = store.head()
        heads.withLock { $0.append(head) }
      }
    }
    try store.put(.put(Item("a", "x", 1)))
    #expect(heads.withLock { $0 } == [2])
    observation.cancel()
  }

  @Test func `many threads can commit while a controller moves from task to task`() async throws {
    let store = MemoryEventStore()
    let carrier = Carrier(try controller(store))
    let writers = Task.detached {
      await withTaskGroup(of: Void.self) { group in
        for writer in 0..<4 {
          group.addTask {
            for number in 0..<25 {
              _ = try? store.put(.put(Item("\(writer)-\(number)", "g\(writer)", number)))
              await Task.yield()
            }
          }
        }
      }
    }
    for _ in 0..<10 {
      await Task {
        let controller = carrier.controller
        controller.refresh()
        _ = try? store.put(.put(Item(UUID().uuidString, "own", 0)))
        #expect(controller.results.sections.contains { $0.key == "own" })
      }.value
    }
    await writers.value
    carrier.controller.refresh()
    #expect(carrier.controller.results.rows.count == 110)
  }
}

/// Carries a controller from task to task.
///
/// The compiler cannot verify that this is safe.
private final class Carrier: @unchecked Sendable {  // One task waits for the other before it uses the controller.
  let controller: FetchedResultsController<Item>

  init(_ controller: sending FetchedResultsController<Item>) { self.controller = controller }
}

/// Runs a body on another thread and waits for it.
private func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
  let done = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    body()
    done.signal()
  }
  waitHere(done)
}

/// Blocks on purpose, like code that holds up its actor.
private func waitHere(_ semaphore: DispatchSemaphore) { semaphore.wait() }
