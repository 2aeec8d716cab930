import Annals
import AnnalsLog
public import AnnalsRemote
import AnnalsTesting

/// The rules that a `RemoteCheckpointStore` must follow, as code that you can run.
///
/// The rules cover the positions that followers save, and the streams that followers have quarantined
/// (`QuarantinedStream`). The rules also cover leases (`FollowerLease`). A lease gives one of a follower's workers the
/// exclusive right to handle the events of one partition for a limited time. A partition consists of some of the log's
/// streams.
///
///     @Test(arguments: RemoteCheckpointContract.rules)
///     func `a checkpoint store of mine keeps the contract`(rule: RemoteCheckpointContract.Rule) async throws {
///       try await rule.check { try await MyCheckpoints() }
///     }
public enum RemoteCheckpointContract {
  /// A function that creates an empty checkpoint store.
  public typealias MakeStore = @Sendable () async throws -> any RemoteCheckpointStore

  /// A rule of the contract, which consists of a sentence and of code that checks whether a store follows the rule.
  public struct Rule: Sendable, CustomStringConvertible {
    /// The sentence that describes the rule.
    public let sentence: String
    private let body: @Sendable (MakeStore) async throws -> Void

    init(_ sentence: String, _ body: @escaping @Sendable (MakeStore) async throws -> Void) {
      self.sentence = sentence
      self.body = body
    }

    /// Checks whether a store follows the rule.
    ///
    /// - Parameter makeStore: A function that creates a new, empty store each time it's called.
    /// - Throws: ``Violation`` if the store breaks the rule.
    public func check(_ makeStore: MakeStore) async throws {
      do { try await body(makeStore) } catch { throw Violation(rule: sentence, error: error) }
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
    public var description: String { "a checkpoint store must follow this rule: \(rule)\n  \(error)" }
  }

  /// All rules of the contract.
  public static let rules: [Rule] = leases + progress

  /// A difference between the expected and the found value.
  struct Difference: Error, CustomStringConvertible {
    let description: String
  }

  static func expect<T: Equatable>(_ what: String, _ found: T, _ expected: T) throws {
    if found != expected { throw Difference(description: "\(what): expected \(expected), found \(found)") }
  }

  static func expect(_ what: String, _ isTrue: Bool) throws {
    if !isTrue { throw Difference(description: "expected that \(what)") }
  }

  /// Returns a worker's claim to a follower's partitions.
  ///
  /// By default, the claim holds for an hour, which is longer than a rule takes on a full machine.
  static func claim(
    _ worker: String, of follower: FollowerID = FollowerID("mailer"), partitions: Int = 4,
    for duration: Duration = .seconds(3_600), start: Position = 0
  ) -> LeaseClaim {
    LeaseClaim(follower, worker: worker, partitions: partitions, duration: duration, start: start)
  }
}
