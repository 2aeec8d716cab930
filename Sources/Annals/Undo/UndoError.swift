/// An error for an undo or a redo that failed, and that left the log and the undo and redo stacks unchanged.
public struct UndoError: Error, Sendable, CustomStringConvertible {
  /// A kind of failure.
  ///
  /// Later versions may add more kinds.
  public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The code's name.
    public let rawValue: String

    /// Creates a custom code.
    ///
    /// - Parameter rawValue: The code's name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The code's name.
    public var description: String { rawValue }

    /// The actor has no step to undo.
    public static let nothingToUndo = Code(rawValue: "nothingToUndo")
    /// The actor has no step to redo.
    public static let nothingToRedo = Code(rawValue: "nothingToRedo")
    /// A decider refuses, in the current state, the commands that reverse the step.
    ///
    /// ``UndoError/underlying`` contains the reason.
    public static let refused = Code(rawValue: "refused")
    /// The commands that reverse the step produce no events, because the step's effect no longer exists.
    public static let withoutEffect = Code(rawValue: "withoutEffect")
    /// The decider returns no commands that reverse the step, possibly because a personal value was erased.
    public static let irreversible = Code(rawValue: "irreversible")
    /// The events that are required to reverse the step can no longer be read.
    ///
    /// ``UndoError/underlying`` contains the reason.
    public static let unreadable = Code(rawValue: "unreadable")
    /// The deciders of this history don't include the step's decider.
    public static let unknownDecider = Code(rawValue: "unknownDecider")
    /// The step was already undone or redone by another window, another device, or a concurrent call.
    public static let alreadyReversed = Code(rawValue: "alreadyReversed")
    /// The step isn't on this history's stacks, because a newer step cleared it, because its events were compacted, or
    /// because it belongs to another actor.
    public static let notFound = Code(rawValue: "notFound")
  }

  /// The kind of failure.
  public let code: Code
  /// A message that contains the expected value, the actual value, their place, and how to fix the problem.
  public let message: String
  /// The step, or `nil` if the error isn't about a step.
  public let step: UndoStep?
  /// The decider's rejection (`refused`), or the reason why events can't be read (`unreadable`).
  public let underlying: (any Error)?

  init(_ code: Code, _ message: String, _ step: UndoStep? = nil, underlying: (any Error)? = nil) {
    (self.code, self.message, self.step, self.underlying) = (code, message, step, underlying)
  }

  /// The message.
  public var description: String { message }
}
