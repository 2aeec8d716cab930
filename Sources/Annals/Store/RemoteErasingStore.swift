public import Foundation

/// Erases what the events of a log far away say of a person, and says what was erased, so that copies follow.
///
/// A capability of a ``RemoteEventStore``: see ``RemoteEventStore/erasing``. It is what ``ErasingStore`` is for a log
/// on this side, with the same words. `RemoteErasingContract` in AnnalsTesting has the rules.
public protocol RemoteErasingStore: Sendable {
  /// Deletes the values of a subject from all events, and notes that it did, in one step.
  ///
  /// When it returns, no read of any process gives the values any more, and the log's revision counts one erasure more,
  /// if there was a value. Events that are appended later may say something of the subject again. A subject without
  /// values is no error, and no erasure is noted. If the answer of a first try was lost, it is not counted twice. Call
  /// ``RemoteEventStore/erase(subject:)`` instead, which also forgets the states of deciders and wakes subscriptions.
  ///
  /// - Parameter subject: Whom to forget; two subjects are equal only if their Unicode scalars are.
  /// - Returns: What was done. Its `remnants` say where the server may still have bytes.
  /// - Throws: ``EventStoreError``, and then nothing was erased.
  func commitErasure(of subject: String) async throws -> ErasureReceipt

  /// Tells whether an erasure could take a value out of an event that the log has now.
  ///
  /// - Returns: True if any event has a personal value.
  /// - Throws: ``EventStoreError``.
  func hasPersonalValues() async throws -> Bool

  /// What was erased, in the order in which it was done.
  ///
  /// - Parameters:
  ///   - number: The erasure after which to start; 0 for the first one.
  ///   - limit: The largest number of erasures to return, 1 or more.
  /// - Returns: The erasures. Fewer than `limit` means that there are no more.
  /// - Throws: ``EventStoreError``.
  func erasures(after number: Int, limit: Int) async throws -> [LogErasure]
}

/// An erasure, as a log far away notes it.
///
/// The log keeps these for ever: a copy that was away for a year learns from them what it has to erase.
public struct LogErasure: Hashable, Sendable {
  /// Which of the log's erasures it is, from 1.
  public let number: Int
  /// Who was forgotten.
  public let subject: String
  /// The position of the first event that lost a value; everything before it is as it was.
  public let first: Position
  /// The position of the log's last event at that time; later events were not changed.
  public let end: Position
  /// When it was done, exact to the microsecond; it tells the erasure from one of the same number in another history.
  public let time: Date
  /// How many values were deleted.
  public let fields: Int

  /// Creates an erasure, as a store does.
  ///
  /// - Parameters:
  ///   - number: Which of the log's erasures it is, from 1.
  ///   - subject: Who was forgotten.
  ///   - first: The position of the first event that lost a value.
  ///   - end: The position of the log's last event at that time.
  ///   - time: When it was done.
  ///   - fields: How many values were deleted.
  public init(number: Int, subject: String, first: Position, end: Position, time: Date, fields: Int) {
    (self.number, self.subject, self.first, self.end) = (number, subject, first, end)
    (self.time, self.fields) = (time, fields)
  }
}

extension RemoteEventStore {
  /// Erases what the events say of a subject, and wakes those who follow the log.
  ///
  /// Replicas erase the same in their copies when they hear of it, or when they are there again. Commands of every
  /// process are decided without the values from now on: one that was decided on them is decided again. A program keeps
  /// what it took out of an event before.
  ///
  /// - Parameter subject: Whom to forget.
  /// - Returns: What was done. Its `remnants` say where the server may still have bytes.
  /// - Throws: ``EventStoreError``, with the code `unsupported` if the store erases nothing, and then nothing was
  ///   erased.
  @discardableResult
  public func erase(subject: String) async throws -> ErasureReceipt {
    guard let erasing else {
      throw EventStoreError.unsupported("erasures", by: Self.self, instead: "erase where the log is")
    }
    let receipt = try await environment.monitored(StoreOperation(.erase)) {
      try await erasing.commitErasure(of: subject)
    }
    // They would be folded from nothing at their next use; until then they would still say what was erased.
    commands.signal.states.removeAll()
    commands.announce()
    return receipt
  }

  /// All erasures after one, up to another.
  ///
  /// - Parameters:
  ///   - number: The erasure after which to start.
  ///   - last: The last one that is wanted.
  /// - Returns: The erasures; nil if the store does not say them.
  /// - Throws: ``EventStoreError``, with the code `corrupt` if one is missing.
  func erasures(after number: Int, through last: Int) async throws -> [LogErasure]? {
    guard let erasing else { return nil }
    var found: [LogErasure] = []
    while number + found.count < last {
      let due = number + found.count + 1
      let next = try await erasing.erasures(after: due - 1, limit: min(512, last - due + 1))
      guard !next.isEmpty, next.map(\.number) == Array(due..<due + next.count) else {
        throw EventStoreError(
          .corrupt,
          "\(Self.self) counts \(last) erasures, and does not say what number \(due) was; restore the server's log "
            + "from a backup")
      }
      found += next
    }
    return found
  }
}
