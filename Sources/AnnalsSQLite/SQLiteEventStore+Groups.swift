public import AnnalsLog

extension SQLiteEventStore {
  /// The object that commits several appends as a group, with one disk sync (`GroupingStore`).
  public var grouping: (any GroupingStore)? { Groups(store: self) }

  private struct Groups: GroupingStore {
    let store: SQLiteEventStore

    func commitGroup(_ appends: [Append]) throws -> GroupReceipt {
      try store.commitGroup(appends.map { ReadyAppend($0) })
    }
  }

  /// Commits appends in order, with one disk sync for all of them.
  ///
  /// Every append is a separate transaction with its own number. The store checks an append's expectations, conditions,
  /// identities and command id against the log that includes the earlier appends. The first refused append ends the
  /// group. A refused append adds no data. The appends before it are committed, and the appends after it aren't tried.
  /// If the process or the power fails during the commit, the log contains either the whole group or no part of it.
  ///
  /// - Parameter appends: The appends to commit. The store keeps them in memory until the commit, so pass at most a few
  ///   thousand events in a call.
  /// - Returns: The receipts of the committed appends, and the error of the refused append, if any.
  /// - Throws: ``EventStoreError`` if the disk or another process prevents the commit. The log then contains no part of
  ///   the group.
  /// - Complexity: O(n log n) for n events.
  package func commit(_ appends: [Append]) throws -> GroupReceipt { try commit(ready: appends.map { ReadyAppend($0) }) }

  /// Commits appends that `ready(_:)` has prepared, like `commit(_:)`.
  package func commit(ready appends: [ReadyAppend]) throws -> GroupReceipt {
    let group = try commitGroup(appends)
    if group.receipts.contains(where: { $0.count > 0 }) { runtime.announce(from: nil) }
    return group
  }

  /// Prepares an append without access to the log, so that another thread can commit at the same time.
  package func ready(_ append: Append) -> ReadyAppend {
    ReadyAppend(append, Result { try PreparedAppend(append, source: source, environment: environment) })
  }

  /// An append that might already be prepared.
  package struct ReadyAppend: Sendable {
    package private(set) var append: Append
    /// The prepared append, or `nil` before preparation.
    fileprivate var prepared: Result<PreparedAppend, any Error>?

    /// Creates an append that is prepared when it is committed.
    package init(_ append: Append) { self.append = append }

    fileprivate init(_ append: Append, _ prepared: Result<PreparedAppend, any Error>) {
      self.append = append
      self.prepared = prepared
    }

    /// Replaces the append's conditions.
    package mutating func set(_ conditions: [Append.Condition]) {
      append.conditions = conditions
      prepared = prepared?.map { prepared in
        var prepared = prepared
        prepared.conditions = conditions
        return prepared
      }
    }
  }

  private func commitGroup(_ appends: [ReadyAppend]) throws -> GroupReceipt {
    var (prepared, refusal): ([PreparedAppend], (any Error)?) = ([], nil)
    prepared.reserveCapacity(appends.count)
    do {
      for append in appends {
        let ready = append.prepared == nil ? ready(append.append) : append
        if let found = ready.prepared { prepared.append(try found.get()) }
      }
    } catch {
      refusal = error
    }
    if prepared.isEmpty { return GroupReceipt(receipts: [], refusal: refusal) }
    if prepared.count > 1 { try writer?.enlargeCache() }
    var receipts: [Receipt] = []
    receipts.reserveCapacity(prepared.count)
    let answers = try writing().commit(PreparedGroup(prepared))
    let reached = reachedDurability
    for answer in answers {
      switch answer {
      case .success(let receipt): receipts.append(receipt.reaching(reached))
      case .failure(let error as EventStoreError) where error.leftNothing: refusal = error
      case .failure(let error): throw error
      }
    }
    return GroupReceipt(receipts: receipts, refusal: refusal)
  }

  /// Returns the positions of the events with the given identities, with `nil` for each identity that isn't in the log.
  ///
  /// - Parameter ids: The identities to find.
  /// - Returns: The positions, in the order of the identities.
  /// - Throws: ``EventStoreError``.
  /// - Complexity: O(m log n) for m identities, in one transaction.
  package func positions(of ids: [EventID]) throws -> [Position?] {
    try inOneState { connection in
      let reader = EventReader(connection)
      return try ids.map { try reader.position(of: $0) }
    }
  }
}
