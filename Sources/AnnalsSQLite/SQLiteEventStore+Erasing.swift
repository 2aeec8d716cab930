public import AnnalsLog

extension SQLiteEventStore {
  /// The interface for erasing a person's values from the log.
  ///
  /// Other processes can read and append during an erasure. Appends wait only while the log is rewritten, which takes a
  /// few seconds per gigabyte. A read that began before the erasure might still be running in any process, for example
  /// a backup or a verification. While such a read is running, bytes of the erased values stay in the log's `-wal`
  /// file. The erasure waits up to five seconds for such reads. To choose how long it waits, call
  /// ``commitErasure(of:waiting:)`` instead.
  public var erasing: (any ErasingStore)? { Erasing(store: self) }

  /// Deletes a person's values from the log, and waits until earlier reads have ended.
  ///
  /// - Parameters:
  ///   - subject: The key that the personal fields use for the person, as in `Personal.subject`.
  ///   - waiting: The maximum time to wait until earlier reads have ended. After this time, bytes of the values can
  ///     remain in the log's files.
  /// - Returns: A receipt. If bytes of the values remain in the log's files, the receipt's `remnants` contain the
  ///   reason.
  /// - Throws: `EventStoreError`.
  public func commitErasure(of subject: String, waiting: Duration) throws -> ErasureReceipt {
    try commitErasures(of: [subject], waiting: waiting)
  }

  /// Deletes the values of several subjects in one transaction, and then rewrites the log once for all of them.
  fileprivate func commitErasures(
    of subjects: [String], demanding demand: CheckpointDemand? = nil, waiting: Duration
  ) throws -> ErasureReceipt {
    guard let writer else {
      throw EventStoreError(
        .readOnly,
        "\(path): the log was opened for reading only; open it with SQLiteEventStore(path:) to erase values")
    }
    defer { forgetStates() }
    let fields = try writer.erase(subjects, at: environment.now().microseconds, demanding: demand)
    guard try writer.use(writes: false, { try ErasureTransaction($0).isIncomplete }) else {
      return ErasureReceipt(fields: fields)
    }
    let isSwept: Bool
    do {
      isSwept = try writer.sweep(waiting: waiting)
    } catch let error as EventStoreError {
      throw EventStoreError(
        error.code,
        "\(error.message)\n\(fields) values were deleted, but the log's files may still contain bytes of these "
          + "values. Repeat the erasure to remove the bytes")
    }
    if isSwept { return ErasureReceipt(fields: fields) }
    return ErasureReceipt(
      fields: fields,
      remnants:
        "\(path): a reader that started before the erasure is still reading, so the log's files may still contain "
        + "bytes of the values. The reader is a backup, a verification, or a program with an open transaction. End "
        + "the reader, and repeat the erasure")
  }
}

private struct Erasing: DemandingErasingStore {
  let store: SQLiteEventStore

  func commitErasures(of subjects: [String], demanding demand: CheckpointDemand?) throws -> ErasureReceipt {
    try store.commitErasures(of: subjects, demanding: demand, waiting: .seconds(5))
  }

  func hasPersonalValues() throws -> Bool { try store.pool.read { try PersonalTables($0).hasValues } }
}
