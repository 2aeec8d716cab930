import AnnalsLog

/// A group of commands that are committed together: either all of their events are appended, or none.
///
/// The decision about a command is based on a state that includes the events of the transaction's earlier commands. A
/// stream's events, or the events inside a boundary (see ``BoundaryDecider``), are read only once per transaction.
///
///     try store.transaction { transaction in
///       try transaction.execute(.insert(annals), on: Bookshop["main"])
///       try transaction.execute(.reprice(id: "b1", to: 70), on: Bookshop["main"])
///     }
public struct CommandTransaction: ~Copyable {
  let log: DecisionLog
  private var attempt: Int
  private var identified: IdentifiedCommand?
  /// The draft that the commit merges.
  private let draft: DraftVersion?
  private var decided = DecidedEvents()
  /// The number of decided events that belong to earlier appends of a group.
  private var earlier = 0
  private var expectations: [StreamName: ExpectedVersion] = [:]
  private var conditions: [Append.Condition] = []
  private var working: [StateKey: any AnyWorkingState] = [:]
  /// The versions of the streams that were read.
  private var versions: [StreamName: Int] = [:]
  private var kept: [KeptCommand] = []
  /// The branch's revisions from which conditions were read.
  private var asked: [LogRevision] = []
  /// The marker for the commands' events, or nil outside of an undo history.
  var mark: (any CommandMarking)?

  package init(on log: DecisionLog, attempt: Int, command: IdentifiedCommand?, ending draft: DraftVersion? = nil) {
    self.log = log
    self.attempt = attempt
    identified = command
    self.draft = draft
  }

  /// Decides a command on a stream or within a boundary.
  ///
  /// The decision takes the events of earlier commands in this transaction into account.
  ///
  /// - Parameters:
  ///   - command: The command to execute.
  ///   - subject: The stream, such as `Bookshop["main"]`, or ``CommandSubject/boundary(_:)``.
  ///   - metadata: Metadata to store with every event, such as `actor`.
  /// - Returns: The decided events, not yet committed.
  /// - Throws: The decider's rejection, ``EventStoreError`` or ``EventCodingError``.
  /// - Complexity: O(k) for the k events that were added since the last command on the same subject. If the state isn't
  ///   in memory, the complexity is O(n) for a stream of n events. For a boundary that selects events by tags, it is
  ///   O(m log l) for m events inside the boundary, in a log of l events.
  @discardableResult
  public mutating func execute<D: Decider>(
    _ command: D.Command, on subject: CommandSubject<D>, metadata: Metadata = [:]
  ) throws -> [D.Event] {
    try execute(command, on: subject, metadata: metadata, after: nil)
  }

  /// Decides a command, possibly for a second time.
  ///
  /// For a command that is decided for the first time, `own` is nil. For a command that is re-decided, `own` is the
  /// number of the stream's events that the command's former transaction had decided before the command. A command
  /// expects the version before its own transaction, so these events don't count. Events of earlier transactions count,
  /// even if this transaction re-decides them.
  @discardableResult
  mutating func execute<D: Decider>(
    _ command: D.Command, on subject: CommandSubject<D>, metadata: Metadata, after own: Int?
  ) throws -> [D.Event] {
    var metadata = metadata
    let events: [D.Event]
    var before = 0
    switch subject.kind {
    case .stream(let stream, let expected):
      let state = try state(of: D.self, stream)
      before = try check(expected, of: stream, after: own)
      events = try decide(command, on: state, to: stream, within: nil, &metadata)
    case .boundary(let query, let stream):
      let boundary = query(command)
      let state = try state(of: D.self, within: boundary)
      events = try decide(command, on: state, to: stream(command), within: boundary, &metadata)
    }
    if log.keeper != nil { kept.append(KeptCommand(command, on: subject, kept(metadata), after: own ?? before)) }
    return events
  }

