import Annals
import AnnalsTesting
import Synchronization
import Testing
@testable import AnnalsLog
@testable import AnnalsRemote

/// The end of a remote store's running calls, and the check of its server.
@Suite struct OpenCallsTests {
  private let calls = OpenCalls()

  private final class Number: Sendable {
    let value = Mutex(0)
  }

  private func isRefused() async -> Bool {
    let error = await #expect(throws: EventStoreError.self) { try await calls.counting {} }
    return error?.code == .closed
  }

  @Test func `The parts of a running call are accepted while other calls are refused`() async throws {
    try await calls.counting {
      calls.refuse()
      try await calls.counting { try await calls.counting {} }
      await Task.detached { #expect(await isRefused()) }.value
    }
    #expect(await isRefused())
    try await calls.drain()
  }

  @Test func `Every drain waits for every call, and a cancelled drain doesn't`() async throws {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let (begins, begin) = AsyncStream.makeStream(of: Void.self)
    let running = (1...2).map { _ in
      Task {
        try await calls.counting {
          begin.yield()
          for await _ in ends { break }
        }
      }
    }
    var begun = begins.makeAsyncIterator()
    for _ in 1...2 { _ = await begun.next() }
    let drained = Number()
    var drains: [Task<Void, any Error>] = []
    for _ in 1...3 {
      drains.append(
        Task {
          try await calls.drain()
          drained.value.withLock { $0 += 1 }
        })
    }
    drains[0].cancel()
    await #expect(throws: CancellationError.self) { try await drains[0].value }
    end.yield()
    #expect(drained.value.withLock { $0 } == 0)
    end.finish()
    for task in running { try await task.value }
    for drain in drains[1...] { try await drain.value }
    #expect(drained.value.withLock { $0 } == 2)
    #expect(await isRefused())
  }

  @Test func `A command whose store begins to drain still reads and appends`() async throws {
    let remote = MemoryRemoteStore()
    remote.onCalls { [calls = remote.commands.calls] _, _ in calls.refuse() }
    #expect(try await remote.execute("one", on: DistantBook["a"]).position == 1)
    let error = await #expect(throws: EventStoreError.self) { try await remote.execute("two", on: DistantBook["a"]) }
    #expect(error?.code == .closed)
  }

  @Test func `The check of a server makes an append without events, and concurrent checks share it`() async throws {
    let remote = MemoryRemoteStore()
    try await remote.execute("one", on: DistantBook["a"])
    #expect(try await remote.health(within: .seconds(3_600)) == 1)

    let begun = Mutex(0)
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let late = EventStoreError(.busy, "late")
    let check = HealthCheck()
    let result: @Sendable (Duration) async throws -> Position = { limit in
      try await check.result(within: limit, sleep: { try await Task.sleep(for: $0) }, late: late) {
        begun.withLock { $0 += 1 }
        for await _ in ends { break }
        return 7
      }
    }
    for _ in 1...3 {
      let error = await #expect(throws: EventStoreError.self) { try await result(.milliseconds(1)) }
      #expect(error == late)
    }
    let cancelled = Task { try await result(.seconds(600)) }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    async let last = result(.seconds(600))
    end.finish()
    #expect(try await last == 7)
    #expect(begun.withLock { $0 } == 1)
  }
}
