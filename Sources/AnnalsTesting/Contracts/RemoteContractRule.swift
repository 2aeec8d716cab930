public import Annals

/// A rule of a capability of a remote store: a sentence, and the code that checks it.
public struct RemoteContractRule<Capability>: Sendable, CustomStringConvertible {
  /// Makes an empty store that has the capability.
  public typealias MakeStore = @Sendable () async throws -> any RemoteEventStore

  /// The sentence.
  public let sentence: String
  private let capability: @Sendable (any RemoteEventStore) -> Capability?
  private let body: @Sendable (any RemoteEventStore, Capability) async throws -> Void

  init(
    _ sentence: String, _ capability: @escaping @Sendable (any RemoteEventStore) -> Capability?,
    _ body: @escaping @Sendable (any RemoteEventStore, Capability) async throws -> Void
  ) {
    (self.sentence, self.capability, self.body) = (sentence, capability, body)
  }

  /// Checks whether a store keeps the rule.
  ///
  /// - Parameter makeStore: Makes an empty store, a new one at each call.
  /// - Throws: ``RemoteContractViolation``.
  public func check(_ makeStore: MakeStore) async throws {
    do {
      let store = try await makeStore()
      guard let capability = capability(store) else {
        throw RemoteCheckpointContract.Difference(
          description: "expected a store with the capability \(Capability.self), found one without it")
      }
      try await body(store, capability)
    } catch { throw RemoteContractViolation(rule: sentence, error: error) }
  }

  /// The sentence.
  public var description: String { sentence }
}

/// A rule that a remote store breaks.
public struct RemoteContractViolation: Error, Sendable, CustomStringConvertible {
  /// The rule's sentence.
  public let rule: String
  /// What was wrong.
  public let error: any Error

  /// The rule and what was wrong.
  public var description: String { "a remote store must keep this rule: \(rule)\n  \(error)" }
}
