import AnnalsLog

/// The removal of a stream by a compaction.
struct StreamRemoval {
  let stream: StreamName
  let expected: ExpectedVersion
  /// The names of the lists, deciders, drafts and event types that the removal may affect.
  let allowed: Set<ExactString>

  init(_ stream: StreamName, expecting expected: ExpectedVersion, allowing names: Set<String>) {
    self.stream = stream
    self.expected = expected
    allowed = Set(names.map { ExactString($0) })
  }

  /// Adds the removal to a plan.
  ///
  /// - Returns: The position of the stream's last event.
  func plan(_ log: any CompactionTransaction, into plan: inout CompactionPlan) throws -> Position {
    let version = try log.version(of: stream)
    guard expected.isMet(by: version) else {
      throw EventStoreError.versionConflict(stream: stream, expected: expected, found: version)
    }
    var last: Position?
    try log.forEachEvent(.stream(stream)) { event in
      try plan.remove(event)
      last = event.position
    }
    guard let last else { throw CompactionError(noStream: stream, among: try log.existingStreams()) }
    return last
  }
}

extension Compaction {
  /// True if the compaction removes streams.
  package var removesStreams: Bool { !removals.isEmpty }

  /// Returns whether the removal may affect the draft or event type with a name.
  func allows(_ name: String) -> Bool { removals.contains { $0.allowed.contains(ExactString(name)) } }

  /// Returns whether the removal may change a list or decider, whose name may be allowed without its module.
  func allows(_ proof: any CompactionProof) -> Bool {
    allows(proof.name)
      || proof.name.indices.contains { index in
        proof.name[index] == "." && allows(String(proof.name[index...].dropFirst()))
      }
  }

  /// Adds the removals to a plan, and returns the position through which they compact the log.
  func planRemovals(
    _ log: any CompactionTransaction, into plan: inout CompactionPlan, after earlier: Position
  ) throws -> Position {
    if try log.checkpoints().contains(where: { ReplicaNotes.contain($0.name) }) {
      throw EventStoreError.unsupported(
        "the removal of streams from the copy of a remote log", by: type(of: log),
        instead: "erase the personal values of the stream's events")
    }
    let last = try removals.map { try $0.plan(log, into: &plan) }.max() ?? 0
    let horizon = max(earlier, try Self.transactionEnd(of: last, in: log))
    if let through, through < horizon {
      throw CompactionError(
        .badHorizon, position: through,
        "the log wasn't compacted: `through` must be at least \(horizon) (was \(through)). The compaction removes "
          + "events, and the last of their transactions ends at position \(horizon)")
    }
    return horizon
  }

  /// Returns the saved drafts that contain commands or events for a removed stream.
  ///
  /// A store calls its own code in a compaction's transaction, so the drafts are read before the transaction. A draft
  /// that is saved later decides its commands without the removed events.
  func draftReferences(in store: any EventStore) throws -> [CompactionError] {
    guard removesStreams, let drafts = store.drafts else { return [] }
    let removed = Set(removals.map(\.stream))
    let coder = PayloadCoder()
    return try drafts.drafts().compactMap { summary in
      let commands = try drafts.draft(named: summary.name)?.commands ?? []
      let refers = commands.contains { command in
        guard case .text(let text) = command.content, let read = try? coder.decode(DraftText.self, from: text) else {
          return false
        }
        return !read.streams.isDisjoint(with: removed)
      }
      let message = "the draft \"\(summary.name)\" contains commands or events for the stream"
      return refers ? CompactionError(.draft, name: summary.name, message) : nil
    }
  }

  /// Returns the followers that haven't handled all events through the horizon.
  func followerReferences(
    _ log: any CompactionTransaction, _ horizon: Position
  ) throws -> [CompactionError] {
    try log.followers().filter { $0.position < horizon }.map {
      .followerBehind($0.follower, at: $0.position, horizon: horizon)
    }
  }

  /// Returns the undo steps of removed events, and the events of other streams that refer to removed streams or events.
  ///
  /// The call reads the log twice, because a cause can be in any earlier event.
  func eventReferences(
    _ log: any CompactionTransaction, _ plan: CompactionPlan
  ) throws -> [CompactionError] {
    var (ids, steps, seen): (Set<ExactString>, [String], Set<ExactString>) = ([], [], [])
    for stream in plan.removedStreams {
      try log.forEachEvent(.stream(stream)) { event in
        ids.insert(ExactString(event.id.id))
        if let step = event.metadata.undoStep, seen.insert(ExactString(step)).inserted { steps.append(step) }
      }
    }
    var found = steps.sorted().map {
      CompactionError(.undoStep, name: $0, "the undo step \"\($0)\" contains events of the stream")
    }
    let names = Set(plan.removedStreams.flatMap(\.tags))
    try log.forEachEvent { event in
      if plan.removedStreams.contains(event.stream) { return }
      let causes = [event.metadata.causation, event.metadata.correlation].compactMap { $0.map { ExactString($0) } }
      if !ids.isDisjoint(with: causes) || !names.isDisjoint(with: event.tags) {
        found.append(
          CompactionError(
            .relatedEvent, position: event.position, stream: event.stream,
            "event \(event.position) of stream \"\(event.stream)\" refers to the stream"))
      }
    }
    return found
  }
}

extension CompactionReceipt {
  /// Throws if a reference prevents the removal of a stream.
  func checkReferences() throws {
    if let follower = blockingReferences.first(where: { $0.code == .followerBehind }) { throw follower }
    if !blockingReferences.isEmpty { throw CompactionError(blockedBy: blockingReferences) }
  }
}

extension CompactionTransaction {
  /// Returns the names of all streams that contain events.
  fileprivate func existingStreams() throws -> [StreamName] {
    try streams().filter { try !events(.stream($0), after: 0, through: nil, limit: 1).isEmpty }
  }
}

extension StreamName {
  /// The tags that name the stream: its whole name, and its id after its category in either case.
  ///
  /// For example, the tags are `Order-17`, `Order:17` and `order:17` for the stream `Order-17`.
  fileprivate var tags: [EventTag] {
    guard let dash = text.firstIndex(of: "-") else { return [EventTag(text)] }
    let (category, id) = (text[..<dash], text[text.index(after: dash)...])
    return [EventTag(text), "\(String(category)):\(String(id))", "\(category.lowercased()):\(String(id))"]
  }
}

extension DraftText {
  /// The streams of the commands and events.
  fileprivate var streams: Set<StreamName> {
    Set(
      calls.flatMap { call in
        (call.stream.map { [StreamName($0)] } ?? []) + (call.events ?? []).map { StreamName($0.stream) }
      })
  }
}
