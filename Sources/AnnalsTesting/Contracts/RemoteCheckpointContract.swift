public import Annals

/// The rules of what keeps followers' positions, leases and quarantine beside a remote log, as code that you can run.
///
///     @Test(arguments: RemoteCheckpointContract.rules)
///     func `a checkpoint store of mine keeps the contract`(rule: RemoteCheckpointContract.Rule) async throws {
///       try await rule.check { try await MyCheckpoints() }
///     }
public enum RemoteCheckpointContract {
  /// Makes an empty store.
  public typealias MakeStore = @Sendable () async throws -> any RemoteCheckpointStore

  /// A rule: a sentence, and the code that checks it.
  public struct Rule: Sendable, CustomStringConvertible {
    /// The sentence.
    public let sentence: String
    private let body: @Sendable (MakeStore) async throws -> Void

    init(_ sentence: String, _ body: @escaping @Sendable (MakeStore) async throws -> Void) {
      (self.sentence, self.body) = (sentence, body)
    }

    /// Checks whether a store keeps the rule.
    ///
    /// - Parameter makeStore: Makes an empty store, a new one at each call.
    /// - Throws: ``Violation``.
    public func check(_ makeStore: MakeStore) async throws {
      do { try await body(makeStore) } catch { throw Violation(rule: sentence, error: error) }
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
    public var description: String { "a store of checkpoints must keep this rule: \(rule)\n  \(error)" }
  }

  /// All rules.
  public static let rules: [Rule] = leases + progress

  /// What a rule expects and does not find.
  struct Difference: Error, CustomStringConvertible {
    let description: String
  }

  static func expect<T: Equatable>(_ what: String, _ found: T, _ expected: T) throws {
    if found != expected { throw Difference(description: "\(what): expected \(expected), found \(found)") }
  }

  static func expect(_ what: String, _ isTrue: Bool) throws {
    if !isTrue { throw Difference(description: "expected that \(what)") }
  }

  /// A claim that holds for a minute, or for the time that is given.
  static func claim(
    _ worker: String, of follower: FollowerID = FollowerID("mailer"), partitions: Int = 4,
    for duration: Duration = .seconds(60), start: Position = 0
  ) -> LeaseClaim {
    LeaseClaim(follower, worker: worker, partitions: partitions, duration: duration, start: start)
  }
}
