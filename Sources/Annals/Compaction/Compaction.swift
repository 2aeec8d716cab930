/// A compaction of a log: the rules for its events, and the lists and states that must be equal before and after the
/// compaction.
///
/// A rule replaces the events of a stream with fewer events that have the same meaning. For example, an event with an
/// account's balance replaces the account's past payments. The lists and deciders that you register with `prove` are
/// built twice: from the events before the compaction and from the events after it. If the two results differ, the log
/// stays unchanged. A `CompactingStore` runs the compaction.
public struct Compaction: Sendable {
  /// A step of a compaction, which is passed to the `progress` closure when the step begins.
  public typealias Step = CompactionStep

  /// The last position that may be compacted, or `nil` for the log's last position.
  ///
  /// The position must be the end of a transaction.
  public var through: Position?
  var rules: [any CompactionRule] = []
  var removals: [StreamRemoval] = []
  var proofs: [any CompactionProof] = []

  /// Creates a compaction without any rules, lists or states.
  ///
  /// - Parameter through: The last position that may be compacted, or `nil` for the log's last position. The position
  ///   must be the end of a transaction.
  public init(through: Position? = nil) { self.through = through }

  /// Compacts all streams that contain events of one type.
  ///
  /// The rule gets the events of a stream in order, upcast to the current schema. The rule returns the events to keep,
  /// in the same order. It can return events unchanged, or replace them with ``Compaction/Candidate/replaced(by:)``.
  /// Unchanged events are kept byte for byte. A stream with an unreadable event (unknown, newer or undecodable) stays
  /// unchanged, and the receipt lists the stream. Events of other types in the stream are kept.
  ///
  /// - Parameters:
  ///   - events: The type of the events.
  ///   - rule: A closure that returns the events to keep from a stream, or an empty array to remove them all. The
  ///     closure must be pure, because it runs inside the transaction.
  public mutating func rewrite<E: Event>(
    _ events: E.Type,
    _ rule: @escaping @Sendable (StreamName, [Compaction.Candidate<E>]) throws -> [Compaction.Candidate<E>]
  ) {
    rules.append(StreamRule(rule: rule))
  }

  /// Removes a stream with all its events, so that the stream can be recreated.
  ///
  ///     var removal = Compaction()
  ///     removal.removeStream(Order.stream("17"), allowing: ["Orders"])
  ///     removal.prove(Orders())
  ///     removal.prove(Order.self)
  ///     let references = try store.rehearse(removal).references
  ///     try store.compact(removal)
  ///
  /// Without the stream's events, the registered lists and decider states can change. The receipt's `references`
  /// contain every such change, with the name of the list or decider. A change prevents the removal, unless `names`
  /// contains this name. The state of the removed stream itself isn't compared. A saved draft with commands for the
  /// stream also prevents the removal, unless `names` contains the draft's name. `EventStore.rehearse(_:progress:)`
  /// returns all references without changing the log.
  ///
  /// After the removal, the stream has version 0. The ids of the removed events stay in use, so new events can't have
  /// these ids. A compaction that removes streams can't contain rules. It compacts the log through the end of the
  /// transaction with the last removed event.
  ///
  /// - Parameters:
  ///   - stream: The name of the stream, which must contain at least one event.
  ///   - expected: The version that the stream must have, for example the version at the time of a dry run.
  ///   - names: The names of the lists and deciders that may change, and of the drafts that may refer to the stream.
  ///     The `name` of a reference is such a name. You can leave out the module of a list or decider. If no registered
  ///     list or decider reads a removed event, also add the name of the event's type.
  public mutating func removeStream(
    _ stream: StreamName, expecting expected: ExpectedVersion = .any, allowing names: Set<String> = []
  ) {
    removals.append(StreamRemoval(stream, expecting: expected, allowing: names))
  }

  /// Requires that a projection's rows, and the list for a request, are equal before and after the compaction.
  ///
  /// The compaction compares all rows, even rows that the request filters out. It also compares the sections' titles
  /// and numbers, and the entities that rows depend on. In addition, it compares the list for the request, section by
  /// section and row by row, in the list's order.
  ///
  /// - Parameters:
  ///   - projection: The projection that builds the rows.
  ///   - request: The request with the list's filter, sort keys and sections.
  public mutating func prove<P: Projection>(_ projection: P, request: ListRequest<P.Row> = ListRequest()) {
    proofs.append(ListProof(projection: projection, request: request))
  }

  /// Requires that, for every changed stream, the decider's state is equal before and after the compaction.
  ///
  /// A changed stream is a stream in which the compaction removes or replaces events.
  ///
  /// - Parameter decider: The decider type.
  public mutating func prove<D: Decider & Equatable>(_ decider: D.Type) { proofs.append(StreamProof<D>()) }

  /// Requires that, for the boundaries of some commands, a decider's states are equal before and after the compaction.
  ///
  /// A ``BoundaryDecider`` has a separate state for every boundary. To select a boundary, pass a command with this
  /// boundary.
  ///
  /// - Parameters:
  ///   - decider: The decider type.
  ///   - commands: The commands that select the boundaries (``BoundaryDecider/boundary(for:)``).
  public mutating func prove<D: BoundaryDecider & Equatable>(_ decider: D.Type, for commands: [D.Command]) {
    proofs.append(BoundaryProof<D>(boundaries: commands.map { D.boundary(for: $0) }))
  }

  /// Unavailable: pass commands to select the boundaries, as in `prove(_:for:)`.
  @available(*, unavailable, message: "a boundary depends on a command. Pass commands with prove(_:for:)")
  public mutating func prove<D: BoundaryDecider & Equatable>(_ decider: D.Type) {
    preconditionFailure("unavailable")
  }

  /// Adds a rule of another kind.
  package mutating func rewrite(with rule: some CompactionRule) { rules.append(rule) }

  /// Adds a proof of another kind.
  package mutating func prove(with proof: some CompactionProof) { proofs.append(proof) }
}
