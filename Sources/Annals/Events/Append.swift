/// One append with its events and conditions, which is committed completely or not at all.
public struct Append: Hashable, Sendable {
  /// An event and its stream.
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

  /// A condition that the log has no matching event after a position.
  public struct Condition: Hashable, Sendable {
    /// The query for events that must not have been appended.
    public var noneMatching: EventQuery
    /// The last position that the writer has read.
    public var after: Position

    /// Creates a condition.
    ///
    /// - Parameters:
    ///   - noneMatching: The query for events that must not have been appended.
    ///   - after: The last position that the writer has read.
    public init(noneMatching: EventQuery, after: Position) {
      self.noneMatching = noneMatching
      self.after = after
    }
  }

  /// The events, in the order of their future positions.
  public var entries: [Entry]
  /// The expected versions of streams before the append.
  public var expectations: [StreamName: ExpectedVersion]
  /// The conditions that the log must meet when the append is committed.
  public var conditions: [Condition]
  /// The command's id, or `nil`.
  ///
  /// A store commits only one append for each id. For a repeated command, the store returns the first receipt.
  public var commandID: String?
  /// The draft that this append merges, or `nil` if it merges no draft.
  ///
  /// The store deletes the draft in the transaction of the append. If the stored draft doesn't have this id and
  /// edition, the append is refused with ``EventStoreError/draftChanged(_:)``. The append's receipt is also kept under
  /// the draft's id.
  public var endingDraft: DraftPlace?
  /// The origin of the value that ``use`` returns.
  package var useOrigin = UseOrigin.append
  /// The revision that the log must have, or nil for any revision.
  ///
  /// If the log has a different revision, the append is refused with the code `rewritten`.
  package var revision: LogRevision?
  /// The position that a checkpoint must have, or nil for any position.
  ///
  /// A ``Replica`` requires this position, because another replica could change the same copy of the log. Only this
  /// package's stores check the position.
  package var checkpoint: CheckpointDemand?
  /// The branch's revisions on which the commands were decided, or empty if they aren't known.
  var decidedOn: [LogRevision] = []

  /// Creates an append.
  ///
  /// - Parameters:
  ///   - entries: The events, in order.
  ///   - expectations: The expected versions of streams.
  ///   - conditions: The conditions that the log must meet when the append is committed.
  ///   - commandID: The command's id, unique in the log, or `nil` for a command that may be committed more than once.
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
  ///   - expected: The expected version of the stream.
  public init(_ events: [NewEvent], to stream: StreamName, expecting expected: ExpectedVersion = .any) {
    self.init(events.map { Entry(stream: stream, event: $0) }, expectations: [stream: expected])
  }
}

extension Append {
  /// The origin of the call for which a command's id is used.
  package enum UseOrigin: Hashable, Sendable {
    /// The append is the call.
    case append
    /// The append results from the call, or the call isn't known, as in a copy of an older log.
    case given(CommandUse?)
  }

  /// The call for which the command's id is used, or `nil` if the append has no id.
  ///
  /// A store keeps this value with the receipt. A store that wraps another store might modify the events, for example
  /// encrypt them. Such a store sets the modified append's `use` to the `use` of the original append.
  ///
  /// - Complexity: O(n) for n bytes of events, if the append doesn't belong to a command.
  public var use: CommandUse? {
    get {
      switch useOrigin {
      case .append: commandID.map { .append(entries, id: $0) }
      case .given(let use): use
      }
    }
    set { useOrigin = .given(newValue) }
  }

  /// Returns the receipt of an earlier commit of this append, or `nil` if the append is new.
  ///
  /// A store calls this method in the transaction of the append, before any other check. If the result isn't `nil`, the
  /// store returns it instead of committing the append.
  ///
  /// - Parameter receipt: A closure that returns the receipt that the log has under a command id, or `nil` if the id is
  ///   new.
  /// - Returns: The first receipt, with ``Receipt/isRepeated`` true, or `nil` if the append is new.
  /// - Throws: ``EventStoreError`` (`.commandReused` if the id was used for another call), and the errors of the
  ///   closure.
  public func repeated(_ receipt: (_ commandID: String) throws -> Receipt?) throws -> Receipt? {
    // No other program can have added a command to the draft, because it was deleted in the transaction of its merge.
    if let draft = endingDraft, let first = try receipt(draft.id) { return first.repeated() }
    guard let commandID, let first = try receipt(commandID) else { return nil }
    return try use.map { try IdentifiedCommand(id: commandID, use: $0).repeated(first) } ?? first.repeated()
  }

  /// Returns the receipts that a store keeps for this append after the commit, by command id.
  ///
  /// - Parameter receipt: The receipt.
  /// - Returns: One receipt per command id. The array is empty for an append without an id. It has two receipts if the
  ///   append merges a draft and has a command id.
  public func receipts(_ receipt: Receipt) -> [(commandID: String, receipt: Receipt)] {
    var all: [(commandID: String, receipt: Receipt)] = []
    if let commandID { all.append((commandID, receipt.of(use))) }
    if let draft = endingDraft, draft.id != commandID { all.append((draft.id, receipt.of(draft.use))) }
    return all
  }
}

extension DraftPlace {
  /// The use that is recorded for a draft's id, and for the id that is passed to the draft's merge.
  ///
  /// The use contains the draft's id, because an erasure deletes digests. Without the id, a later draft with the same
  /// name could then be mistaken for this draft.
  var use: CommandUse { CommandUse(call: "the merge of the draft \(JSONValue.quoted(name)) (\(id))", digest: nil) }
}
