import Annals
import AnnalsStoreTesting
import AnnalsTesting
import Testing

@Suite struct RemoteCompactingTests {
  @Test(arguments: RemoteCompactingContract.rules)
  func `a remote store around one in memory compacts as the contract says`(
    rule: RemoteCompactingContract.Rule
  ) async throws {
    try await rule.check { MemoryRemoteStore() }
  }
}
