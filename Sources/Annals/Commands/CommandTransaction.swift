/// Several commands that are committed as one: all of their events, or none.
///
/// Each stream and each boundary is read once, and each event that a command decides is folded once for those after it.
///
///     try store.transaction { transaction in
///       try transaction.execute(.insert(annals), on: Bookshop.self, id: "main")
///       try transaction.execute(.reprice(id: "b1", to: 70), on: Bookshop.self, id: "main")
///     }
public struct CommandTransaction: ~Copyable {
  let store: any EventStore
  private let attempt: Int
  private let identified: IdentifiedCommand?
  /// The draft that the commit merges.
  private let draft: DraftPlace?
  private var decided = DecidedEvents()
  private var expectations: [StreamName: ExpectedVersion] = [:]
  private var conditions: [Append.Condition] = []
  private var working: [StateKey: any AnyWorkingState] = [:]
  /// The versions of the streams that were read.
  private var versions: [StreamName: Int] = [:]
  /// What keeps the commands beside their events; nil in a store that keeps events alone.
  private let keeper: (any CommandKeeper)?
  private var kept: [KeptCommand] = []
  /// The revisions of a branch that conditions were read from.
  private var asked: [LogRevision] = []
  /// What marks the commands' events; nil outside of an undo history.
  var mark: (any CommandMarking)?

