/// What one append commits, and under which conditions: all of it, or nothing.
public struct Append: Hashable, Sendable {
  /// An event and the stream that it goes to.
  public struct Entry: Hashable, Sendable {
    /// The stream.
    public var stream: StreamName
    /// The event.
    public var event: NewEvent

    /// Creates an entry.
    ///
    /// - Parameters:
    ///   - stream: The stream.
    ///   - event: The event.
    public init(stream: StreamName, event: NewEvent) {
      self.stream = stream
      self.event = event
    }
  }

  /// A demand that no event stands in the way: none that the query matches, after the position.
  public struct Condition: Hashable, Sendable {
    /// The events that must not have been appended.
    public var noneMatching: EventQuery
    /// The position that the writer had read up to.
    public var after: Position

    /// Creates a condition.
    ///
    /// - Parameters:
    ///   - noneMatching: The events that must not have been appended.
    ///   - after: The position that the writer had read up to.
    public init(noneMatching: EventQuery, after: Position) {
      self.noneMatching = noneMatching
      self.after = after
    }
  }

  /// The events, in the order of their positions to be.
  public var entries: [Entry]
  /// What is expected of streams, before the append.
  public var expectations: [StreamName: ExpectedVersion]
  /// What must not have been appended meanwhile.
  public var conditions: [Condition]
  /// The command's id, which a store commits once.
  ///
  /// If the command is repeated, the store returns the first receipt.
  public var commandID: String?
  /// The draft that this append merges, or nil for any other append.
  ///
  /// The store deletes the draft in the transaction of the append. If the draft isn't at this place, the append is
  /// refused with ``EventStoreError/draftChanged(_:)``. Its receipt is also kept under the draft's id.
  public var endingDraft: DraftPlace?
  /// The origin of ``use``.
  package var useOrigin = UseOrigin.append
  /// The revision that the log must have, else the append is refused with `rewritten`; nil if it does not matter.
  package var revision: LogRevision?
  /// Where a checkpoint must be, for a replica that fills a log beside others; the stores of this package look.
  package var checkpoint: CheckpointDemand?
  /// The revisions of a branch that the commands were decided on; none if that is not known.
  var decidedOn: [LogRevision] = []

  /// Creates an append.
  ///
  /// - Parameters:
  ///   - entries: The events, in order.
  ///   - expectations: What is expected of streams.
  ///   - conditions: What must not have been appended meanwhile.
  ///   - commandID: What tells the command from every other; nil for a command that may be committed again.
  public init(
    _ entries: [Entry] = [], expectations: [StreamName: ExpectedVersion] = [:], conditions: [Condition] = [],
    commandID: String? = nil
  ) {
    self.commandID = commandID
    self.entries = entries
    self.expectations = expectations
    self.conditions = conditions
  }

  /// Creates an append of events to one stream.
  ///
  /// - Parameters:
  ///   - events: The events, in order.
  ///   - stream: The stream.
  ///   - expected: What is expected of the stream.
  public init(_ events: [NewEvent], to stream: StreamName, expecting expected: ExpectedVersion = .any) {
    self.init(events.map { Entry(stream: stream, event: $0) }, expectations: [stream: expected])
  }
}

extension Append {
  /// The origin of the call that a command's id is given for.
  package enum UseOrigin: Hashable, Sendable {
    /// The append is the call.
    case append
    /// The append results from the call, or the call isn't known, as in a copy of an older log.
    case given(CommandUse?)
  }

  /// The call that the command's id is given for, which a store keeps with the receipt, or nil without an id.
  ///
  /// A store that passes other events on to a store inside of it, for example encrypted ones, sets the use of the
  /// append that it was given.
  ///
  /// - Complexity: O(n) for the bytes of the events, if the append is the call itself.
  public var use: CommandUse? {
    get {
      switch useOrigin {
      case .append: commandID.map { .append(entries, id: $0) }
      case .given(let use): use
      }
    }
    set { useOrigin = .given(newValue) }
  }

  /// The receipt that a store returns for this append instead of committing it, because it is in the log already.
  ///
  /// A store calls it in the transaction of the append, before it checks anything else.
  ///
  /// - Parameter receipt: Returns the receipt that the log has under a command id, or nil if the id is new.
  /// - Returns: The first receipt, with ``Receipt/isRepeated`` true, or nil if the append is new.
  /// - Throws: ``EventStoreError`` with the code `commandReused` if the id was used for another call, and the errors of
  ///   the closure.
  public func repeated(_ receipt: (_ commandID: String) throws -> Receipt?) throws -> Receipt? {
    // No other program can have added a command to the draft: it was deleted in the transaction of its merge.
    if let draft = endingDraft, let first = try receipt(draft.id) { return first.repeated() }
    guard let commandID, let first = try receipt(commandID) else { return nil }
    return try use.map { try IdentifiedCommand(id: commandID, use: $0).repeated(first) } ?? first.repeated()
  }

  /// The receipts that a store keeps of this append once it is committed, by command id.
  ///
  /// - Parameter receipt: The receipt.
  /// - Returns: No receipts without an id, and two for a draft that is merged under an id that the caller gave.
  public func receipts(_ receipt: Receipt) -> [(commandID: String, receipt: Receipt)] {
    var all: [(commandID: String, receipt: Receipt)] = []
    if let commandID { all.append((commandID, receipt.of(use))) }
    if let draft = endingDraft, draft.id != commandID { all.append((draft.id, receipt.of(draft.use))) }
    return all
  }
}

extension DraftPlace {
  /// The use of a draft's id, and of the id that its merge is given.
  ///
  /// The draft's id is part of the call, because an erasure deletes digests. A later draft of the same name would be
  /// taken for this draft otherwise.
  var use: CommandUse { CommandUse(call: "the merge of the draft \(JSONValue.quoted(name)) (\(id))", digest: nil) }
}
