import AnnalsTesting
import Testing

@Suite struct AsyncCheckTests {
  private let settings = CheckSettings(examples: 50, seed: 11, environment: .patient)

  @Test func `a property that waits is checked and shrinks`() async throws {
    let report = try await check(.int(), settings: settings) { _ in await Task.yield() }
    #expect(report.examples == 50)
    let failure = await #expect(throws: PropertyFailure.self) {
      try await check(.int(), .array(of: .bool), settings: settings) { number, flags in
        await Task.yield()
        sometimes(number > 3, "more than three")
        note("\(flags.count) flags")
        return number < 100 || flags.isEmpty
      }
    }
    #expect(failure?.input == ["100", "[false]"])
    #expect(failure?.notes == ["1 flags"])
  }

  @MainActor @Test func `the cases run in the caller's isolation`() async throws {
    var count = 0
    try await check(.int(), settings: settings) { _ in
      MainActor.assertIsolated()
      await Task.yield()
      count += 1
    }
    #expect(count == 50)
  }

  @Test func `a cancelled check ends`() async throws {
    let task = Task {
      try await check(.int(), settings: CheckSettings(examples: 10_000_000, seed: 1, environment: .patient)) { _ in
        await Task.yield()
      }
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
