/// Why nothing was undone or redone; the log is as it was, and the step is where it was.
public struct UndoError: Error, Sendable, CustomStringConvertible {
  /// A kind of failure; later versions may add some.
  public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The name.
    public let rawValue: String

    /// Creates one that is none of those below.
    ///
    /// - Parameter rawValue: The name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The name.
    public var description: String { rawValue }

    /// The actor has nothing to undo.
    public static let nothingToUndo = Code(rawValue: "nothingToUndo")
    /// The actor has nothing to redo.
    public static let nothingToRedo = Code(rawValue: "nothingToRedo")
    /// A decider refuses what would take the step back, in the state that there is now: see ``UndoError/underlying``.
    public static let refused = Code(rawValue: "refused")
    /// What would take the step back leads to no events: what it did is not there any more.
    public static let withoutEffect = Code(rawValue: "withoutEffect")
    /// The decider says that nothing takes the step back; perhaps since a personal value was erased.
    public static let irreversible = Code(rawValue: "irreversible")
    /// Events that are needed can no longer be read: see ``UndoError/underlying``.
    public static let unreadable = Code(rawValue: "unreadable")
    /// The step was decided by a decider that the history was not given.
    public static let unknownDecider = Code(rawValue: "unknownDecider")
    /// The step was taken back before: by another window, another device, or a call at the same time.
    public static let alreadyReversed = Code(rawValue: "alreadyReversed")
    /// The step cannot be taken back by this history: a newer command has cleared it, it is older than the levels or
    /// the compaction reach, or it is another actor's.
    public static let notFound = Code(rawValue: "notFound")
  }

  /// The kind of failure.
  public let code: Code
  /// What happened: what was expected, what was found, where, what to do.
  public let message: String
  /// The step; nil if there is none.
  public let step: UndoStep?
  /// The decider's rejection (`refused`), or why events cannot be read (`unreadable`).
  public let underlying: (any Error)?

  init(_ code: Code, _ message: String, _ step: UndoStep? = nil, underlying: (any Error)? = nil) {
    (self.code, self.message, self.step, self.underlying) = (code, message, step, underlying)
  }

  /// The message.
  public var description: String { message }
}
