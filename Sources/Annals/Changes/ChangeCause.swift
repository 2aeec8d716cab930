/// Why a list changed; several reasons where several changes were composed.
public struct ChangeCause: OptionSet, Hashable, Sendable, CustomStringConvertible {
  /// The reasons as bits.
  public let rawValue: UInt16

  /// Creates a set of reasons from its bits.
  ///
  /// - Parameter rawValue: The bits.
  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// Events were appended.
  public static let events = ChangeCause(rawValue: 1)
  /// You went to another position in time.
  public static let seek = ChangeCause(rawValue: 2)
  /// The fetch request changed.
  public static let request = ChangeCause(rawValue: 4)
  /// Sections were collapsed or expanded.
  public static let collapse = ChangeCause(rawValue: 8)

  /// Something was erased from the log.
  public static let erasure = ChangeCause(rawValue: 16)

  /// The log was compacted, and what is left leads to another list, because the compaction had no proof for this one.
  public static let compaction = ChangeCause(rawValue: 32)

  /// The list of a former version of the projection had stood in.
  public static let version = ChangeCause(rawValue: 64)

  /// A part of the saved list was lost, and the list was made again from the events: all is deleted and inserted.
  public static let repair = ChangeCause(rawValue: 128)

  /// The commands of a ``Branch`` were decided again, because its base has grown or because one of them was left out.
  public static let rebase = ChangeCause(rawValue: 256)

  /// The reasons of a change for one who knows a list of another position than that where it began.
  ///
  /// Of changes that come to nothing no one is notified. If the next batch leads back, one of them was a seek: nothing
  /// else leads back but a branch that is decided again, and that is said with the next batch.
  func leading(from known: Position, to end: Position) -> ChangeCause {
    end < known && !contains(.rebase) ? union(.seek) : self
  }

  /// The reasons in words.
  public var description: String {
    let words = [
      (ChangeCause.events, "events"), (.seek, "seek"), (.request, "request"), (.collapse, "collapse"),
      (.erasure, "erasure"), (.compaction, "compaction"), (.version, "version"),
      (.repair, "repair"), (.rebase, "rebase"),
    ]
    return words.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
  }
}
