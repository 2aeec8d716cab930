/// A group of new events that a store commits either completely or not at all.
///
/// An append also contains the requirements for the commit, for example the versions that streams must have.
public struct Append: Hashable, Sendable {
  /// A new event and the stream that it is appended to.
  public struct Entry: Hashable, Sendable {
    /// The stream to append to.
    public var stream: StreamName
    /// The event to append.
    public var event: NewEvent

    /// Creates an entry.
    ///
    /// - Parameters:
    ///   - stream: The stream to append to.
    ///   - event: The event to append.
    public init(stream: StreamName, event: NewEvent) {
      self.stream = stream
      self.event = event
    }
  }

  /// A requirement that no event after a given position matches a query.
  ///
  /// If such an event exists, the store refuses the append.
  public struct Condition: Hashable, Sendable {
    /// The query that must not match any event after the position ``after``.
    public var noneMatching: EventQuery
    /// The last position that the writer has read, after which events are checked.
    public var after: Position

    /// Creates a condition.
    ///
    /// - Parameters:
    ///   - noneMatching: The query that must not match any event after the position `after`.
    ///   - after: The last position that the writer has read, after which events are checked.
    public init(noneMatching: EventQuery, after: Position) {
      self.noneMatching = noneMatching
      self.after = after
    }
  }

  /// The new events with their streams, in the order in which they are appended.
  public var entries: [Entry]
  /// The versions that streams must have before the append is committed.
  public var expectations: [StreamName: ExpectedVersion]
  /// The conditions that the log must meet when the append is committed.
  public var conditions: [Condition]
  /// The id of the command that produced the events, or `nil` if the append has no command id.
  ///
  /// A store commits only one append for every command id. If a command is repeated, the store returns the receipt of
  /// the first append.
  public var commandID: String?
  /// The stored draft (see `Branch`) that this append merges into the log, or `nil` if it merges no draft.
  ///
  /// A `DraftVersion` contains the draft's name, identifier and edition. If no stored draft has all three of these
  /// values, the store throws ``EventStoreError/draftChanged(_:)``. Otherwise the store deletes the draft in the
  /// append's transaction. The store also keeps the append's receipt under the draft's identifier, so that a repeated
  /// merge returns this receipt.
  public var endingDraft: DraftVersion?
  /// The origin of the value that ``use`` returns.
  package var useOrigin = UseOrigin.append
  /// The revision that the log must have, or nil for any revision.
  ///
  /// If the log has a different revision, the append is refused with the code `rewritten`.
  package var revision: LogRevision?
  /// The position that a checkpoint must have, or nil for any position.
  ///
  /// A `Replica` requires this position, because another replica could change the same copy of the log. Only this
  /// package's stores check the position.
  package var checkpoint: CheckpointDemand?
  /// The branch's revisions on which the commands were decided, or empty if they aren't known.
  package var decidedOn: [LogRevision] = []

  /// Creates an append.
  ///
  /// - Parameters:
  ///   - entries: The new events with their streams, in the order in which they are appended.
  ///   - expectations: The versions that streams must have before the append is committed.
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

  /// Creates an append to one stream.
  ///
  /// - Parameters:
  ///   - events: The new events, in the order in which they are appended.
  ///   - stream: The stream to append to.
  ///   - expected: The version that the stream must have before the append is committed.
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

  /// A description of the call that uses the command id, or `nil` if the append has no command id.
  ///
  /// The call is, for example, the execution of a command, or the append itself. A store keeps this description with
  /// the receipt, to detect that another call uses the same id.
  ///
  /// A store that wraps another store might modify the events, for example encrypt them. Such a store sets the modified
  /// append's `use` to the `use` of the original append. Otherwise, if the modified events differ when a call is
  /// repeated, the repeated call could be mistaken for another call.
  ///
  /// - Complexity: O(n) for n bytes of events if you created the append with an initializer. O(1) if the append results
  ///   from a command.
  public var use: CommandUse? {
    get {
      switch useOrigin {
      case .append: commandID.map { .append(entries, id: $0) }
      case .given(let use): use
      }
    }
    set { useOrigin = .given(newValue) }
  }

  /// Returns the receipt of the earlier commit if this append was already committed, or `nil` if the append is new.
  ///
  /// A store calls this method in the append's transaction, before any other check. If the result isn't `nil`, the
  /// store returns the receipt instead of committing the append.
  ///
  /// - Parameter receipt: A closure that returns the receipt that is stored under a command id, or `nil` if the id is
  ///   new.
  /// - Returns: The receipt of the earlier commit, with ``Receipt/isRepeated`` true, or `nil` if the append is new.
  /// - Throws: ``EventStoreError`` (`.commandReused` if the id was used for another call), and the errors of the
  ///   closure.
  public func repeated(_ receipt: (_ commandID: String) throws -> Receipt?) throws -> Receipt? {
    // No other program can have added a command to the draft, because the draft was deleted in the transaction of its
    // merge.
    if let draft = endingDraft, let first = try receipt(draft.id) { return first.repeated() }
    guard let commandID, let first = try receipt(commandID) else { return nil }
    return try use.map { try IdentifiedCommand(id: commandID, use: $0).repeated(first) } ?? first.repeated()
  }

  /// Returns the receipts that a store must keep after it has committed this append, each with the id under which the
  /// store keeps it.
  ///
  /// - Parameter receipt: The receipt of the commit.
  /// - Returns: An entry for the append's command id, and an entry for the identifier of the draft that the append
  ///   merges. If both ids are equal, the array contains only one entry. Every entry contains the receipt of the
  ///   commit, with the ``Receipt/use`` of the entry's id. The array is empty if the append has no command id and
  ///   merges no draft.
  public func receipts(_ receipt: Receipt) -> [(commandID: String, receipt: Receipt)] {
    var all: [(commandID: String, receipt: Receipt)] = []
    if let commandID { all.append((commandID, receipt.of(use))) }
    if let draft = endingDraft, draft.id != commandID { all.append((draft.id, receipt.of(draft.use))) }
    return all
  }
}

extension DraftVersion {
  /// The use that is recorded for a draft's id, and for the id that is passed to the draft's merge.
  ///
  /// An erasure deletes digests, so the use also contains the draft's id. Otherwise, a later draft with the same name
  /// could be mistaken for this draft.
  package var use: CommandUse {
    CommandUse(call: "the merge of the draft \(JSONValue.quoted(name)) (\(id))", digest: nil)
  }
}
