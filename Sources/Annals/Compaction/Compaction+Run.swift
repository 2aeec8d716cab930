import AnnalsLog

extension Compaction {
  /// Runs the compaction inside a store's transaction.
  ///
  /// First, the function calls the rules, and builds the lists and states that you registered with `prove`. Then it
  /// rewrites the log, rebuilds the lists and states, and compares them with the first results.
  ///
  /// If the compaction removes streams, this method can't find saved drafts that refer to these streams, because the
  /// transaction doesn't contain drafts. To find such drafts, call the store's `compact` or `rehearse` instead.
  ///
  /// `EventStore.compact(_:progress:isolation:)` calls this method with a transaction that it gets from the store's
  /// ``EventStore/compacting``.
  ///
  /// - Parameters:
  ///   - log: The log as it appears inside the transaction.
  ///   - progress: A closure that is called at the beginning of every step. If the closure throws, the compaction ends
  ///     with that error.
  /// - Returns: A receipt of the compaction. If ``CompactionReceipt/isUnchanged`` is true, the log wasn't rewritten.
  /// - Throws: ``CompactionError``, ``EventStoreError``, and the errors of rules and `progress`.
  public func run(
    in log: any CompactionTransaction, progress: (Step) throws -> Void = { _ in }
  ) throws -> CompactionReceipt {
    let receipt = try proven(in: log, progress).receipt
    try receipt.checkReferences()
    return receipt
  }

  /// Runs the compaction inside a store's transaction, and returns its changes.
  ///
  /// The call doesn't throw if references prevent the removal of a stream. Call `checkReferences()` on the receipt.
  ///
  /// - Parameters:
  ///   - log: The log as it appears inside the transaction.
  ///   - drafts: The saved drafts that refer to removed streams.
  ///   - progress: A closure that is called at the beginning of every step. If the closure throws, the compaction ends
  ///     with that error.
  /// - Returns: A receipt of the compaction, and the plan with the changes of events.
  /// - Throws: The errors of ``run(in:progress:)``.
  package func proven(
    in log: any CompactionTransaction, drafts: [CompactionError] = [], _ progress: (Step) throws -> Void
  ) throws -> (receipt: CompactionReceipt, plan: CompactionPlan) {
    if removesStreams, let removal = removals.first, !rules.isEmpty {
      throw CompactionError(
        .badRule, stream: removal.stream,
        "the log wasn't compacted: one compaction must not have both rules and removals of streams. A mistake in a "
          + "rule could look like an effect of the removal. Remove stream \"\(removal.stream)\" in a separate "
          + "compaction")
    }
    if !removesStreams && rules.isEmpty || proofs.isEmpty {
      throw CompactionError(
        .incomplete,
        !removesStreams && rules.isEmpty
          ? "the log wasn't compacted: expected at least one rule, found none; call `rewrite` to add a rule that "
            + "returns the events to keep"
          : "the log wasn't compacted: expected at least one list or decider to compare, found none; call `prove` to "
            + "register a list or decider that must stay equal")
    }
    let head = try log.head()
    let earlier = try log.revision().compacted.horizon
    try check(through ?? head, in: log, head: head, earlier)
    try progress(.reading)
    let readers = try proofs.map { try $0.reader() }
    var plan = CompactionPlan { event in readers.contains { $0(event) } || allows(event.type) }
    let removalEnd = removesStreams ? try planRemovals(log, into: &plan, after: earlier) : nil
    for rule in rules { try rule.plan(log, through: through ?? head, into: &plan) }
    plan.leftAlone.sort { ($0.stream, $0.position) < ($1.stream, $1.position) }
    if plan.changes.isEmpty { return (try receipt(plan, earlier, remaining: count(log)), plan) }
    // The horizon is the last position that the rules have read, because any kept event before it may contain the
    // information of removed events.
    plan.horizon = removalEnd ?? through ?? head
    var references: [CompactionError] = []
    if removesStreams {
      references = try followerReferences(log, plan.horizon) + drafts + eventReferences(log, plan)
    } else {
      try checkFollowers(log, plan.horizon)
    }

    try progress(.remembering)
    // No event after the horizon changes, but the lists at the log's end are compared, too.
    // After the removal of a stream, only the present lists and states are compared.
    let positions = plan.horizon == head || removesStreams ? [head] : [plan.horizon, head]
    let streams = plan.streams.subtracting(plan.removedStreams).sorted()
    let versions = try streams.map { try log.version(of: $0) }
    let before = try proofs.map { proof in
      do {
        return try proof.fold(log, plan, at: positions).remembered()
      } catch {
        throw CompactionError(
          .notFoldable, name: proof.name,
          "the log wasn't compacted: \(proof.name) cannot be built from the current events: \(described(error))"
        )
      }
    }
    try progress(.rewriting)
    let remaining = try log.rewrite(plan)
    for stream in plan.removedStreams where try log.version(of: stream) != 0 {
      throw EventStoreError.unsupported("the removal of streams", by: type(of: log))
    }
    guard try log.head() == head, try streams.map({ try log.version(of: $0) }) == versions else {
      throw EventStoreError(
        .corrupt,
        "the log wasn't compacted: the method `rewrite` of \(type(of: log)) changed the log's last position or a "
          + "stream's version. Correct the method so that it keeps the last position and all versions")
    }
    try progress(.proving)
    var (changed, blocking): ([CompactionError], [CompactionError]) = ([], [])
    for (proof, before) in zip(proofs, before) {
      let after: any CompactionFold
      do {
        after = try proof.fold(log, plan, at: positions)
      } catch {
        throw CompactionError(
          .init(
            name: proof.name, position: plan.horizon, row: nil, before: "a result",
            after: "the error \(described(error))"))
      }
      if removesStreams {
        let differences = after.differences(from: before).map { CompactionError(changing: $0, in: proof.name) }
        changed += differences
        if !allows(proof) { blocking += differences }
      } else if let difference = after.difference(from: before) {
        throw CompactionError(difference)
      }
    }
    var receipt = receipt(plan, plan.horizon, remaining: remaining)
    receipt.references = changed + references
    receipt.blockingReferences =
      blocking
      + references.filter { $0.code == .followerBehind || $0.code == .draft && !allows($0.name ?? "") }
    return (receipt, plan)
  }

