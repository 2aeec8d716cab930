extension EventStoreError {
  /// A kind of failure; later versions may add some, and so may a store of yours.
  public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The code's name, such as `busy`.
    public let rawValue: String

    /// Creates a code: one of a store of yours, which no code of ``EventStoreError`` fits.
    ///
    /// - Parameter rawValue: The code's name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The code's name.
    public var description: String { rawValue }

    /// A stream is not at the version that the writer expected.
    public static let versionConflict = Code(rawValue: "versionConflict")
    /// An event that a condition forbids has been appended.
    public static let conditionConflict = Code(rawValue: "conditionConflict")
    /// An event with this identity is in the log already.
    public static let duplicateEvent = Code(rawValue: "duplicateEvent")
    /// A command's id was used for another call before.
    public static let commandReused = Code(rawValue: "commandReused")
    /// The append itself is not one: an empty name, a schema number below 1, text that SQLite or JSON cannot hold.
    public static let invalidAppend = Code(rawValue: "invalidAppend")
    /// A command kept meeting conflicts, and the bounded number of tries is used up.
    public static let tooManyConflicts = Code(rawValue: "tooManyConflicts")
    /// The store does not offer what was asked for: to keep saved lists, say, or to erase personal values.
    public static let unsupported = Code(rawValue: "unsupported")
    /// A file is no event log, or belongs to another application.
    public static let notALog = Code(rawValue: "notALog")
    /// A file, or an event in it, is damaged.
    public static let corrupt = Code(rawValue: "corrupt")
    /// A file was written in a newer format than this library reads.
    public static let newerFormat = Code(rawValue: "newerFormat")
    /// The file is not there.
    public static let notFound = Code(rawValue: "notFound")
    /// The store was opened for reading only.
    public static let readOnly = Code(rawValue: "readOnly")
    /// Reading or writing failed in the system: no space, no permission, a broken disk.
    public static let io = Code(rawValue: "io")
    /// The store was closed.
    public static let closed = Code(rawValue: "closed")
    /// Another process held the log for longer than the store waits.
    public static let busy = Code(rawValue: "busy")
    /// The log's file was removed, or another one stands in its place.
    public static let replaced = Code(rawValue: "replaced")
    /// The history up to a position was compacted, and what was asked for would need it.
    public static let compacted = Code(rawValue: "compacted")
    /// The log was compacted, or something was erased from it, while it was read step by step.
    public static let rewritten = Code(rawValue: "rewritten")
  }
}
