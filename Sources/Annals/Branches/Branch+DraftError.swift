public import Foundation

extension Branch {
  /// An error for a draft's command that can't be written to the store, or read from the store, without losing data.
  ///
  /// `Docs/Errors.md` lists the causes and remedies of every code.
  public struct DraftError: LocalizedError, Hashable, Sendable, CustomStringConvertible {
    /// A kind of failure.
    ///
    /// Later versions of Annals may add more kinds.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
      /// The code's name.
      public let rawValue: String

      /// Creates a custom code.
      ///
      /// - Parameter rawValue: The code's name.
      public init(rawValue: String) { self.rawValue = rawValue }

      /// The code's name.
      public var description: String { rawValue }

      /// The command's decider isn't among the deciders with which the draft was opened.
      public static let unknownDecider = Code(rawValue: "unknownDecider")
      /// The command can't be encoded, or decoding its encoded form results in a different command.
      public static let unwritable = Code(rawValue: "unwritable")
      /// The stored command can no longer be decoded as a command of its decider.
      public static let unreadable = Code(rawValue: "unreadable")
      /// The command's content was deleted, because it contained values of a person that were erased.
      public static let erased = Code(rawValue: "erased")
      /// The stored bytes of the command have changed since they were written.
      public static let damaged = Code(rawValue: "damaged")
    }

    /// The kind of failure.
    public let code: Code
    /// A message that describes the affected command, the expected value, the actual value, and how to fix the problem.
    public let message: String

    init(_ code: Code, _ message: String) {
      self.code = code
      self.message = message
    }

    /// The message.
    public var description: String { message }

    /// The ``description``, which Foundation returns as the error's `localizedDescription`.
    public var errorDescription: String? { description }
  }
}