  private func receipt(_ plan: CompactionPlan, _ horizon: Position, remaining: Int) -> CompactionReceipt {
    CompactionReceipt(
      horizon: horizon, cut: plan.cutCount, replaced: plan.replacedCount, remaining: remaining,
      leftAlone: plan.leftAlone, bytesBefore: nil, bytesAfter: nil, remnants: nil)
  }

  private func count(_ log: any CompactionTransaction) throws -> Int {
    var count = 0
    try log.forEachEvent { _ in count += 1 }
    return count
  }

  private func check(
    _ end: Position, in log: any CompactionTransaction, head: Position, _ earlier: Position
  ) throws {
    func bad(_ found: String) -> CompactionError {
      CompactionError(
        .badHorizon, position: end,
        "the log wasn't compacted: `through` must be the last position of a transaction, from \(earlier) to the log's "
          + "end at \(head) (was \(end)). \(found)")
    }
    if end > head { throw bad("This position is after the log's end") }
    if end < earlier { throw bad("The history up to position \(earlier) was already compacted") }
    if end > earlier {
      let last = try Self.transactionEnd(of: end, in: log)
      if last != end { throw bad("This position is inside a transaction that ends at position \(last)") }
    }
  }

  /// Returns the last position of the transaction that contains the event at a position.
  static func transactionEnd(of position: Position, in log: any CompactionTransaction) throws -> Position {
    let head = try log.head()
    guard position > 0, position < head,
      let event = try log.event(at: position)
    else { return position }
    var last = position
    while last < head {
      let page = try log.events(.all, after: last, through: nil, limit: 256)
      for event in page.prefix(while: { $0.transaction == event.transaction }) { last = event.position }
      if page.count < 256 || page.last?.position != last { break }
    }
    return last
  }

  private func checkFollowers(_ log: any CompactionTransaction, _ horizon: Position) throws {
    for (follower, position) in try log.followers() where position < horizon {
      throw CompactionError.followerBehind(follower, at: position, horizon: horizon)
    }
  }
}
