extension EventStore {
  /// Creates a fixed branch: a draft on top of the log, which doesn't see events that are appended to the log later.
  ///
  /// - Parameter position: The fork, which is the last position that the branch shares with the log. The fork must be
  ///   the position of a transaction's last event, or 0. The default is the log's end.
  /// - Returns: The branch, which has no commands yet.
  /// - Throws: ``EventStoreError`` (`.notFound` if the log doesn't have the position, or if the position is inside a
  ///   transaction, and `.compacted` if the history at the position was compacted).
  /// - Complexity: O(log n) for n events of the log.
  public func branch(at position: Position? = nil) throws -> Branch {
    try Branch(self, on: try ground(at: position), isFloating: false)
  }

  /// Creates a branch at the log's end, either floating or fixed.
  ///
  /// A floating branch follows the log. When the log has new events, the branch's next read re-decides the branch's
  /// commands: it calls `decide` for every command, in order, with the log's new state. ``Branch/conflicts`` contains
  /// the commands that are refused in the new state. A list on the branch delivers all resulting changes in one batch.
  ///
  ///     let draft = try store.branch(floating: true)
  ///     try draft.execute(.rename(book, to: "Emma"), on: Shelf["main"])
  ///     // The draft shows the new title, and also all later changes of the store.
  ///
  /// - Parameter isFloating: True for a floating branch, which follows the log, or false for a fixed branch.
  /// - Returns: The branch, which has no commands yet.
  /// - Throws: ``EventStoreError``.
  /// - Complexity: O(log n) for n events of the log.
  public func branch(floating isFloating: Bool) throws -> Branch {
    try Branch(self, on: try ground(at: nil), isFloating: isFloating)
  }

  /// Returns the ground of a branch at a position, or at the log's end if the position is nil.
  func ground(at position: Position?) throws -> BranchGround {
    try read { log in
      let head = try log.head()
      let fork = position ?? head
      guard fork <= head else {
        throw EventStoreError(
          .notFound, "cannot create a branch at position \(fork): expected a position from 0 to \(head), the log's end")
      }
      let revision = try log.revision()
      let horizon = revision.compacted
      guard horizon.shows(fork) else {
        throw EventStoreError(
          .compacted,
          "cannot create a branch at position \(fork): expected position 0, or at least position \(horizon.horizon), "
            + "because the history before position \(horizon.horizon) was compacted")
      }
      let last = fork > 0 ? try log.eventsBackwards(.all, after: 0, through: fork, limit: 1).first : nil
      if let last, let next = try log.events(.all, after: fork, through: nil, limit: 1).first,
        next.transaction == last.transaction
      {
        throw EventStoreError(
          .notFound,
          "cannot create a branch at position \(fork), because transaction \(last.transaction) continues at position "
            + "\(next.position). Pass the last position of a transaction")
      }
      return BranchGround(fork: fork, transaction: last?.transaction ?? 0, revision: revision)
    }
  }
}
