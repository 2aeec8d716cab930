public import Annals

extension SQLiteEventStore {
  /// The store for erasures, which deletes a subject's personal values from the log.
  ///
  /// Other processes can read and append during an erasure. Appends wait while the log is rewritten, which takes a
  /// few seconds per gigabyte. An earlier reader in any process, such as a running copy or check, keeps bytes in the
  /// file of commits as long as it reads. The erasure waits for such readers for five seconds.
  /// ``commitErasure(of:waiting:)`` waits for as long as you choose.
  public var erasing: (any ErasingStore)? { Erasing(store: self) }

  /// Deletes the values of a subject, and waits for earlier readers.
  ///
  /// - Parameters:
  ///   - subject: The subject to erase.
  ///   - waiting: The longest time to wait for readers.
  /// - Returns: A receipt of the erasure.
  /// - Throws: `EventStoreError`.
  public func commitErasure(of subject: String, waiting: Duration) throws -> ErasureReceipt {
    try commitErasures(of: [subject], waiting: waiting)
  }

  /// Deletes the values of several subjects in one transaction, and rewrites the log once.
  fileprivate func commitErasures(
    of subjects: [String], demanding demand: CheckpointDemand? = nil, waiting: Duration
  ) throws -> ErasureReceipt {
    guard let writer else {
      throw EventStoreError(
        .readOnly, "\(path): was opened for reading only; open it with SQLiteEventStore(path:) to erase something")
    }
    defer { forgetStates() }
    let fields = try writer.erase(subjects, at: environment.now().microseconds, demanding: demand)
    guard try writer.use({ try ErasureTransaction($0).isIncomplete }) else { return ErasureReceipt(fields: fields) }
    let isSwept: Bool
    do {
      isSwept = try writer.sweep(waiting: waiting)
    } catch let error as EventStoreError {
      throw EventStoreError(
        error.code,
        "\(error.message)\n\(fields) values were deleted, and bytes of them may be left in the log's files; erase the "
          + "subject again to take them out")
    }
    if isSwept { return ErasureReceipt(fields: fields) }
    return ErasureReceipt(
      fields: fields,
      remnants:
        "\(path): a reader that began before the erasure is still reading (a copy that is being made, a check, or a "
        + "program that keeps a transaction open), so that bytes of the values may be left in the log's files; end it, "
        + "and erase the subject again")
  }
}

private struct Erasing: DemandingErasingStore {
  let store: SQLiteEventStore

  func commitErasures(of subjects: [String], demanding demand: CheckpointDemand?) throws -> ErasureReceipt {
    try store.commitErasures(of: subjects, demanding: demand, waiting: .seconds(5))
  }

  func hasPersonalValues() throws -> Bool { try store.pool.read { try PersonalTables($0).hasValues } }
}
