/// An interface for erasing a person's data from a log.
///
/// A person's data are the values of the ``Personal`` fields in events.
///
/// The person's id, for example `guest-1`, is called the subject. An ``EventStore`` that can erase data returns this
/// interface from ``EventStore/erasing``.
///
/// Such a store saves the values of personal fields by subject, separately from the events, and inserts the values into
/// the events on every read. So an erasure deletes only the values, and the stored events never change. After an
/// erasure, the personal fields are read as ``Personal`` without a value. ``Append/cutPersonalFields()`` extracts the
/// values from payloads, and `PersonalPayload` puts them back. `Docs/Erasure.md` describes which data is erased, and
/// which data isn't.
public protocol ErasingStore: Sendable {
  /// Deletes a person's values from all events, and deletes all saved lists and states that were built from those
  /// events.
  ///
  /// After the call, no read returns the values. The store's files don't contain any bytes of the values, unless the
  /// receipt contains ``ErasureReceipt/remnants``. Later events can contain new data about the person. If the log has
  /// no values of the person, the call doesn't throw. Apps call `EventStore.erase(subject:isolation:)` instead of this
  /// method, because `erase` also notifies the store's watchers.
  ///
  /// - Parameter subject: The id of the person whose data to erase, as in ``Personal``.
  /// - Returns: A receipt with the number of deleted values.
  /// - Throws: ``EventStoreError``. If the call throws after it has deleted the values, their bytes might remain in the
  ///   files. In that case, the next erasure of any person's data also removes these bytes.
  func commitErasure(of subject: String) throws -> ErasureReceipt

  /// Deletes the values of several persons, as ``commitErasure(of:)`` does for a single person.
  ///
  /// After a disconnection, a `Replica` calls this method for all erasures that it missed. The default implementation
  /// erases the data of one person at a time. A store that rewrites its file for every erasure can implement this
  /// method to rewrite the file only once. With an empty array, the call removes bytes that an earlier erasure left
  /// behind.
  ///
  /// - Parameter subjects: The ids of the persons whose data to erase, as in ``Personal``.
  /// - Returns: One receipt for all persons.
  /// - Throws: ``EventStoreError``. In that case, the data of some of the persons might already be erased.
  func commitErasures(of subjects: [String]) throws -> ErasureReceipt

  /// Returns whether the log currently contains a value that can be erased.
  ///
  /// - Returns: True if any event has a ``Personal`` field with a value.
  /// - Throws: ``EventStoreError``.
  func hasPersonalValues() throws -> Bool
}

extension ErasingStore {
  /// Erases the data of the persons one after the other, and returns one receipt for all persons.
  ///
  /// If an erasure throws, the data of the earlier persons is already erased.
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

/// A store that can erase on the condition that a checkpoint is unchanged.
///
/// A `Replica` repeats the erasures of the remote log, and needs this condition for them. Without the condition, a late
/// erasure could delete data about the subject that the replica's log received after the original erasure.
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

/// The result of an erasure.
public struct ErasureReceipt: Hashable, Sendable {
  /// The number of deleted values, or 0 if the log had no values of the person.
  public let fields: Int
  /// The reason why bytes of the deleted values might remain in the store's files, and how to remove these bytes.
  ///
  /// It is `nil` if no bytes remain.
  public let remnants: String?

  /// True if the store's files contain no bytes of the deleted values.
  public var isComplete: Bool { remnants == nil }

  /// Creates a receipt, for use in a custom store.
  ///
  /// - Parameters:
  ///   - fields: The number of deleted values.
  ///   - remnants: The reason why bytes of the deleted values might remain, and how to remove these bytes, or `nil` if
  ///     no bytes remain.
  public init(fields: Int, remnants: String? = nil) {
    self.fields = fields
    self.remnants = remnants
  }
}

extension EventStore {
  /// Erases a person's data from the stored events, and notifies the store's watchers, such as controllers.
  ///
  /// In a function that isn't `async`, Swift selects this overload, which blocks the caller's thread while it writes to
  /// disk. In an `async` function, Swift selects the awaited overload, `try await store.erase(…)`.
  ///
  /// Before the call returns, controllers in the caller's isolation remove the values from their lists. Controllers in
  /// other isolations or processes do so asynchronously. If a program has already copied values out of a list or an
  /// event, the program keeps these copies.
  ///
  /// - Parameters:
  ///   - subject: The id of the person whose data to erase, as in ``Personal``.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  /// - Returns: A receipt with the number of deleted values.
  /// - Throws: ``EventStoreError`` (`.unsupported`) if the store can't erase data, or the errors of
  ///   `ErasingStore.commitErasure(of:)`.
  /// - Complexity: O(n) for a store of n bytes, because a file store rewrites its file.
  @discardableResult
  public func erase(subject: String, isolation: isolated (any Actor)? = #isolation) throws -> ErasureReceipt {
    guard let erasing else { throw EventStoreError.unsupported("erasures", by: Self.self) }
    // The states are rebuilt at their next use. Until then they would still contain the erased values.
    defer { forgetStates() }
    runtime.prepareErasure()
    let receipt = try erasing.commitErasure(of: subject)
    runtime.announce(from: isolation)
    return receipt
  }

  /// Erases a person's data from the stored events, and notifies the store's watchers, such as controllers.
  ///
  /// The work runs on the store's own threads. So the call doesn't block a thread of Swift's concurrency pool, and the
  /// caller's actor stays free while the file is rewritten. Before the call returns, controllers in the caller's
  /// isolation remove the values from their lists.
  ///
  /// If the task is cancelled before the erasure begins, the store doesn't change. After the erasure has begun, the
  /// call returns the receipt even in a cancelled task.
  ///
  /// - Parameters:
  ///   - subject: The id of the person whose data to erase, as in ``Personal``.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  /// - Returns: A receipt with the number of deleted values.
  /// - Throws: The errors of the synchronous overload, or `CancellationError`.
  /// - Complexity: O(n) for a store of n bytes, because a file store rewrites its file.
  @discardableResult
  public func erase(subject: String, isolation: isolated (any Actor)? = #isolation) async throws -> ErasureReceipt {
    try await erasing(isolation) { try $0.commitErasure(of: subject) }
  }

  /// Erases the data of several subjects, provided a checkpoint is unchanged.
  ///
  /// - Parameters:
  ///   - subjects: The subjects to erase.
  ///   - demand: The expected checkpoint. In a custom store, the checkpoint is checked immediately before the erasure.
  ///   - isolation: The caller's isolation.
  /// - Returns: A receipt with the number of deleted values.
  /// - Throws: ``EventStoreError`` (`.conditionConflict`) if the checkpoint has a different position.
  package func erase(
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
      self.runtime.prepareErasure()
      return (try erase(erasing), true)
    }
  }

  /// Removes the decider states in memory that might contain erased values.
  package func forgetStates() { runtime.states.forgetErased(in: self) }
}
