public import Annals

/// The rules of a remote store that erases what its events say of a person, as code that you can run.
///
///     @Test(arguments: RemoteErasingContract.rules)
///     func `a remote store of mine erases as the contract says`(rule: RemoteErasingContract.Rule) async throws {
///       try await rule.check { try await MyRemoteStore() }
///     }
///
/// The rules of `StoreContract` about erasing hold too; these are about what is awaited, and about those who follow.
public enum RemoteErasingContract {
  /// A rule: a sentence, and the code that checks it.
  public typealias Rule = RemoteContractRule<any RemoteErasingStore>
  /// A rule that a store breaks.
  public typealias Violation = RemoteContractViolation

  /// All rules.
  public static let rules: [Rule] = records + readers

  static func rule(
    _ sentence: String,
    _ body: @escaping @Sendable (any RemoteEventStore, any RemoteErasingStore) async throws -> Void
  ) -> Rule { Rule(sentence, { $0.erasing }, body) }
}