  /// Throws if a stream doesn't have the expected version.
  ///
  /// - Returns: The number of the stream's events that this transaction has decided, or 0 if the number isn't needed.
  private mutating func check(_ expected: ExpectedVersion, of stream: StreamName, after own: Int?) throws -> Int {
    // This counts all events of the transaction, so do it only if the version matters.
    let isCounted = expected != .any && (log.keeper != nil || own != nil)
    let before = isCounted ? decided.indices(of: .stream(stream), from: 0).count : 0
    var version = (versions[stream] ?? 0) + (own.map { before - $0 } ?? 0)
    if earlier > 0, case .exact(let start)? = expectations[stream] { version = start }
    if !expected.isMet(by: version) {
      throw EventStoreError.versionConflict(stream: stream, expected: expected, found: version)
    }
    return before
  }

  /// Begins an append that is committed after the transaction's earlier appends, and only if these are committed.
  ///
  /// The next command must be on a stream, not in a boundary.
  ///
  /// - Parameters:
  ///   - attempt: The number of the attempt to decide the next command.
  ///   - command: The next command's id and call, or `nil` without an id.
  /// - Complexity: O(k) for the last append's k events.
  package mutating func beginAppend(attempt: Int, command: IdentifiedCommand?) {
    for entry in decided.entries[earlier...] {
      if case .exact(let version)? = expectations[entry.stream] {
        expectations[entry.stream] = .exact(version + 1)
      }
    }
    earlier = decided.count
    self.attempt = attempt
    identified = command
  }

  /// Discards the events of the last append, which contains at most one command.
  package mutating func discardAppend() { decided.removeAll(from: earlier) }

  /// Discards all decisions, and all states that were read.
  mutating func startOver() {
    decided = DecidedEvents()
    expectations = [:]
    conditions = []
    kept = []
    working = [:]
    versions = [:]
    asked = []
  }

  /// Adds events without calling a decider.
  mutating func add(_ entries: [Append.Entry]) {
    for entry in entries { decided.append(entry) }
    if log.keeper != nil { kept.append(KeptCommand(entries)) }
  }

  /// Returns the metadata to keep with a command, including the command's current id, because a later transaction that
  /// re-decides the command may have another id.
  private func kept(_ metadata: Metadata) -> Metadata { metadata.with(commandID: identified?.id) }

  private mutating func decide<D: Decider>(
    _ command: D.Command, on working: WorkingState<D>, to stream: StreamName, within boundary: EventQuery?,
    _ metadata: inout Metadata
  ) throws -> [D.Event] {
    let state = try working.state(with: &decided)
    try log.environment.hook?(.didRead(attempt: attempt))
    let events = try state.decide(command)
    #if DEBUG
      // A re-decision must produce the same events, because lists have already shown them.
      if log.keeper != nil { try DecisionCheck.check(events, of: command, on: state, working.encode) }
    #endif
    if events.isEmpty { return [] }
    var id = mark?.mark(&metadata, events, before: state, in: stream, boundary, working.place.revision)
    // A re-decided command, for example in a draft, keeps the marks of its first decision.
    let (metadata, tag) = (metadata.with(commandID: identified?.id), metadata.undoTag)
    for event in events {
      var new = try working.encode(event)
      new.metadata = metadata
      if let tag { new.tags.insert(tag) }
      new.id = id
      id = nil
      decided.append(.init(stream: stream, event: new))
    }
    return events
  }

  /// The current state of a stream, including the events that this transaction has decided.
  mutating func currentState<D: Decider>(of subject: CommandSubject<D>) throws -> D {
    guard case .stream(let stream, let expected) = subject.kind else {
      preconditionFailure(
        "a boundary has no state without a command, because the command defines the boundary. Pass a stream, such as "
          + "\(D.self)[\"main\"]")
    }
    let state = try state(of: D.self, stream)
    _ = try check(expected, of: stream, after: nil)
    return try state.state(with: &decided)
  }

