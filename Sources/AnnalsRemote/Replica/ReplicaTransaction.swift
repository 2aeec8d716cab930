import AnnalsLog

/// A transaction of a remote log, and the copy's position before it.
struct ReplicaTransaction: Sendable {
  let events: [StoredEvent]
  let after: Position

  /// The transaction as an append that is refused if the copy's end has changed.
  var append: Append {
    var expectations: [StreamName: ExpectedVersion] = [:]
    for event in events where expectations[event.stream] == nil {
      expectations[event.stream] = .exact(event.version - 1)
    }
    return Append(
      events.map { Append.Entry(stream: $0.stream, event: NewEvent($0)) }, expectations: expectations,
      conditions: [.init(noneMatching: .all, after: after)])
  }

  /// Commits transactions one after the other, or as a group if the store supports groups.
  ///
  /// - Parameters:
  ///   - transactions: The transactions, at least one.
  ///   - end: The end of the copy after which they were read.
  ///   - local: The copy.
  /// - Returns: The receipts of the committed transactions, and the reason why the next transaction was refused.
  /// - Throws: `EventStoreError` if no transaction was committed.
  static func commit(
    _ transactions: [ReplicaTransaction], after end: ReplicaEnd, to local: any EventStore
  ) throws -> GroupReceipt {
    let group = try group(transactions.map(\.append), end.demand(end.revision), local)
    try end.check(end.revision, in: local)
    for (transaction, receipt) in zip(transactions, group.receipts) { try transaction.check(receipt, local) }
    guard let refusal = group.refusal as? EventStoreError else { return group }
    return GroupReceipt(receipts: group.receipts, refusal: try reason(refusal, transactions[0].after, local))
  }

  private static func group(
    _ appends: [Append], _ demand: CheckpointDemand, _ local: any EventStore
  ) throws -> GroupReceipt {
    var appends = appends
    if let grouping = local.grouping {
      // A group is one transaction of the file, so the first append's condition applies to all of them.
      appends[0].checkpoint = demand
      return try grouping.commitGroup(appends)
    }
    var receipts: [Receipt] = []
    for var append in appends {
      append.checkpoint = demand
      do { receipts.append(try local.commit(append)) } catch { return GroupReceipt(receipts: receipts, refusal: error) }
    }
    return GroupReceipt(receipts: receipts, refusal: nil)
  }

  /// Returns the reason why the copy refused a transaction: another replica has changed the copy, or the logs don't
  /// match.
  private static func reason(
    _ refusal: EventStoreError, _ after: Position, _ local: any EventStore
  ) throws -> any Error {
    switch refusal.code {
    case .conditionConflict: return ReplicaOvertaken()
    case .versionConflict where try local.head() > after: return ReplicaOvertaken()
    case .duplicateEvent where try local.head() > after: return ReplicaOvertaken()
    case .versionConflict, .duplicateEvent:
      return EventStoreError(
        .corrupt,
        "the remote log's events are not consecutive: \(refusal.message). Verify the remote log, for example with "
          + "`annals verify`, and then clone it into an empty store")
    default: return refusal
    }
  }

  /// Throws if the transaction's positions in the copy differ from its positions in the remote log.
  private func check(_ receipt: Receipt, _ local: any EventStore) throws {
    guard let last = events.last, receipt.position == last.position, receipt.transaction == last.transaction else {
      throw EventStoreError(
        .corrupt,
        "in the remote log, the transaction after position \(after) ends at position "
          + "\(events.last?.position ?? 0) and has transaction number \(events.last?.transaction ?? 0), but "
          + "\(type(of: local)) stored this transaction with end position \(receipt.position) and transaction number "
          + "\(receipt.transaction ?? 0). The local store of a replica must use the same positions and "
          + "transaction numbers as the remote log. Test \(type(of: local)) with `StoreContract` of AnnalsStoreTesting")
    }
  }
}
