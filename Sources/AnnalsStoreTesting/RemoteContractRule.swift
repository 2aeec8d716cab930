import Annals
public import AnnalsRemote
import AnnalsTesting

/// A rule for a capability of remote stores, such as compacting.
///
/// The rule consists of a sentence and of code that checks whether a store follows the rule.
public struct RemoteContractRule<Capability>: Sendable, CustomStringConvertible {
  /// A function that creates an empty store with the capability that the rule checks.
  public typealias MakeStore = @Sendable () async throws -> any RemoteEventStore

  /// The sentence that describes the rule.
  public let sentence: String
  private let capability: @Sendable (any RemoteEventStore) -> Capability?
  private let body: @Sendable (any RemoteEventStore, Capability) async throws -> Void

  init(
    _ sentence: String, _ capability: @escaping @Sendable (any RemoteEventStore) -> Capability?,
    _ body: @escaping @Sendable (any RemoteEventStore, Capability) async throws -> Void
  ) {
    self.sentence = sentence
    self.capability = capability
    self.body = body
  }

  /// Checks whether a store follows the rule.
  ///
  /// - Parameter makeStore: A function that creates a new, empty store each time it's called.
  /// - Throws: ``RemoteContractViolation`` if the store breaks the rule.
  public func check(_ makeStore: MakeStore) async throws {
    do {
      let store = try await makeStore()
      guard let capability = capability(store) else {
        throw RemoteCheckpointContract.Difference(
          description: "expected a store with the capability \(Capability.self), found a store without it")
      }
      try await body(store, capability)
    } catch { throw RemoteContractViolation(rule: sentence, error: error) }
  }

  /// The sentence that describes the rule.
  public var description: String { sentence }
}

/// An error that describes a rule that a remote store broke.
public struct RemoteContractViolation: Error, Sendable, CustomStringConvertible {
  /// The sentence that describes the rule.
  public let rule: String
  /// The error that the rule's code threw, for example with the expected and the found value.
  public let error: any Error

  /// A description with the rule and the error.
  public var description: String { "a remote store must follow this rule: \(rule)\n  \(error)" }
}
