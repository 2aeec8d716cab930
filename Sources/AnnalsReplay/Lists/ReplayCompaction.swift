public import Annals

/// A ``ReplayTool`` component that compacts logs according to your app's rules.
///
///     ReplayCompaction { end in
///       var compaction = Compaction(through: end)
///       compaction.rewrite(BookEvent.self) { _, events in … }
///       compaction.prove(Shelves())
///       return compaction
///     }
public struct ReplayCompaction: ReplayPart {
  private let make: @Sendable (Position?) -> Compaction

  /// Creates the component.
  ///
  /// If a ``ReplayTool`` has several `ReplayCompaction` components, the tool uses the last of them.
  ///
  /// - Parameter make: A closure that returns the compaction, with its rules and with the lists and states that must
  ///   not change. The closure's argument is the last position to compact, or `nil` for the log's end.
  public init(_ make: @escaping @Sendable (Position?) -> Compaction) { self.make = make }

  /// Adds the compaction to a tool's catalog, so that the tool can compact logs.
  ///
  /// - Parameter catalog: The tool's catalog.
  public func register(in catalog: inout ReplayCatalog) { catalog.compaction = make }
}
