/// Erases what the events of a store say of a person: the values of ``Personal``.
///
/// A capability of an ``EventStore``: see ``EventStore/erasing``. The events themselves never change. A store that can
/// erase keeps the values of personal fields apart from the events, by subject, and puts them back when an event is
/// read. A value that was erased is read as a ``Personal`` without a value. ``Append/cutPersonalFields()`` takes the
/// values out of payloads, and ``PersonalPayload`` puts them back. `Docs/Erasure.md` says what is erased, and what is
/// not.
public protocol ErasingStore: Sendable {
  /// Deletes the values of a subject from all events, and all that was saved of lists and states made of them.
  ///
  /// When it returns, nothing that is read gives the values any more, and none of their bytes is in the store's files,
  /// unless the receipt names remnants. Events that are appended later may say something of the subject again. A
  /// subject without values is no error. Call `EventStore.erase(subject:isolation:)` instead, which also notifies the
  /// store's watchers.
  ///
  /// - Parameter subject: Whom to forget.
  /// - Returns: What was done.
  /// - Throws: ``EventStoreError``. If it throws after the values were deleted, bytes of them may be left in the files;
  ///   the next erasure, of any subject, completes it.
  func commitErasure(of subject: String) throws -> ErasureReceipt

  /// Deletes the values of several subjects, as ``commitErasure(of:)`` does for one.
  ///
  /// A replica calls it that was away while they were erased where its log comes from. By default they are erased one
  /// after the other. A store that writes its file again does it once for all of them. Without a subject it completes
  /// an earlier erasure that left bytes.
  ///
  /// - Parameter subjects: Whom to forget.
  /// - Returns: What was done, all together.
  /// - Throws: ``EventStoreError``; some of them may be erased then.
  func commitErasures(of subjects: [String]) throws -> ErasureReceipt

  /// Tells whether an erasure could take a value out of an event that the log has now.
  ///
  /// - Returns: True if any event has a personal value.
  /// - Throws: ``EventStoreError``.
  func hasPersonalValues() throws -> Bool
}

extension ErasingStore {
  /// Erases one subject after the other.
  public func commitErasures(of subjects: [String]) throws -> ErasureReceipt {
    var (fields, remnants) = (0, String?.none)
    for subject in subjects {
      let receipt = try commitErasure(of: subject)
      fields += receipt.fields
      remnants = receipt.remnants ?? remnants
    }
    return ErasureReceipt(fields: fields, remnants: remnants)
  }
}

/// A store that erases only while a checkpoint is where it was when someone decided to erase.
///
/// A replica needs it: what its log has said of a subject since an erasure must not be erased by one that comes late.
package protocol DemandingErasingStore: ErasingStore {
  func commitErasures(of subjects: [String], demanding demand: CheckpointDemand?) throws -> ErasureReceipt
}

extension DemandingErasingStore {
  package func commitErasure(of subject: String) throws -> ErasureReceipt {
    try commitErasures(of: [subject], demanding: nil)
  }

  package func commitErasures(of subjects: [String]) throws -> ErasureReceipt {
    try commitErasures(of: subjects, demanding: nil)
  }
}

/// What an erasure did.
public struct ErasureReceipt: Hashable, Sendable {
  /// The number of values that were deleted; 0 if the store had none of the subject.
  public let fields: Int
  /// Why bytes of the values may still be in the store's files, and what to do; nil if there are none.
  public let remnants: String?

  /// True if none of the bytes is left in the store's files.
  public var isComplete: Bool { remnants == nil }

  /// Creates a receipt, as a store does.
  ///
  /// - Parameters:
  ///   - fields: The number of values that were deleted.
  ///   - remnants: Why bytes may be left, and what to do; nil if there are none.
  public init(fields: Int, remnants: String? = nil) { (self.fields, self.remnants) = (fields, remnants) }
}

extension EventStore {
  /// Erases what the events say of a subject, and notifies those who watch the store.
  ///
  /// This is the call of a function that is not `async`: the caller's thread waits for the disk. In an `async` function
  /// you get the call that is awaited, `try await store.erase(…)`.
  ///
  /// Controllers in the caller's isolation show lists without the values before this returns. Others, also in other
  /// processes, show them after a job in their own isolation. A program keeps what it took out of a list or an event
  /// before.
  ///
  /// - Parameters:
  ///   - subject: Whom to forget.
  ///   - isolation: The caller's isolation; leave it to its default.
  /// - Returns: What was done.
  /// - Throws: ``EventStoreError``, with the code `unsupported` if the store erases nothing; see
  ///   ``ErasingStore/commitErasure(of:)``.
  /// - Complexity: O(n) for a store of n bytes, which a store in a file writes again.
  @discardableResult
  public func erase(subject: String, isolation: isolated (any Actor)? = #isolation) throws -> ErasureReceipt {
    guard let erasing else { throw EventStoreError.unsupported("erasures", by: Self.self) }
    // They would be folded from nothing at their next use; until then they would still say what was erased.
    defer { forgetStates() }
    signal.prepareErasure()
    let receipt = try erasing.commitErasure(of: subject)
    signal.announce(from: isolation)
    return receipt
  }

  /// Erases what the events say of a subject on the store's own threads, and notifies those who watch the store.
  ///
  /// No thread of Swift's pool waits for the disk, and the caller's actor is free while the file is written again.
  /// Controllers in the caller's isolation show lists without the values before this returns.
  ///
  /// If the task is cancelled before the erasure begins, nothing is erased. Once it has begun you get the receipt, even
  /// in a cancelled task.
  ///
  /// - Parameters:
  ///   - subject: Whom to forget.
  ///   - isolation: The caller's isolation; leave it to its default.
  /// - Returns: What was done.
  /// - Throws: What the call throws that is not awaited, or `CancellationError`.
  /// - Complexity: O(n) for a store of n bytes, which a store in a file writes again.
  @discardableResult
  public func erase(subject: String, isolation: isolated (any Actor)? = #isolation) async throws -> ErasureReceipt {
    try await erasing(isolation) { try $0.commitErasure(of: subject) }
  }

  /// Erases what the events say of several subjects, as the call for one subject does, while a checkpoint is where it
  /// was.
  ///
  /// - Parameters:
  ///   - subjects: Whom to forget.
  ///   - demand: Where the checkpoint must be. A store of someone else's is asked for it just before.
  ///   - isolation: The caller's isolation.
  /// - Returns: What was done.
  /// - Throws: ``EventStoreError``, with the code `conditionConflict` if the checkpoint is elsewhere.
  func erase(
    subjects: [String], demanding demand: CheckpointDemand, isolation: isolated (any Actor)?
  ) async throws -> ErasureReceipt {
    try await erasing(isolation) { erasing in
      if let own = erasing as? any DemandingErasingStore {
        return try own.commitErasures(of: subjects, demanding: demand)
      }
      try demand.check(at: self.checkpoints?.checkpoint(named: demand.name))
      return try erasing.commitErasures(of: subjects)
    }
  }

  private func erasing(
    _ isolation: isolated (any Actor)?, _ erase: @escaping @Sendable (any ErasingStore) throws -> ErasureReceipt
  ) async throws -> ErasureReceipt {
    try await committing(nil, isolation: isolation) { _ in
      guard let erasing = self.erasing else { throw EventStoreError.unsupported("erasures", by: Self.self) }
      defer { self.forgetStates() }
      self.signal.prepareErasure()
      return (try erase(erasing), true)
    }
  }

  /// Forgets the states of deciders that are in memory and may say what was erased.
  package func forgetStates() { signal.states.forgetErased(in: self) }
}
