import AnnalsLog

/// A compaction rule with a closure of the app that returns which events of a stream to keep.
struct StreamRule<E: Event>: CompactionRule {
  let rule: @Sendable (StreamName, [Compaction.Candidate<E>]) throws -> [Compaction.Candidate<E>]

  func plan(_ log: any CompactionTransaction, through end: Position, into plan: inout CompactionPlan) throws {
    var coder = try EventCoder<E>()
    for stream in try log.streams() {
      var stored: [(event: StoredEvent, pieces: Int)] = []
      var past: [Compaction.Candidate<E>] = []
      var isReadable = true
      try log.forEachEvent(.stream(stream), through: end) { event in
        guard isReadable else { return }
        do {
          let pieces = try coder.read(event).events
          // Skip events of other types, and events that an upcaster drops.
          if pieces.isEmpty { return }
          stored.append((event, pieces.count))
          past += pieces.enumerated().map { Compaction.Candidate(Recorded($1, event), piece: $0) }
        } catch {
          isReadable = false
          plan.leaveAlone(event, because: error)
        }
      }
      if !isReadable || past.isEmpty { continue }
      try add(try rule(stream, past), to: stored, in: stream, &plan, &coder)
    }
  }

  private func add(
    _ left: [Compaction.Candidate<E>], to stored: [(event: StoredEvent, pieces: Int)], in stream: StreamName,
    _ plan: inout CompactionPlan, _ coder: inout EventCoder<E>
  ) throws {
    var rest = left[...]
    for (event, count) in stored {
      let pieces = rest.prefix { $0.recorded.stream == stream && $0.recorded.position == event.position }
      rest = rest.dropFirst(pieces.count)
      let isWhole = pieces.map(\.piece) == Array(0..<count)
      if isWhole, !pieces.contains(where: \.isReplaced) { continue }
      guard let only = pieces.first else {
        try plan.add(.cut, to: event)
        continue
      }
      guard pieces.count == 1, only.piece < count else {
        throw bad(
          stream,
          count == 1
            ? "it returned \(pieces.count) copies of the event at position \(event.position)"
            : "it returned \(pieces.count) events at position \(event.position). Upcasters split this stored event "
              + "into \(count) events. The rule must return all \(count) events unchanged, or exactly one of them, "
              + "or none")
      }
      let new = try coder.encode(only.event)
      // If the replacement equals the stored event, keep the stored event.
      if isWhole, ExactString(new.type) == ExactString(event.type), new.schema == event.schema, new.tags == event.tags,
        new.payload.map(ExactString.init) == event.payload.map(ExactString.init)
      {
        continue
      }
      try plan.add(.replaced(by: new), to: event)
    }
    if let other = rest.first {
      throw bad(
        stream,
        "it returned the event at position \(other.recorded.position) of stream \"\(other.recorded.stream)\". This "
          + "event is out of order, repeated or from another stream")
    }
  }

  private func bad(_ stream: StreamName, _ found: String) -> CompactionError {
    CompactionError(
      .badRule, stream: stream,
      "the log wasn't compacted: the rule for \(E.self) must return only events that it received from stream "
        + "\"\(stream)\", each event once and in order, but \(found)")
  }
}
