public import Annals

/// A tool part that compacts logs by your app's rules.
///
///     ReplayCompaction { end in
///       var compaction = Compaction(through: end)
///       compaction.rewrite(BookEvent.self) { _, events in … }
///       compaction.prove(Shelves())
///       return compaction
///     }
public struct ReplayCompaction: ReplayPart {
  private let make: @Sendable (Position?) -> Compaction

  /// Creates the part.
  ///
  /// If a tool has several compactions, it uses the last one.
  ///
  /// - Parameter make: A closure that returns the compaction with its rules and proofs. Its argument is the last
  ///   position to compact, or `nil` for the log's end.
  public init(_ make: @escaping @Sendable (Position?) -> Compaction) { self.make = make }

  /// Adds the compaction to a tool's catalog.
  ///
  /// - Parameter catalog: The tool's catalog.
  public func register(in catalog: inout ReplayCatalog) { catalog.compaction = make }
}
