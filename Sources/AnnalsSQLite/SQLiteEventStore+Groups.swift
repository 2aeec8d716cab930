public import Annals

extension SQLiteEventStore {
  /// Commits several appends with one sync of the disk.
  public var grouping: (any GroupingStore)? { Groups(store: self) }

  private struct Groups: GroupingStore {
    let store: SQLiteEventStore

    func commitGroup(_ appends: [Append]) throws -> GroupReceipt {
      try store.commitGroup(appends.map { ReadyAppend($0) })
    }
  }

  /// Commits appends one after the other, with one sync of the disk for all of them.
  ///
  /// Each append is a transaction of its own, with its own number, and is checked against what those before it did: its
  /// expectations, conditions, identities and command's id. The first one that is refused ends the group. Those before
  /// it are committed, it leaves nothing, and those after it are not tried. If the process or the power ends meanwhile,
  /// all of the group is in the log, or nothing of it.
  ///
  /// - Parameter appends: The appends. They are held in memory until they are committed, so commit some thousand events
  ///   at a time.
  /// - Returns: The receipts of those that are committed, and why the next one was refused.
  /// - Throws: ``EventStoreError`` if the disk or another process is the reason; then nothing of the group is in the
  ///   log.
  /// - Complexity: O(n log n) for n events.
  package func commit(_ appends: [Append]) throws -> GroupReceipt { try commit(ready: appends.map { ReadyAppend($0) }) }

  /// Commits appends that were made ready before, as `commit(_:)` does.
  package func commit(ready appends: [ReadyAppend]) throws -> GroupReceipt {
    let group = try commitGroup(appends)
    if group.receipts.contains(where: { $0.count > 0 }) { signal.announce(from: nil) }
    return group
  }

  /// Does now what an append needs besides the log, while another thread commits.
  package func ready(_ append: Append) -> ReadyAppend {
    ReadyAppend(append, Result { try PreparedAppend(append, source: source, environment: environment) })
  }

  /// An append that may have been prepared already.
  package struct ReadyAppend: Sendable {
    package private(set) var append: Append
    /// Nil if nothing was done yet.
    fileprivate var prepared: Result<PreparedAppend, any Error>?

    /// An append that is prepared when it is committed.
    package init(_ append: Append) { self.append = append }

    fileprivate init(_ append: Append, _ prepared: Result<PreparedAppend, any Error>) {
      (self.append, self.prepared) = (append, prepared)
    }

    /// What must not have happened.
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

  /// The positions of the events with some identities; nil for each that the log does not have.
  ///
  /// - Parameter ids: The identities.
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
