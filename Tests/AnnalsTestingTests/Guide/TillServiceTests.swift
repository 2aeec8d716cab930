import Annals
import AnnalsRemote
import AnnalsTesting
import Testing

/// The tills of a service, tested without a server.
@Suite struct TillServiceTests {
  @Test func `money is put in once, even if the response is lost`() async throws {
    let remote = MemoryRemoteStore()
    remote.fail(StoreFault(.append, way: .answerLost))
    let error = await #expect(throws: EventStoreError.self) {
      try await remote.execute(5, on: Till["main"], commandID: "tap-1")
    }
    #expect(error?.code == .unknownOutcome && error?.isTransient == true)
    let receipt = try await remote.execute(5, on: Till["main"], commandID: "tap-1")
    #expect(receipt.isRepeated)
    #expect(try await remote.head() == 1)
  }

  @Test func `two instances don't give the same money`() async throws {
    let server = MemoryRemoteServer()
    let (one, two) = (MemoryRemoteStore(server), MemoryRemoteStore(server))
    try await one.execute(5, on: Till["main"])
    one.onCalls { call, leg in
      guard call == .append, leg == .request else { return }
      // While the first instance's append is on its way, the second instance takes the money.
      one.onCalls(nil)
      try await two.execute(-5, on: Till["main"])
    }
    await #expect(throws: Till.Rejection.self) { try await one.execute(-5, on: Till["main"]) }
    #expect(try await server.state(of: Till["main"]).money == 0)
  }
}
