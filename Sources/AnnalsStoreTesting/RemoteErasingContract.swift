import Annals
public import AnnalsRemote
import AnnalsTesting

/// The rules that a `RemoteErasingStore` must follow when it erases personal values, as code that you can run.
///
///     @Test(arguments: RemoteErasingContract.rules)
///     func `a remote store of mine erases as the contract says`(rule: RemoteErasingContract.Rule) async throws {
///       try await rule.check { try await MyRemoteStore() }
///     }
///
/// The store must also follow the rules about erasing in ``StoreContract``. The rules here cover async calls,
/// subscriptions and deciders.
public enum RemoteErasingContract {
  /// A rule of the contract, which consists of a sentence and of code that checks whether a store follows the rule.
  public typealias Rule = RemoteContractRule<any RemoteErasingStore>
  /// An error that describes a rule that a store broke.
  public typealias Violation = RemoteContractViolation

  /// All rules of the contract.
  public static let rules: [Rule] = records + readers

  static func rule(
    _ sentence: String,
    _ body: @escaping @Sendable (any RemoteEventStore, any RemoteErasingStore) async throws -> Void
  ) -> Rule { Rule(sentence, { $0.erasing }, body) }
}
