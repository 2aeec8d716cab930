public import AnnalsLog
public import Foundation

/// A store that can erase a person's data from a remote log: the values of `Personal` fields in the log's events.
///
/// This is a capability of a ``RemoteEventStore``, available through ``RemoteEventStore/erasing``. It corresponds to
/// `ErasingStore` for a local log. A subject is the id of a person, for example `guest-1`. The store records every
/// erasure, so that copies of the log can repeat it. `RemoteErasingContract` in AnnalsStoreTesting tests that a store
/// follows this protocol's rules.
public protocol RemoteErasingStore: Sendable {
  /// Deletes a subject's personal values from all events, and records the erasure, in one transaction.
  ///
  /// After the call, no read in any process returns the values. If the subject had a value, the number of erasures in
  /// the log's revision increases by one (`LogRevision.erasures`). If the subject has no values, the call doesn't
  /// throw, and no erasure is recorded. Later events can contain new data about the subject. If you repeat the call
  /// because the response was lost, the erasure isn't counted twice. Apps call ``RemoteEventStore/erase(subject:)``
  /// instead, because that method also removes cached decider states and wakes subscriptions.
  ///
  /// - Parameter subject: The subject, which is the id of the person. Two subjects are equal only if their Unicode
  ///   scalars are equal.
  /// - Returns: A receipt with the number of deleted values. `ErasureReceipt.remnants` names the places where the
  ///   server might still have bytes of the values.
  /// - Throws: `EventStoreError`. In that case no data was erased.
  func commitErasure(of subject: String) async throws -> ErasureReceipt

  /// Returns whether the log currently contains a personal value, which can be erased.
  ///
  /// - Returns: True if at least one event has a personal value.
  /// - Throws: `EventStoreError`.
  func hasPersonalValues() async throws -> Bool

  /// Returns the log's recorded erasures, in the order of their numbers.
  ///
  /// - Parameters:
  ///   - number: The number of the erasure after which to start, or 0 for the first erasure.
  ///   - limit: The maximum number of erasures to return, at least 1.
  /// - Returns: The erasures. If there are fewer than `limit`, no more exist.
  /// - Throws: `EventStoreError`.
  func erasures(after number: Int, limit: Int) async throws -> [LogErasure]
}

/// A remote log's record of an erasure.
///
/// The log keeps these records forever. For example, a copy that was disconnected for a year uses them to find out
/// which data to erase.
public struct LogErasure: Hashable, Sendable {
  /// The erasure's number in the log, starting at 1.
  public let number: Int
  /// The subject, which is the id of the person whose data was erased.
  public let subject: String
  /// The position of the first event that lost a value.
  ///
  /// The erasure didn't change any event before this position.
  public let first: Position
  /// The position of the log's last event at the time of the erasure.
  ///
  /// The erasure didn't change any event after this position.
  public let end: Position
  /// The time of the erasure, exact to the microsecond.
  ///
  /// The time distinguishes this erasure from an erasure with the same number in a log that was restored from a backup.
  public let time: Date
  /// The number of deleted values.
  public let fields: Int

  /// Creates the record of an erasure, for use in a custom store.
  ///
  /// - Parameters:
  ///   - number: The erasure's number in the log, starting at 1.
  ///   - subject: The subject, which is the id of the person whose data was erased.
  ///   - first: The position of the first event that lost a value.
  ///   - end: The position of the log's last event at the time of the erasure.
  ///   - time: The time of the erasure.
  ///   - fields: The number of deleted values.
  public init(number: Int, subject: String, first: Position, end: Position, time: Date, fields: Int) {
    self.number = number
    self.subject = subject
    self.first = first
    self.end = end
    self.time = time
    self.fields = fields
  }
}

extension RemoteEventStore {
  /// Erases the data of a person (the subject) from the stored events, and wakes the log's followers.
  ///
  /// Every ``Replica`` erases the same data from its copy of the log when it is notified or reconnects. After the call,
  /// commands in all processes are decided without the erased values. If a command in progress was decided with these
  /// values, the command is decided again. If a program has already copied values out of an event, the program keeps
  /// them.
  ///
  /// - Parameter subject: The subject, which is the id of the person, for example `guest-1`.
  /// - Returns: A receipt with the number of deleted values. `ErasureReceipt.remnants` names the places where the
  ///   server might still have bytes of the values.
  /// - Throws: `EventStoreError`, for example `.unsupported` if the store can't erase. In that case no data was
  ///   erased.
  @discardableResult
  public func erase(subject: String) async throws -> ErasureReceipt {
    guard let erasing else {
      throw EventStoreError.unsupported("erasures", by: Self.self, instead: "erase the data in the original log")
    }
    let receipt = try await environment.monitored(StoreOperation(.erase)) {
      try await erasing.commitErasure(of: subject)
    }
    // The states are rebuilt at their next use. Until then they would still contain the erased values.
    commands.runtime.states.removeAll()
    commands.announce()
    return receipt
  }

  /// Returns the log's erasures after one number through another number.
  ///
  /// - Parameters:
  ///   - number: The number of the erasure after which to start.
  ///   - last: The number of the last requested erasure.
  /// - Returns: The erasures, or `nil` if the store doesn't record them.
  /// - Throws: `EventStoreError` (`.corrupt`) if an erasure is missing.
  package func erasures(after number: Int, through last: Int) async throws -> [LogErasure]? {
    guard let erasing else { return nil }
    var found: [LogErasure] = []
    while number + found.count < last {
      let due = number + found.count + 1
      let next = try await erasing.erasures(after: due - 1, limit: min(512, last - due + 1))
      guard !next.isEmpty, next.map(\.number) == Array(due..<due + next.count) else {
        throw EventStoreError(
          .corrupt,
          "\(Self.self) must return all erasures through number \(last), but didn't return erasure number \(due); "
            + "restore the server's log from a backup")
      }
      found += next
    }
    return found
  }
}
