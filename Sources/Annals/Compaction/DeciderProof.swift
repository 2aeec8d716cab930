import AnnalsLog

/// A check that a decider's states are equal before and after a compaction in all streams with changes.
struct StreamProof<D: Decider & Equatable>: CompactionProof {
  var name: String { stableName(of: D.self) }

  private static func isCategory(_ stream: StreamName) -> Bool { stream.belongs(to: D.category) }

  func reader() throws -> (StoredEvent) -> Bool {
    let coder = CoderBox(try EventCoder<D.Event>())
    return { Self.isCategory($0.stream) && coder.reads($0.type) }
  }

  func fold(
    _ log: any CompactionTransaction, _ plan: CompactionPlan, at positions: [Position]
  ) throws -> any CompactionFold {
    var states = StatesFold<D>(name: name, positions: positions)
    for stream in plan.streams.sorted() where Self.isCategory(stream) && !plan.removedStreams.contains(stream) {
      var (fold, last) = (try DeciderFold<D>(), 0 as Position)
      for position in positions {
        try log.forEachEvent(.stream(stream), after: last, through: position) { try fold.fold($0) }
        last = position
        states.states.append(("stream \"\(stream)\"", position, fold.state))
      }
    }
    return states
  }
}

/// A check that a decider's states are equal before and after a compaction inside some boundaries.
struct BoundaryProof<D: BoundaryDecider & Equatable>: CompactionProof {
  let boundaries: [EventQuery]

  var name: String { stableName(of: D.self) }

  func reader() throws -> (StoredEvent) -> Bool {
    let coder = CoderBox(try EventCoder<D.Event>())
    let widened = try boundaries.map { try DeciderFold<D>().coder.widened($0) }
    return { event in coder.reads(event.type) && widened.contains { $0.matches(event) } }
  }

  func fold(
    _ log: any CompactionTransaction, _ plan: CompactionPlan, at positions: [Position]
  ) throws -> any CompactionFold {
    var states = StatesFold<D>(name: name, positions: positions)
    for (number, named) in boundaries.enumerated() {
      var (fold, last) = (try DeciderFold<D>(), 0 as Position)
      let boundary = fold.coder.widened(named)
      for position in positions {
        try log.forEachEvent(boundary, after: last, through: position) { try fold.fold($0, in: named) }
        last = position
        states.states.append(("boundary \(number + 1) of \(boundaries.count)", position, fold.state))
      }
    }
    return states
  }
}

/// A decider's states at some positions, for a comparison.
struct StatesFold<D: Decider & Equatable>: CompactionFold {
  let name: String
  let positions: [Position]
  var states: [(source: String, position: Position, state: D)] = []

  func difference(from before: any CompactionFold) -> CompactionDifference? { differences(from: before).first }

  func differences(from before: any CompactionFold) -> [CompactionDifference] {
    guard let before = before as? StatesFold, before.states.count == states.count else {
      preconditionFailure(
        "the states before and after a compaction must be of the same type and equally many, but they aren't. Please "
          + "report this")
    }
    return zip(before.states, states).lazy.filter { $0.state != $1.state }.map { old, new in
      .init(
        name: name, source: old.source, position: old.position, row: nil, before: "\(old.state)",
        after: "\(new.state)")
    }
  }
}
