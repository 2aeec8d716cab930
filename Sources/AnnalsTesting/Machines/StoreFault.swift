/// A description of a failing call to a ``FaultyStore`` or a ``MemoryRemoteStore``: which call fails, in which way, and
/// whether later calls fail, too.
public struct StoreFault: Hashable, Sendable, CustomStringConvertible {
  /// The kinds of calls to a store.
  public enum Call: String, Hashable, Sendable, CaseIterable {
    /// A commit of events.
    case append
    /// A call to the log during a read.
    case read
    /// A call that reads, sets or deletes a checkpoint, or that reads or changes the progress of remote followers.
    case checkpoint
    /// A call that reads, saves or deletes deciders' snapshots.
    case snapshot
    /// A call that reads or changes drafts.
    case draft
    /// A call that reads or changes saved lists or their pages.
    case savedList
    /// An erasure of personal values, a check whether the log contains personal values, or a read of a remote log's
    /// erasures.
    case erasure
    /// A compaction, or a read of a remote log's compactions.
    case compaction

    /// The kind with its article, for error messages.
    var phrase: String { "\("ae".contains(rawValue.prefix(1)) ? "an" : "a") \(rawValue)" }
  }

  /// The ways in which a call can fail.
  public enum Way: String, Hashable, Sendable, CaseIterable {
    /// The call has no effect.
    ///
    /// The error of a ``FaultyStore`` has the code `io`, as if a disk were full. The error of a ``MemoryRemoteStore``
    /// has the code `unreachable`.
    case notDone
    /// The call has no effect, and the error has the code `busy`, as if another process had locked the log.
    case busy
    /// The call takes effect, but throws an error, as if the response had been lost.
    ///
    /// The error of a ``FaultyStore`` has the code `io`. If a ``MemoryRemoteStore`` loses the response to an append,
    /// the error has the code `unknownOutcome`. For other calls, the code is `unreachable`. A program can't find out
    /// from the error whether the call took effect. But it can safely re-execute a command that has an ID.
    case answerLost
  }

  /// The kind of the call, or `nil` for a call of any kind.
  public let call: Call?
  /// The number of the call among all calls to the store, starting with 1.
  public let number: Int
  /// The way in which the call fails.
  public let way: Way
  /// Whether all later calls fail, too.
  ///
  /// The later calls fail until the store's method `mend()` removes the fault, or `fail(_:)` replaces it.
  /// ``FaultyStore/check(on:ways:steps:fileID:line:start:answer:)`` removes the fault at the end of the step.
  public let lasts: Bool

  /// Creates a fault.
  ///
  /// - Parameters:
  ///   - call: The kind of the call, or `nil` for a call of any kind.
  ///   - number: The number of the call among all calls to the store, starting with 1. If the call with this number is
  ///     of another kind, the next call of the given kind fails. By default, the next call of the given kind fails.
  ///   - way: The way in which the call fails.
  ///   - lasts: True if all later calls fail, too, until the fault is removed or replaced.
  public init(_ call: Call? = nil, number: Int = 1, way: Way, lasts: Bool = false) {
    self.call = call
    self.number = number
    self.way = way
    self.lasts = lasts
  }

  /// A description of the fault.
  public var description: String {
    let how =
      switch way {
      case .notDone: "fails without any effect"
      case .busy: "fails because another process holds the log"
      case .answerLost: "succeeds but its result is lost"
      }
    let kind = call.map { " (\($0.rawValue))" } ?? ""
    return "call \(number)\(kind) \(how)\(lasts ? ", and all later calls in the step fail" : "")"
  }
}