  init(store: any EventStore, attempt: Int, command: IdentifiedCommand?, ending draft: DraftPlace? = nil) {
    keeper = store as? any CommandKeeper
    self.store = store
    self.attempt = attempt
    identified = command
    self.draft = draft
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
  /// - Complexity: O(k) for the k events that came since the last command on the stream, in this transaction or before
  ///   it; O(n) for n events of a stream whose state the store does not keep.
  @discardableResult
  public mutating func execute<D: Decider>(
    _ command: D.Command, on decider: D.Type, id: String, expecting expected: ExpectedVersion = .any,
    metadata: Metadata = [:]
  ) throws -> [D.Event] {
    try execute(command, on: decider, in: D.stream(id), expecting: expected, metadata: metadata, after: nil)
  }

  /// Decides a command on a stream by its whole name.
  mutating func execute<D: Decider>(
    _ command: D.Command, on decider: D.Type, in stream: StreamName, metadata: Metadata
  ) throws {
    try execute(command, on: decider, in: stream, expecting: .any, metadata: metadata, after: nil)
  }

  /// Decides a command, perhaps again.
  ///
  /// If it was decided before in a transaction of its own, the version that it expects is that before its transaction,
  /// and counts what the commands before that had led to. `own` is how many events of the stream its own transaction
  /// had decided before it; nil for a command that is decided for the first time.
  @discardableResult
  mutating func execute<D: Decider>(
    _ command: D.Command, on decider: D.Type, in stream: StreamName, expecting expected: ExpectedVersion,
    metadata: Metadata, after own: Int?
  ) throws -> [D.Event] {
    let state = try state(of: decider, stream)
    // All events of the transaction are looked at, so only where the version matters.
    let isCounted = expected != .any && (keeper != nil || own != nil)
    let before = isCounted ? decided.indices(of: .stream(stream), from: 0).count : 0
    let version = (versions[stream] ?? 0) + (own.map { before - $0 } ?? 0)
    if !expected.isMet(by: version) {
      throw EventStoreError.versionConflict(stream: stream, expected: expected, found: version)
    }
    var metadata = metadata
    let events = try decide(command, on: state, to: stream, within: nil, &metadata)
    if keeper != nil {
      kept.append(
        KeptCommand(command, of: decider, in: stream, expecting: expected, kept(metadata), after: own ?? before))
    }
    return events
  }

  /// Forgets all that was decided and read.
  mutating func startOver() {
    (decided, expectations, conditions, kept) = (DecidedEvents(), [:], [], [])
    (working, versions, asked) = ([:], [:], [])
  }

  /// Takes events as they are.
  mutating func add(_ entries: [Append.Entry]) {
    for entry in entries { decided.append(entry) }
    if keeper != nil { kept.append(KeptCommand(entries)) }
  }

  /// What is kept of metadata: a transaction that decides the command again may have another id.
  private func kept(_ metadata: Metadata) -> Metadata { metadata.with(commandID: identified?.id) }

  /// Decides a command on the events inside its boundary, including those that this transaction has decided before.
  ///
  /// - Parameters:
  ///   - command: What someone wants.
  ///   - decider: Who decides.
  ///   - metadata: What the events say of themselves.
  /// - Returns: The decided events, not yet committed.
  /// - Throws: The decider's rejection, ``EventStoreError`` or ``EventCodingError``.
  /// - Complexity: O(k) for the k events that came since the last command on the same boundary, in this transaction or
  ///   before it; O(m log n) for m events inside a boundary whose state the store does not keep, in a log of n.
  @discardableResult
  public mutating func execute<D: BoundaryDecider>(
    _ command: D.Command, on decider: D.Type, metadata: Metadata = [:]
  ) throws -> [D.Event] {
    let boundary = D.boundary(for: command)
    let state = try state(of: decider, within: boundary)
    var metadata = metadata
    let events = try decide(command, on: state, to: D.stream(for: command), within: boundary, &metadata)
    if keeper != nil { kept.append(KeptCommand(command, of: decider, kept(metadata))) }
    return events
  }

  private mutating func decide<D: Decider>(
    _ command: D.Command, on working: WorkingState<D>, to stream: StreamName, within boundary: EventQuery?,
    _ metadata: inout Metadata
  ) throws -> [D.Event] {
    let state = try working.state(with: &decided)
    try store.environment.hook?(.didRead(attempt: attempt))
    let events = try state.decide(command)
    #if DEBUG
      // What is decided again later must be what was shown.
      if keeper != nil { try UnequalDecision.check(events, of: command, on: state, working.encode) }
    #endif
    if events.isEmpty { return [] }
    var id = mark?.mark(&metadata, events, before: state, in: stream, boundary, working.place.revision)
    // A command that is decided again, such as one of a draft, has its marks from the first time.
    let (metadata, tag) = (metadata.with(commandID: identified?.id), metadata.undoTag)
    for event in events {
      var new = try working.encode(event)
      new.metadata = metadata
      if let tag { new.tags.insert(tag) }
      (new.id, id) = (id, nil)
      decided.append(.init(stream: stream, event: new))
    }
    return events
  }

  /// The state of a stream as it stands, with what this transaction has decided.
  mutating func currentState<D: Decider>(of decider: D.Type, _ stream: StreamName) throws -> D {
    try state(of: decider, stream).state(with: &decided)
  }

  private mutating func state<D: Decider>(of decider: D.Type, _ stream: StreamName) throws -> WorkingState<D> {
    let subject = StateKey.Subject.stream(stream)
    let key = StateKey(store, decider, subject)
    if let known = working[key] as? WorkingState<D> { return known }
    try use(decider)
    let reader = StreamState<D>(stream, of: StateShelf(store, subject), known: versions[stream])
    let (state, version) = try reader.read()
    if versions[stream] == nil {
      versions[stream] = version
      expectations[stream] = .exact(version)
    }
    working[key] = state
    return state
  }

  private mutating func state<D: BoundaryDecider>(
    of decider: D.Type, within boundary: EventQuery
  ) throws -> WorkingState<D> {
    let subject = StateKey.Subject.boundary(BoundaryKey(boundary))
    let key = StateKey(store, decider, subject)
    if let known = working[key] as? WorkingState<D> { return known }
    try use(decider)
    let (state, widened) = try BoundaryState<D>(boundary, of: StateShelf(store, subject)).read()
    // What comes after the end that was read is what must not come.
    conditions.append(.init(noneMatching: widened, after: state.place.position))
    working[key] = state
    return state
  }

  /// Refuses a decider whose name, or whose events' prefix, another type has.
  private func use<D: Decider>(_ decider: D.Type) throws {
    try store.signal.names.use(decider: D.self, category: D.category)
    try store.signal.names.use(D.Event.self)
  }

  /// Adds what must be true when the transaction is committed, and what is asked when it is decided again.
  ///
  /// - Parameters:
  ///   - condition: What must be true.
  ///   - revision: The revision of the log that the condition was read from.
  ///   - command: What is asked when it is decided again.
  mutating func require(_ condition: Append.Condition, of revision: LogRevision?, asking command: KeptCommand) {
    conditions.append(condition)
    guard keeper != nil else { return }
    kept.append(command)
    if let revision { asked.append(revision) }
  }

  /// True if all states that commands were decided on are of one revision of the log.
  func isDecided(on revision: LogRevision?) -> Bool { working.values.allSatisfy { $0.place.revision == revision } }

  /// What was decided.
  var entries: [Append.Entry] { decided.entries }

  /// What the store is to commit.
  var append: Append {
    var append = Append(decided.entries, expectations: expectations, conditions: conditions, commandID: identified?.id)
    (append.useOrigin, append.endingDraft) = (.given(identified?.use), draft)
    // What a branch has at a position changes when its commands are decided again.
    if keeper != nil { append.decidedOn = asked + working.values.map(\.place.revision) }
    return append
  }

  /// Commits what was decided, and keeps the states that it led to.
  consuming func commit() throws -> Receipt {
    try store.environment.hook?(.willAppend(attempt: attempt))
    let append = append
    let receipt = try keeper.map { try $0.commit(append, keeping: kept) } ?? store.commit(append)
    // The receipt of a command with an id may be of an append by another process, with other events.
    if identified == nil { settle(receipt) }
    return receipt
  }

  /// Keeps the states that the committed events led to.
  mutating func settle(_ receipt: Receipt) {
    guard !receipt.isRepeated, receipt.count > 0, receipt.count == decided.count else { return }
    for state in working.values { state.settle(receipt, &decided) }
  }
}
