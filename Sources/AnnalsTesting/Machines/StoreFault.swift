/// A call of a store that fails: which, how, and for how long.
public struct StoreFault: Hashable, Sendable, CustomStringConvertible {
  /// What an app asks of its store.
  public enum Call: String, Hashable, Sendable, CaseIterable {
    /// A commit of events.
    case append
    /// An answer of the log.
    case read
    /// A checkpoint that is read or kept.
    case checkpoint
    /// A decider's state that is read or kept.
    case snapshot
    /// A call of what keeps drafts.
    case draft
    /// A saved list, or a page of one, that is read or kept.
    case savedList
    /// An erasure, or the question whether there is something to erase.
    case erasure
    /// A compaction.
    case compaction
  }

  /// How a call fails.
  public enum Way: String, Hashable, Sendable, CaseIterable {
    /// Nothing is done, and the error has the code `io`: a full disk, a server that is not there.
    case notDone
    /// Nothing is done, and the error has the code `busy`: another process has the log.
    case busy
    /// Everything is done, and the error has the code `io`: the answer got lost.
    ///
    /// No program can tell this from ``notDone``. A command with an id can be executed again.
    case answerLost
  }

  /// The kind of the call.
  public let call: Call
  /// The number of the call among all calls, the first one is 1.
  public let number: Int
  /// How it fails.
  public let way: Way
  /// True if all calls fail that follow in the same step.
  public let lasts: Bool

  /// Describes a fault.
  ///
  /// - Parameters:
  ///   - call: The kind of the call.
  ///   - number: The number of the call among all calls, 1 or more; if it is of another kind, the next of the kind
  ///     fails.
  ///   - way: How it fails.
  ///   - lasts: True if all calls fail that follow in the same step.
  public init(_ call: Call, number: Int, way: Way, lasts: Bool = false) {
    (self.call, self.number, self.way, self.lasts) = (call, number, way, lasts)
  }

  /// What fails, in words.
  public var description: String {
    let how =
      switch way {
      case .notDone: "fails and does nothing"
      case .busy: "fails because another process has the log"
      case .answerLost: "is done and its answer is lost"
      }
    return "call \(number) (\(call.rawValue)) \(how)\(lasts ? ", and all that follow in the step fail" : "")"
  }
}
