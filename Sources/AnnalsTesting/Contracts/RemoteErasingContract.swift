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
  /// Makes an empty store that erases.
  public typealias MakeStore = @Sendable () async throws -> any RemoteEventStore

  /// A rule: a sentence, and the code that checks it.
  public struct Rule: Sendable, CustomStringConvertible {
    /// The sentence.
    public let sentence: String
    private let body: @Sendable (any RemoteEventStore, any RemoteErasingStore) async throws -> Void

    init(
      _ sentence: String,
      _ body: @escaping @Sendable (any RemoteEventStore, any RemoteErasingStore) async throws -> Void
    ) {
      (self.sentence, self.body) = (sentence, body)
    }

    /// Checks whether a store keeps the rule.
    ///
    /// - Parameter makeStore: Makes an empty store, a new one at each call.
    /// - Throws: ``Violation``.
    public func check(_ makeStore: MakeStore) async throws {
      do {
        let store = try await makeStore()
        guard let erasing = store.erasing else {
          throw RemoteCheckpointContract.Difference(
            description: "expected a store that erases, found one that does not")
        }
        try await body(store, erasing)
      } catch { throw Violation(rule: sentence, error: error) }
    }

    /// The sentence.
    public var description: String { sentence }
  }

  /// A rule that a store breaks.
  public struct Violation: Error, Sendable, CustomStringConvertible {
    /// The rule's sentence.
    public let rule: String
    /// What was wrong.
    public let error: any Error

    /// The rule and what was wrong.
    public var description: String { "a remote store that erases must keep this rule: \(rule)\n  \(error)" }
  }

  /// All rules.
  public static let rules: [Rule] = records + readers
}
