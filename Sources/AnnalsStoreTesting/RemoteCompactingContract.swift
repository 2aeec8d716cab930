import Annals
import AnnalsLog
public import AnnalsRemote
import AnnalsTesting

/// The rules that a `RemoteCompactingStore` must follow when it removes and replaces events, as code that you can
/// run.
///
///     @Test(arguments: RemoteCompactingContract.rules)
///     func `a remote store of mine compacts as the contract says`(rule: RemoteCompactingContract.Rule) async throws {
///       try await rule.check { try await MyRemoteStore() }
///     }
///
/// If a store can also erase values or store followers' checkpoints, the rules test compaction together with these
/// capabilities, too.
public enum RemoteCompactingContract {
  /// A rule of the contract, which consists of a sentence and of code that checks whether a store follows the rule.
  public typealias Rule = RemoteContractRule<any RemoteCompactingStore>
  /// An error that describes a rule that a store broke.
  public typealias Violation = RemoteContractViolation

  /// All rules of the contract.
  public static let rules: [Rule] = events + appends + notes + copies

  static func rule(
    _ sentence: String,
    _ body: @escaping @Sendable (any RemoteEventStore, any RemoteCompactingStore) async throws -> Void
  ) -> Rule { Rule(sentence, { $0.compacting }, body) }

  static func expect<T: Equatable>(_ what: String, _ found: T, _ expected: T) throws {
    try RemoteCheckpointContract.expect(what, found, expected)
  }

  /// Throws unless a body throws an `EventStoreError` with the given code.
  static func expect(_ code: EventStoreError.Code, _ body: () async throws -> Void) async throws {
    do { try await body() } catch let error as EventStoreError where error.code == code { return }
    throw RemoteCheckpointContract.Difference(description: "expected the error \(code), found none")
  }

  /// Returns an event with a number, and with a personal value if a person is given.
  static func said(_ number: Int, of person: String? = nil, tags: Set<EventTag> = [], id: String? = nil) -> NewEvent {
    let who = person.map { #","who":{"$personal":\#(JSONValue.quoted($0)),"value":\#(number)}"# } ?? ""
    return NewEvent(
      type: "Said", payload: #"{"n":\#(number)\#(who)}"#, tags: tags, metadata: ["about": "\(number)"],
      id: id.map { EventID(source: "urn:contract", id: $0) })
  }

  /// Compacts a log by removing and replacing events.
  @discardableResult
  static func compact(
    _ store: any RemoteEventStore, _ compacting: any RemoteCompactingStore, through horizon: Position,
    cut: [Position] = [], replaced: [Position: NewEvent] = [:], id: String = "once"
  ) async throws -> LogCompaction {
    var changes = CompactionEdits()
    for position in cut { changes.add(.cut, at: position) }
    for (position, event) in replaced { changes.add(.replaced(by: event), at: position) }
    return try await compacting.commitCompaction(
      RemoteCompaction(id: id, revision: try await store.revision(), horizon: horizon, changes: changes))
  }

  /// Returns the log's first 1,000 events.
  static func everything(_ store: any RemoteEventStore) async throws -> [StoredEvent] {
    try await store.events(.all, after: 0, limit: 1_000)
  }
}
