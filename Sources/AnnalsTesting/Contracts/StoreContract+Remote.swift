public import Annals
import Foundation

extension StoreContract.Rule {
  /// Checks whether a remote store keeps the rule.
  ///
  ///     @Test(arguments: StoreContract.rules)
  ///     func `a remote store of mine keeps the contract`(rule: StoreContract.Rule) async throws {
  ///       try await rule.check(remote: { try await MyRemoteStore(environment: $0) })
  ///     }
  ///
  /// The rule runs on a thread of its own, which waits for each answer. Rules about capabilities that a remote store
  /// does not have, such as saved lists, ask nothing of it.
  ///
  /// - Parameter makeStore: Makes an empty store, a new one at each call.
  /// - Throws: ``StoreContract/Violation``.
  public func check(
    remote makeStore: @escaping @Sendable (StoreEnvironment) async throws -> any RemoteEventStore
  ) async throws {
    let outcome: Result<Void, any Error> = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(
          returning: Result {
            try self.check { environment in
              BlockingEventStore(try waiting { try await makeStore(environment) })
            }
          })
      }
    }
    try outcome.get()
  }
}
