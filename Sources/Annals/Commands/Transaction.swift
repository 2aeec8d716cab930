/// Several commands that are committed as one: all of their events, or none.
public struct Transaction: ~Copyable {
  private let store: any EventStore
  private let attempt: Int
  private var entries: [Append.Entry] = []
  private var expectations: [StreamName: ExpectedVersion] = [:]
  private var conditions: [Append.Condition] = []
  private var read: [StreamName: [StoredEvent]] = [:]
  private let commandID: String?

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
    var fold = try DeciderFold<D>()
    let stored = try events(of: stream)
    if !expected.isMet(by: stored.count) {
      throw EventStoreError.versionConflict(stream: stream, expected: expected, found: stored.count)
    }
    for event in stored { try fold.fold(event) }
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
    var fold = try DeciderFold<D>()
    // A boundary that names types means the events, under whatever name and in whatever schema they are stored.
    let boundary = fold.coder.widened(named)
    // The head is asked first: what comes after it is what must not come.
    let head = try store.head()
    conditions.append(.init(noneMatching: boundary, after: head))
    try store.forEachEvent(boundary, through: head) { event in
      assert(boundary.matches(event), "the store answered event \(event.position), which lies outside of the boundary")
      try fold.fold(event, in: named)
    }
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

  private mutating func events(of stream: StreamName) throws -> [StoredEvent] {
    if let known = read[stream] { return known }
    // To wherever the stream ends: that it has not grown since is what the append expects.
    var events: [StoredEvent] = []
    while true {
      let page = try store.events(.stream(stream), after: events.last?.position ?? 0, through: nil, limit: 512)
      events += page
      if page.count < 512 { break }
    }
    read[stream] = events
    expectations[stream] = .exact(events.count)
    return events
  }

  /// Commits what was decided.
  consuming func commit() throws -> Receipt {
    try store.environment.hook?(.willAppend(attempt: attempt))
    return try store.commit(
      Append(entries, expectations: expectations, conditions: conditions, commandID: commandID))
  }
}
