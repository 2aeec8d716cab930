public import Annals

/// The rules of every event store, as code that you can run.
///
///     @Test(arguments: StoreContract.rules)
///     func `a store of mine keeps the contract`(rule: StoreContract.Rule) throws {
///       try rule.check { MyStore(environment: $0) }
///     }
public enum StoreContract {
  /// Makes an empty store that uses an environment.
  public typealias MakeStore = (StoreEnvironment) throws -> any EventStore

  /// A rule: a sentence, and the code that checks it.
  public struct Rule: Sendable, CustomStringConvertible {
    /// The sentence.
    public let sentence: String
    private let body: @Sendable (Trial) throws -> Void

    init(_ sentence: String, _ body: @escaping @Sendable (Trial) throws -> Void) {
      self.sentence = sentence
      self.body = body
    }

    /// Checks whether a store keeps the rule.
    ///
    /// - Parameter makeStore: Makes an empty store, a new one at each call.
    /// - Throws: ``Violation``.
    public func check(_ makeStore: MakeStore) throws {
      do {
        try withoutActuallyEscaping(makeStore) { try body(Trial(makeStore: $0)) }
      } catch {
        throw Violation(rule: sentence, error: error)
      }
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
    public var description: String { "an event store must keep this rule: \(rule)\n  \(error)" }
  }

  /// All rules, the simple ones first.
  public static let rules: [Rule] =
    appending + conflicts + commands + reading + moments + sharing + following + capabilities + groups + erasing
    + compacting + rewriting + ends + model
}
