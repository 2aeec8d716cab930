package import AnnalsLog

/// The reasons why a list changed.
public struct ChangeCause: OptionSet, Hashable, Sendable, CustomStringConvertible {
  /// The reasons as a bit mask.
  public let rawValue: UInt16

  /// Creates a set of reasons from a bit mask.
  ///
  /// - Parameter rawValue: The bit mask.
  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// Events were appended.
  public static let events = ChangeCause(rawValue: 1)
  /// A seek, such as `seek(to:)` of a ``FetchedResultsController``, moved the list to another position in the log.
  public static let seek = ChangeCause(rawValue: 2)
  /// The fetch request changed.
  public static let request = ChangeCause(rawValue: 4)
  /// Sections were collapsed or expanded.
  public static let collapse = ChangeCause(rawValue: 8)

  /// Personal data was erased from the log.
  public static let erasure = ChangeCause(rawValue: 16)

  /// The log was compacted, and the remaining events produce a different list.
  ///
  /// To ensure that a compaction doesn't change a list, register the list with ``Compaction/prove(_:request:)``.
  public static let compaction = ChangeCause(rawValue: 32)

  /// A list that was built with the current ``Projection/version`` replaced a list of a former version.
  ///
  /// The list of the former version was shown while the new list was built.
  public static let version = ChangeCause(rawValue: 64)

  /// A part of the saved list was lost, so the list was rebuilt from the events: every row is deleted and reinserted.
  public static let repair = ChangeCause(rawValue: 128)

  /// A ``Branch`` re-decided its commands, because its ``Branch/base`` has new events, or because commands were removed
  /// or reordered.
  ///
  /// To re-decide a command, the branch calls `decide` with the current state, and replaces the command's events. In
  /// the log of a replica, the cause means that `Replica.reclone(isolation:progress:)` replaced all events.
  public static let rebase = ChangeCause(rawValue: 256)

  /// Returns a change's reasons for an observer that knows a list at another position than the change's old list.
  ///
  /// Observers aren't notified of changes that cancel out. If the next batch moves the observer's list backwards, one
  /// of the changes without notification was a seek or a rebase of a branch. The next batch itself reports a rebase
  /// (``rebase``). So if it doesn't, this method adds ``seek``.
  package func leading(from known: Position, to end: Position) -> ChangeCause {
    end < known && !contains(.rebase) ? union(.seek) : self
  }

  /// The names of the reasons.
  public var description: String {
    let words = [
      (ChangeCause.events, "events"), (.seek, "seek"), (.request, "request"), (.collapse, "collapse"),
      (.erasure, "erasure"), (.compaction, "compaction"), (.version, "version"),
      (.repair, "repair"), (.rebase, "rebase"),
    ]
    return words.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
  }
}