  private mutating func state<D: Decider>(of decider: D.Type, _ stream: StreamName) throws -> WorkingState<D> {
    let subject = StateKey.Subject.stream(stream)
    let key = StateKey(log.owner, decider, subject)
    if let known = working[key] as? WorkingState<D> { return known }
    try use(decider)
    let reader = StreamState<D>(stream, of: StateShelf(log, subject, key: key), known: versions[stream])
    let (state, version) = try reader.read()
    if versions[stream] == nil {
      versions[stream] = version
      expectations[stream] = .exact(version)
    }
    working[key] = state
    return state
  }

  private mutating func state<D: Decider>(
    of decider: D.Type, within boundary: EventQuery
  ) throws -> WorkingState<D> {
    let subject = StateKey.Subject.boundary(BoundaryKey(boundary))
    let key = StateKey(log.owner, decider, subject)
    if let known = working[key] as? WorkingState<D> { return known }
    try use(decider)
    let (state, widened) = try BoundaryState<D>(boundary, of: StateShelf(log, subject, key: key)).read()
    // A matching event after the end of this read is a conflict.
    conditions.append(.init(noneMatching: widened, after: state.place.position))
    working[key] = state
    return state
  }

  /// Refuses a decider whose category, or whose events' prefix, belongs to another type.
  private func use<D: Decider>(_ decider: D.Type) throws {
    try log.runtime.names.use(decider: D.self, category: D.category)
    try log.runtime.names.use(D.Event.self)
  }

  /// Adds a condition for the commit, and the command to keep for later decisions.
  ///
  /// - Parameters:
  ///   - condition: The condition that must hold at the commit.
  ///   - revision: The revision of the log from which the condition was read.
  ///   - command: The command that checks the condition when the transaction is re-decided.
  mutating func require(_ condition: Append.Condition, of revision: LogRevision?, asking command: KeptCommand) {
    conditions.append(condition)
    guard log.keeper != nil else { return }
    kept.append(command)
    if let revision { asked.append(revision) }
  }

  /// Adds a condition for the commit only, which isn't checked when a draft re-decides the transaction.
  mutating func requireNoEvent(matching query: EventQuery, after position: Position) {
    // A draft's positions can be of other events by then.
    if log.keeper == nil { conditions.append(Append.Condition(noneMatching: query, after: position)) }
  }

  /// True if all states on which commands were decided are from one revision of the log.
  func isDecided(on revision: LogRevision?) -> Bool { working.values.allSatisfy { $0.place.revision == revision } }

  /// The decided events.
  var entries: [Append.Entry] { decided.entries }

  /// The append for the store to commit.
  package var append: Append {
    let entries = earlier == 0 ? decided.entries : Array(decided.entries[earlier...])
    var append = Append(entries, expectations: expectations, conditions: conditions, commandID: identified?.id)
    append.useOrigin = .given(identified?.use)
    append.endingDraft = draft
    // Include the revisions, because a branch's positions refer to other events after its commands are re-decided.
    if log.keeper != nil { append.decidedOn = asked + working.values.map(\.place.revision) }
    return append
  }

  /// Commits the decided events to the log's store, and keeps the resulting states.
  consuming func commit(to store: any EventStore) throws -> Receipt {
    try log.environment.hook?(.willAppend(attempt: attempt))
    let append = append
    let receipt = try log.keeper?.commit(append, keeping: kept) ?? store.commit(append)
    // For a command with an id, the receipt may be from another process's append, with other events.
    if identified == nil { settle([receipt]) }
    return receipt
  }

  /// Keeps the states that result from the committed events.
  ///
  /// - Parameter receipts: The receipts of the transaction's appends, in order. If a receipt is missing or repeated, no
  ///   state is kept.
  package mutating func settle(_ receipts: [Receipt]) {
    guard let last = receipts.last(where: { $0.count > 0 }), receipts.allSatisfy({ !$0.isRepeated }),
      receipts.reduce(0, { $0 + $1.count }) == decided.count
    else { return }
    for state in working.values { state.settle(last, &decided) }
  }
}
