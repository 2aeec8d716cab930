/// Why a command of a kept draft cannot be kept, or cannot be read again; nothing was lost.
public struct DraftError: Error, Hashable, Sendable, CustomStringConvertible {
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

    /// The command is of a decider that the draft was not opened with.
    public static let unknownDecider = Code(rawValue: "unknownDecider")
    /// The command cannot be written as text, or what is read back is not what was written.
    public static let unwritable = Code(rawValue: "unwritable")
    /// The command that was kept can no longer be read as one of its decider's.
    public static let unreadable = Code(rawValue: "unreadable")
    /// The command said something of a subject that was erased.
    public static let erased = Code(rawValue: "erased")
    /// The store's bytes of the command are not as they were written.
    public static let damaged = Code(rawValue: "damaged")
  }

  /// The kind of failure.
  public let code: Code
  /// What happened: what was expected, what was found, where, what to do.
  public let message: String

  init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

  /// The message.
  public var description: String { message }
}
