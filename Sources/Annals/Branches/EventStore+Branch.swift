extension EventStore {
  /// Begins a branch: a draft on top of the log, which stands where it leaves it.
  ///
  /// - Parameter position: Where it leaves the log, the end of a transaction; by default the log's end.
  /// - Returns: The branch, which has no commands yet.
  /// - Throws: ``EventStoreError``: with the code `notFound` if the log has no such position, or if it lies inside a
  ///   transaction; with `compacted` if the history there was compacted.
  /// - Complexity: O(log n) for n events of the log.
  public func branch(at position: Position? = nil) throws -> Branch {
    try Branch(self, on: try ground(at: position), isFloating: false)
  }

  /// Begins a branch at the log's end, one that follows the log if you like.
  ///
  /// When the log grows, the commands of a branch that floats are decided again on it, in order, by the branch's next
  /// reader. Those that are refused then are in ``Branch/conflicts``. A list that shows the branch gets one batch.
  ///
  ///     let draft = try store.branch(floating: true)
  ///     try draft.execute(.rename(book, to: "Emma"), on: Shelf.self, id: "main")
  ///     // Whatever others do to the store, the draft shows it, and the new title.
  ///
  /// - Parameter isFloating: True for a branch that follows the log; false for one that stands.
  /// - Returns: The branch, which has no commands yet.
  /// - Throws: ``EventStoreError``.
  /// - Complexity: O(log n) for n events of the log.
  public func branch(floating isFloating: Bool) throws -> Branch {
    try Branch(self, on: try ground(at: nil), isFloating: isFloating)
  }

  /// Where a branch at a position stands; without one, at the log's end.
  func ground(at position: Position?) throws -> BranchGround {
    try read { log in
      let head = try log.head()
      let fork = position ?? head
      guard fork <= head else {
        throw EventStoreError(
          .notFound, "a branch at position \(fork): the log has the positions 0 to \(head)")
      }
      let revision = try log.revision()
      let horizon = revision.compacted
      guard horizon.shows(fork) else {
        throw EventStoreError(
          .compacted,
          "a branch at position \(fork): the history up to \(horizon.horizon) was compacted; expected 0, or a position "
            + "from there on")
      }
      let last = fork > 0 ? try log.eventsBackwards(.all, after: 0, through: fork, limit: 1).first : nil
      if let last, let next = try log.events(.all, after: fork, through: nil, limit: 1).first,
        next.transaction == last.transaction
      {
        throw EventStoreError(
          .notFound,
          "a branch at position \(fork): it lies inside transaction \(last.transaction), which goes on at "
            + "\(next.position); expected the end of a transaction")
      }
      return BranchGround(fork: fork, transaction: last?.transaction ?? 0, revision: revision)
    }
  }
}
