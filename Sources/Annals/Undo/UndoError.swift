public import Foundation

/// An error that an ``UndoHistory`` throws if an undo or a redo fails.
///
/// The log is then unchanged, and so are the steps that can be undone or redone.
///
/// `Docs/Errors.md` lists the causes and remedies of every code.
public struct UndoError: LocalizedError, Sendable, CustomStringConvertible {
  /// A kind of failure.
  ///
  /// Later versions of this library may add more kinds.
  public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The code's name.
    public let rawValue: String

    /// Creates a custom code.
    ///
    /// - Parameter rawValue: The code's name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The code's name.
    public var description: String { rawValue }

    /// The author has no step to undo.
    public static let nothingToUndo = Code(rawValue: "nothingToUndo")
    /// The author has no step to redo.
    public static let nothingToRedo = Code(rawValue: "nothingToRedo")
    /// A command that reverses the step is refused by its decider in the current state.
    ///
    /// ``UndoError/underlying`` contains the reason.
    public static let refused = Code(rawValue: "refused")
    /// The commands that reverse the step produce no events, because the step's effect no longer exists.
    public static let withoutEffect = Code(rawValue: "withoutEffect")
    /// The decider returns no commands that reverse the step, for example because a personal value was erased.
    public static let irreversible = Code(rawValue: "irreversible")
    /// The events that are required to reverse the step can no longer be read, or the step's boundary can't be read.
    ///
    /// If an event can't be read, ``UndoError/underlying`` contains the reason.
    public static let unreadable = Code(rawValue: "unreadable")
    /// The ``UndoHistory`` was created without the decider that handled the step's commands.
    public static let unknownDecider = Code(rawValue: "unknownDecider")
    /// The step was already undone or redone, for example in another window, on another device or in a concurrent call.
    public static let alreadyReversed = Code(rawValue: "alreadyReversed")
    /// The step isn't one of the steps that this history can undo or redo.
    ///
    /// Possible reasons are that a newer step cleared the steps to redo, that the step's events were compacted, or that
    /// the step belongs to another author.
    public static let notFound = Code(rawValue: "notFound")
  }

  /// The kind of failure.
  public let code: Code
  /// A message that describes the expected value, the actual value, where they differ, and how to fix the problem.
  public let message: String
  /// The step that couldn't be undone or redone, or `nil` if the error isn't about a specific step.
  public let step: UndoHistory.Step?
  /// The error that caused this error, or `nil`.
  ///
  /// If the code is `refused`, this is the error that the decider threw. If the code is `unreadable` because an
  /// event can't be read, this is the error from reading the event. Otherwise, the value is `nil`.
  public let underlying: (any Error)?

  init(_ code: Code, _ message: String, _ step: UndoHistory.Step? = nil, underlying: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.step = step
    self.underlying = underlying
  }

  /// The message.
  public var description: String { message }

  /// The ``description``, which Foundation returns as the error's `localizedDescription`.
  public var errorDescription: String? { description }
}
