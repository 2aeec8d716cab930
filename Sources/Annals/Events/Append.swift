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
  /// What tells the command from every other; a store commits it once, and answers its first receipt ever after.
  public var commandID: String?
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
