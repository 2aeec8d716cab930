import Annals
public import AnnalsLog
public import AnnalsRemote
import AnnalsTesting
import Foundation

extension StoreContract.Rule {
  /// Checks whether a remote store follows the rule.
  ///
  ///     @Test(arguments: StoreContract.rules)
  ///     func `a remote store of mine keeps the contract`(rule: StoreContract.Rule) async throws {
  ///       try await rule.check(remote: { try await MyRemoteStore(environment: $0) })
  ///     }
  ///
  /// The rule runs on a separate thread, which blocks while it waits for each response. Rules for capabilities that a
  /// remote store can't have, such as saved lists, pass without being tested.
  ///
  /// - Parameter makeStore: A function that creates a new, empty store each time it's called.
  /// - Throws: ``StoreContract/Violation`` if the store breaks the rule.
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
