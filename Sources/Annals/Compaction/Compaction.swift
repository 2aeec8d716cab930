/// What is to be compacted of a log, and what must be equal before and after it.
///
/// A rule says which events of a stream say the same as all of them: the domain's own closing of its books. What you
/// register with `prove` is folded before and after, from what the store then reads. If there is any difference,
/// nothing is changed. ``CompactingStore`` runs it.
public struct Compaction: Sendable {
  /// A part of the work.
  public typealias Step = CompactionStep

  /// The last position that may be compacted, the end of a transaction; nil for the log's last one.
  public var through: Position?
  var rules: [any CompactionRule] = []
  var proofs: [any CompactionProof] = []

  /// Creates a compaction of nothing; add what it is to do.
  ///
  /// - Parameter through: The last position that may be compacted, the end of a transaction; nil for the log's last
  ///   one.
  public init(through: Position? = nil) { self.through = through }

  /// Compacts the streams of a type of events.
  ///
  /// The rule is given the events of a stream in order, brought up to the present schema. It returns those that are to
  /// be left of them, in the same order: as they were given, or ``PastEvent/replaced(by:)`` others. What it returns as
  /// it was given stays to the byte. A stream with an event that cannot be read (unknown, newer, undecodable) is left
  /// as it is, and the receipt says so. Events of other types in the stream stay where they are.
  ///
  /// - Parameters:
  ///   - events: The type of events.
  ///   - rule: Returns what is to be left of a stream's events, none to cut all of them. It is pure: it runs inside the
  ///     transaction.
  public mutating func rewrite<E: Event>(
    _ events: E.Type, _ rule: @escaping @Sendable (StreamName, [PastEvent<E>]) throws -> [PastEvent<E>]
  ) {
    rules.append(StreamRule(rule: rule))
  }

  /// Demands that a projection's rows, and the list that a request makes of them, are equal.
  ///
  /// All rows are compared, even those that the request leaves out, with titles and numbers of sections and the
  /// entities that rows depend on. Then the list is compared, section by section and row by row, in its order.
  ///
  /// - Parameters:
  ///   - projection: Makes the rows.
  ///   - request: Which rows, in which order, cut into which sections.
  public mutating func prove<P: Projection>(_ projection: P, request: FetchRequest<P.Row> = FetchRequest()) {
    proofs.append(ListProof(projection: projection, request: request))
  }

  /// Demands that a decider's states are equal, of each stream in which something is cut or replaced.
  ///
  /// - Parameter decider: The decider.
  public mutating func prove<D: Decider & Equatable>(_ decider: D.Type) { proofs.append(StreamProof<D>()) }

  /// Demands that a decider's states are equal inside some boundaries.
  ///
  /// - Parameters:
  ///   - decider: The decider.
  ///   - commands: The commands whose boundaries are looked at.
  public mutating func prove<D: BoundaryDecider & Equatable>(_ decider: D.Type, for commands: [D.Command]) {
    proofs.append(BoundaryProof<D>(boundaries: commands.map { D.boundary(for: $0) }))
  }

  /// Misses the commands.
  @available(*, unavailable, message: "say inside which boundaries: prove(_:for:) with commands")
  public mutating func prove<D: BoundaryDecider & Equatable>(_ decider: D.Type) {
    preconditionFailure("unavailable")
  }

  /// Adds a rule of another kind.
  package mutating func rewrite(with rule: some CompactionRule) { rules.append(rule) }

  /// Adds a demand of another kind.
  package mutating func prove(with proof: some CompactionProof) { proofs.append(proof) }
}
