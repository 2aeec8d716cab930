/// Several commands that are committed as one: all of their events, or none.
public struct CommandTransaction: ~Copyable {
  private let store: any EventStore
  private let attempt: Int
  private var entries: [Append.Entry] = []
  private var expectations: [StreamName: ExpectedVersion] = [:]
  private var conditions: [Append.Condition] = []
  private var read: [StreamName: Tail] = [:]
  private let commandID: String?

  /// The events of a stream from one on, as they were read.
  private struct Tail {
    /// The version of the last event before them, and where that is.
    let start: (version: Int, position: Position)
    let events: [StoredEvent]
    /// The stream's version; the last of its events may have been cut by a compaction.
    let version: Int
    /// The log's revision when they were read.
    let revision: LogRevision
  }

  init(store: any EventStore, attempt: Int, commandID: String?) {
    self.store = store
    self.attempt = attempt
    self.commandID = commandID
  }

  /// Decides a command on a stream as it stands, with the events that this transaction has decided before.
  ///
  /// - Parameters:
  ///   - command: What someone wants.
  ///   - decider: Who decides.
  ///   - id: Which of the decider's streams.
  ///   - expected: What the stream must be before the transaction.
  ///   - metadata: What the events say of themselves.
  /// - Returns: The decided events, not yet committed.
  /// - Throws: The decider's rejection, ``EventStoreError`` or ``EventCodingError``.
  @discardableResult
  public mutating func execute<D: Decider>(
    _ command: D.Command, on decider: D.Type, id: String, expecting expected: ExpectedVersion = .any,
    metadata: Metadata = [:]
  ) throws -> [D.Event] {
    let stream = D.stream(id)
    var fold = try fold(decider, stream)
    let version = read[stream]?.version ?? 0
    if !expected.isMet(by: version) {
      throw EventStoreError.versionConflict(stream: stream, expected: expected, found: version)
    }
    for entry in entries where entry.stream == stream { try fold.fold(entry.event) }
    return try decide(command, on: fold, to: stream, metadata)
  }

  /// Decides a command on the events inside its boundary, also those that this transaction has decided before.
  ///
  /// - Parameters:
  ///   - command: What someone wants.
  ///   - decider: Who decides.
  ///   - metadata: What the events say of themselves.
  /// - Returns: The decided events, not yet committed.
  /// - Throws: The decider's rejection, ``EventStoreError`` or ``EventCodingError``.
  @discardableResult
  public mutating func execute<D: BoundaryDecider>(
    _ command: D.Command, on decider: D.Type, metadata: Metadata = [:]
  ) throws -> [D.Event] {
    let named = D.boundary(for: command)
    let store = store
    // A boundary that names types means the events, under whatever name and in whatever schema they are stored.
    let boundary = try DeciderFold<D>().coder.widened(named)
    var (fold, head) = try store.read { log in
      var fold = try DeciderFold<D>()
      // What comes after this position is what must not come.
      let head = try log.head()
      try log.forEachEvent(boundary, through: head) { event in
        assert(
          boundary.matches(event), "the store answered event \(event.position), which lies outside of the boundary")
        try fold.fold(event, in: named)
      }
      return (fold, head)
    }
    conditions.append(.init(noneMatching: boundary, after: head))
    for entry in entries
    where boundary.matches(stream: entry.stream, type: entry.event.type, tags: entry.event.tags) {
      try fold.fold(entry.event)
    }
    return try decide(command, on: fold, to: D.stream, metadata)
  }

  private mutating func decide<D: Decider>(
    _ command: D.Command, on fold: DeciderFold<D>, to stream: StreamName, _ metadata: Metadata
  ) throws -> [D.Event] {
    try store.environment.hook?(.didRead(attempt: attempt))
    let decided = try fold.state.decide(command)
    let metadata = metadata.with(commandID: commandID)
    for event in decided {
      var new = try fold.coder.encode(event)
      new.metadata = metadata
      entries.append(.init(stream: stream, event: new))
    }
    return decided
  }

  /// Folds a stream as it stands, from a state that was kept where there is one.
  mutating func fold<D: Decider>(_ decider: D.Type, _ stream: StreamName) throws -> DeciderFold<D> {
    let states = SnapshotCache<D>(store, stream)
    // What was read earlier may be of an older revision than the kept state, and know what was erased in between.
    let isFresh = read[stream] == nil
    if let kept = states.find(), let tail = try tail(of: stream, after: (kept.version, kept.position), states.revision)
    {
      var fold = try DeciderFold<D>(from: kept.state)
      for event in tail { try fold.fold(event) }
      if isFresh { states.keep(fold.state, after: tail) }
      return fold
    }
    var fold = try DeciderFold<D>()
    // From its beginning a stream always has the events that it should.
    let events = try tail(of: stream, after: (0, 0), nil) ?? []
    for event in events { try fold.fold(event) }
    // A state of another revision than the cache's is not kept; a store that keeps none is reported all the same.
    if isFresh, states.revision.map({ $0 == read[stream]?.revision }) ?? true {
      states.keep(fold.state, after: events)
    }
    return fold
  }

  /// The events of a stream that come after some.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - start: The version of the last event before them, and its position.
  ///   - revision: The revision that the log must have; nil for any.
  /// - Returns: The events; nil if the log has another revision, or the stream does not go on where it was said to.
  /// - Throws: What the store's `tail` throws.
  private mutating func tail(
    of stream: StreamName, after start: (version: Int, position: Position), _ revision: LogRevision?
  ) throws -> [StoredEvent]? {
    if let known = read[stream], revision == nil || known.revision == revision, known.start.version <= start.version,
      start.version <= known.version
    {
      return known.events.filter { $0.version > start.version }
    }
    let tail = try store.tail(of: stream, after: start.position)
    if let revision, tail.revision != revision { return nil }
    let (events, horizon) = (tail.events, tail.revision.compacted.horizon)
    let before = events.first.map { $0.version - 1 } ?? tail.version
    if start.version > 0, before != start.version {
      // Between the two a compaction may have cut events, which it did before the state was kept.
      guard before >= start.version, start.position < horizon else { return nil }
    }
    // A command before may have read the stream from a later event on; its end is what that one saw.
    if let known = read[stream], known.version < tail.version {
      let events = events.prefix { $0.version <= known.version }
      if horizon > events.last?.position ?? 0 {
        // What is left of the history up to there is no state of its own.
        throw EventStoreError.versionConflict(
          stream: stream, expected: .exact(known.version), found: tail.version)
      }
      read[stream] = Tail(
        start: start, events: Array(events), version: known.version, revision: tail.revision)
      return Array(events)
    }
    read[stream] = Tail(start: start, events: events, version: tail.version, revision: tail.revision)
    expectations[stream] = .exact(tail.version)
    return events
  }

  /// Commits what was decided.
  consuming func commit() throws -> Receipt {
    try store.environment.hook?(.willAppend(attempt: attempt))
    return try store.commit(
      Append(entries, expectations: expectations, conditions: conditions, commandID: commandID))
  }
}
