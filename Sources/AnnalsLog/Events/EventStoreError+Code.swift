extension EventStoreError {
  /// A kind of failure.
  ///
  /// Later versions and custom stores may add more kinds.
  public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The code's name, such as `busy`.
    public let rawValue: String

    /// Creates a code for a custom store, if no code of ``EventStoreError`` describes the failure.
    ///
    /// - Parameter rawValue: The code's name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The code's name.
    public var description: String { rawValue }

    /// A stream doesn't have the version that the writer expected, so the store appended no events.
    public static let versionConflict = Code(rawValue: "versionConflict")
    /// The append's ``Append/Condition`` isn't met or can't be checked, so the store appended no events.
    ///
    /// The condition isn't met if an event in the log violates it. The condition can't be checked if the log was
    /// compacted beyond the condition's position.
    public static let conditionConflict = Code(rawValue: "conditionConflict")
    /// The log already contains an event with the same identity (``EventID``) as a new event.
    public static let duplicateEvent = Code(rawValue: "duplicateEvent")
    /// A command's id was already used for a different call.
    ///
    /// The receipt of the first call doesn't describe the second call, so the store throws instead of returning it.
    public static let commandReused = Code(rawValue: "commandReused")
    /// The append is malformed, for example because of an empty name, a schema number below 1, or a string that SQLite
    /// or JSON can't hold.
    public static let invalidAppend = Code(rawValue: "invalidAppend")
    /// The decider returned different events for the same command in the same state.
    ///
    /// Such a decider reads, for example, the clock, a random number or a global variable. Pass such values in the
    /// command instead. A branch calls `decide` for its commands whenever the log under the branch (the branch's base)
    /// changes. With such a decider, the branch's events could then change, although no command was executed and the
    /// state is the same. In a debug build, a branch therefore calls `decide` twice for every command, and compares the
    /// results. In a release build, a branch calls `decide` only once. In tests, `ensureDecidesEqually` of
    /// AnnalsTesting finds such deciders.
    public static let unequalDecision = Code(rawValue: "unequalDecision")
    /// A command was retried because of conflicts until it reached the maximum number of attempts.
    public static let tooManyConflicts = Code(rawValue: "tooManyConflicts")
    /// The store doesn't support the requested feature, such as saved lists or the erasure of personal values.
    public static let unsupported = Code(rawValue: "unsupported")
    /// A file isn't an event log, or belongs to another application.
    public static let notALog = Code(rawValue: "notALog")
    /// A file, or an event in it, is damaged.
    public static let corrupt = Code(rawValue: "corrupt")
    /// A file has a newer format than this library can read.
    public static let newerFormat = Code(rawValue: "newerFormat")
    /// A log on a server has an older format than this library uses, and the store's options don't allow a migration.
    public static let olderFormat = Code(rawValue: "olderFormat")
    /// The log's file, or another requested item, doesn't exist.
    public static let notFound = Code(rawValue: "notFound")
    /// The store was opened as read-only, so it can't write.
    public static let readOnly = Code(rawValue: "readOnly")
    /// The operating system failed to read or write, for example because the disk is full or broken, or because the
    /// process lacks a permission.
    public static let io = Code(rawValue: "io")
    /// The store was closed, or a branch can't be used any more, for example because it was merged or discarded.
    public static let closed = Code(rawValue: "closed")
    /// The store accepts no writes until it is resumed, because the app is about to be suspended.
    public static let suspended = Code(rawValue: "suspended")
    /// The log is in use, for example because another process locked it for longer than the store waits.
    public static let busy = Code(rawValue: "busy")
    /// Another runner, in this or another process, handles the events of the same follower.
    public static let followerBusy = Code(rawValue: "followerBusy")
    /// A follower's saved position changed while the follower handled events, so these events might have been handled
    /// twice.
    public static let followerMoved = Code(rawValue: "followerMoved")
    /// The log's file was removed, or the log was replaced with another log or an older backup.
    public static let replaced = Code(rawValue: "replaced")
    /// The request needs events that were removed by a compaction.
    public static let compacted = Code(rawValue: "compacted")
    /// The log's existing events changed after some of them had been read.
    ///
    /// The cause is an erasure or a compaction. If the log is a `Branch`, the cause can also be that the branch called
    /// `decide` for its commands with a newer state, and replaced the commands' events.
    public static let rewritten = Code(rawValue: "rewritten")
  }
}
