/// An event store that can compact its log: fewer events that say the same, after it is proven that they do.
///
/// `Docs/Compaction.md` says what is cut, what stays, and what is proven.
public protocol CompactingStore: EventStore {
  /// Compacts the log, or throws and changes nothing.
  ///
  /// All of it is one transaction: the events are read, what is to be equal is remembered, events are cut and replaced, and what is left
  /// is read by the store's own way of reading and compared. A store leaves the work to ``Compaction/run(in:progress:)``. Positions, versions,
  /// identities and command ids that were given stay given. What was saved of lists and states is made anew. Call
  /// ``compact(_:progress:isolation:)`` instead, which also tells the store's watchers.
  ///
  /// - Parameters:
  ///   - compaction: What to compact, and what must be equal.
  ///   - progress: Called as each part of the work begins; what it throws ends the work, but for the last part, at which the log is
  ///     compacted.
  /// - Returns: What was done.
  /// - Throws: ``CompactionError``, ``EventStoreError``, and what the compaction's rules and `progress` throw; the log is then as it was.
  func commitCompaction(
    _ compaction: Compaction, progress: (Compaction.Step) throws -> Void
  ) throws -> CompactionReceipt
}

/// What a compaction did.
public struct CompactionReceipt: Hashable, Sendable {
  /// A stream of which a rule could not read an event, so that all of it was left as it is.
  public struct LeftAlone: Hashable, Sendable {
    /// The stream.
    public let stream: StreamName
    /// The event that could not be read.
    public let position: Position
    /// Why not.
    public let reason: String
  }

  /// The position up to which the log's history is compacted now: that of this compaction, or of an earlier one if this one changed
  /// nothing; 0 if nothing ever was.
  public let horizon: Position
  /// The number of events that were cut.
  public let cut: Int
  /// The number of events in whose place others stand now.
  public let replaced: Int
  /// The number of events that the log has now.
  public let remaining: Int
  /// The streams that were left as they are because an event in them could not be read, in the order of their names.
  public let leftAlone: [LeftAlone]
  /// The bytes of the log's files before and after; nil of a store without files.
  public let bytes: Bytes?
  /// Why the files did not get shorter, and what to do; nil if they did, or if there was no reason to.
  public let remnants: String?

  /// The bytes of a log's files.
  public struct Bytes: Hashable, Sendable {
    /// The bytes before the compaction.
    public let before: Int
    /// The bytes after it.
    public let after: Int

    /// Creates what a store measured.
    ///
    /// - Parameters:
    ///   - before: The bytes before the compaction.
    ///   - after: The bytes after it.
    public init(before: Int, after: Int) { (self.before, self.after) = (before, after) }
  }

  /// True if no event was cut or replaced: every rule returned what it was given.
  public var isUnchanged: Bool { cut == 0 && replaced == 0 }

  /// The same receipt, with what a store knows of its files.
  ///
  /// - Parameters:
  ///   - bytes: The bytes before and after.
  ///   - remnants: Why the files did not get shorter, and what to do; nil if they did.
  /// - Returns: The receipt.
  public func with(bytes: Bytes?, remnants: String?) -> CompactionReceipt {
    CompactionReceipt(
      horizon: horizon, cut: cut, replaced: replaced, remaining: remaining, leftAlone: leftAlone, bytes: bytes,
      remnants: remnants)
  }
}

extension CompactingStore {
  /// Compacts the log after it is proven that what is left says the same, and tells those who watch the store.
  ///
  ///     var compaction = Compaction()
  ///     compaction.rewrite(AccountEvent.self) { stream, events in
  ///       guard let first = events.first else { return [] }
  ///       return [first.replaced(by: .opened(balance: balance(of: events)))]
  ///     }
  ///     compaction.prove(Balances())
  ///     compaction.prove(Account.self)
  ///     let receipt = try store.compact(compaction)
  ///
  /// Appends wait as long as it takes.
  ///
  /// - Parameters:
  ///   - compaction: What to compact, and what must be equal.
  ///   - progress: Called as each part of the work begins; what it throws ends the work, but for the last part, at which the log is
  ///     compacted.
  ///   - isolation: The caller's isolation; leave it to its default.
  /// - Returns: What was done.
  /// - Throws: ``CompactionError``, ``EventStoreError``, and what the compaction's rules and `progress` throw; the log is then as it was.
  /// - Complexity: O(n log n) for n events, and memory for the rows of the lists, twice.
  @discardableResult
  public func compact(
    _ compaction: Compaction, progress: (Compaction.Step) throws -> Void = { _ in },
    isolation: isolated (any Actor)? = #isolation
  ) throws -> CompactionReceipt {
    let receipt = try commitCompaction(compaction, progress: progress)
    if !receipt.isUnchanged { signal.announce(from: isolation) }
    return receipt
  }
}
