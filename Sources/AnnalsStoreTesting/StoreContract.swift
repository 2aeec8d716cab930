public import Annals
import AnnalsTesting

/// The rules for every event store, as code that you can run.
///
///     @Test(arguments: StoreContract.rules)
///     func `a store of mine keeps the contract`(rule: StoreContract.Rule) throws {
///       try rule.check { MyStore(environment: $0) }
///     }
public enum StoreContract {
  /// A function that creates an empty store with the given environment.
  public typealias MakeStore = (StoreEnvironment) throws -> any EventStore

  /// A rule of the contract, which consists of a sentence and of code that checks whether a store follows the rule.
  public struct Rule: Sendable, CustomStringConvertible {
    /// The sentence that describes the rule.
    public let sentence: String
    private let body: @Sendable (Trial) throws -> Void

    init(_ sentence: String, _ body: @escaping @Sendable (Trial) throws -> Void) {
      self.sentence = sentence
      self.body = body
    }

    /// Checks whether a store follows the rule.
    ///
    /// - Parameter makeStore: A function that creates a new, empty store each time it's called.
    /// - Throws: ``Violation`` if the store breaks the rule.
    public func check(_ makeStore: MakeStore) throws {
      do {
        try withoutActuallyEscaping(makeStore) { try body(Trial(makeStore: $0)) }
      } catch {
        throw Violation(rule: sentence, error: error)
      }
    }

    /// The sentence that describes the rule.
    public var description: String { sentence }
  }

  /// An error that describes a rule that a store broke.
  public struct Violation: Error, Sendable, CustomStringConvertible {
    /// The sentence that describes the rule.
    public let rule: String
    /// The error that the rule's code threw, for example with the expected and the found value.
    public let error: any Error

    /// A description with the rule and the error.
    public var description: String { "an event store must follow this rule: \(rule)\n  \(error)" }
  }

  /// All rules, with the simple rules first.
  public static let rules: [Rule] =
    appending + conflicts + commands + reading + moments + sharing + following + capabilities + groups + erasing
    + compacting + removing + rewriting + ends + model
}
