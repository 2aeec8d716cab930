public import Annals

/// The compaction of an app's events, for a tool that compacts logs.
///
///     ReplayCompaction { end in
///       var compaction = Compaction(through: end)
///       compaction.rewrite(BookEvent.self) { _, events in … }
///       compaction.prove(Shelves())
///       return compaction
///     }
public struct ReplayCompaction: ReplayPart {
  private let make: @Sendable (Position?) -> Compaction

  /// Creates the part; of several in a tool the last one counts.
  ///
  /// - Parameter make: Makes the compaction: its rules and its proofs. It is given the last position that may be
  ///   compacted, nil for the log's last one.
  public init(_ make: @escaping @Sendable (Position?) -> Compaction) { self.make = make }

  /// Adds the compaction to what a tool knows.
  ///
  /// - Parameter catalog: What the tool knows.
  public func register(in catalog: inout ReplayCatalog) { catalog.compaction = make }
}
