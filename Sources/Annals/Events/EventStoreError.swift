/// Why a store could not do what it was asked; nothing of the request was done.
public struct EventStoreError: Error, Sendable, CustomStringConvertible {
  /// The kinds of failure.
  public enum Code: Hashable, Sendable {
    /// A stream is not at the version that the writer expected.
    case versionConflict(stream: StreamName, expected: ExpectedVersion, found: Int)
    /// An event that a condition forbids has been appended.
    case conditionConflict(after: Position, found: Position)
    /// An event with this identity is in the log already.
    case duplicateEvent(EventID, at: Position)
    /// The append itself is not one: an empty name, a schema number below 1, text that SQLite or JSON cannot hold.
    case invalidAppend
    /// A command kept meeting conflicts, and the bounded number of tries is used up.
    case tooManyConflicts(attempts: Int)
    /// A file is no event log, or belongs to another application.
    case notALog
    /// A file, or an event in it, is damaged.
    case corrupt
    /// A file was written in a newer format than this library reads.
    case newerFormat(found: Int, supported: Int)
    /// The file is not there.
    case notFound
    /// The store was opened for reading only.
    case readOnly
    /// Reading or writing failed in the system: no space, no permission, a broken disk.
    case io
    /// The store was closed.
    case closed
    /// Another process held the log for longer than the store waits.
    case busy
    /// The log's file was removed, or another one stands in its place.
    case replaced
    /// The history up to a position was compacted, and what was asked for would need it.
    case compacted(through: Position)
  }

  /// The kind of failure.
  public let code: Code
  /// What happened: what was expected, what was found, where, what to do.
  public let message: String

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: The kind of failure.
  ///   - message: What happened, as a sentence that stands alone.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message.
  public var description: String { message }

  /// True if trying the whole command again may succeed.
  public var isConflict: Bool {
    switch code {
    case .versionConflict, .conditionConflict: true
    default: false
    }
  }
}

extension EventStoreError {
  /// A stream is not at the expected version.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - expected: What the writer expected.
  ///   - found: The stream's version.
  /// - Returns: The error.
  public static func versionConflict(stream: StreamName, expected: ExpectedVersion, found: Int) -> EventStoreError {
    EventStoreError(
      .versionConflict(stream: stream, expected: expected, found: found),
      "stream \"\(stream)\": expected \(expected), found version \(found); read it again and decide anew")
  }

  /// An event that a condition forbids has been appended.
  ///
  /// - Parameters:
  ///   - position: The position that the writer had read up to.
  ///   - found: The first event in the way.
  /// - Returns: The error.
  public static func conditionConflict(after position: Position, found: Position) -> EventStoreError {
    EventStoreError(
      .conditionConflict(after: position, found: found),
      "expected no matching event after position \(position), found one at \(found); read again and decide anew")
  }

  /// The history after a condition's position was compacted, so that it cannot be told whether an event is in the way.
  ///
  /// - Parameters:
  ///   - position: The position that the writer had read up to.
  ///   - horizon: The position up to which the history was compacted.
  /// - Returns: The error, a conflict: whoever reads again knows what is left.
  public static func conditionConflict(after position: Position, compactedThrough horizon: Position) -> EventStoreError
  {
    EventStoreError(
      .conditionConflict(after: position, found: horizon),
      "expected no matching event after position \(position), and the history up to \(horizon) was compacted meanwhile, so "
        + "that nobody can tell; read again and decide anew")
  }

  /// An event with this identity is in the log already.
  ///
  /// - Parameters:
  ///   - id: The identity.
  ///   - position: Where the log has it.
  /// - Returns: The error.
  public static func duplicateEvent(_ id: EventID, at position: Position) -> EventStoreError {
    EventStoreError(
      .duplicateEvent(id, at: position),
      "event \(id) is in the log already, at position \(position); an event's id may be used once")
  }

  /// The append itself is not one.
  ///
  /// - Parameter message: What is wrong with it.
  /// - Returns: The error.
  public static func invalidAppend(_ message: String) -> EventStoreError {
    EventStoreError(.invalidAppend, message)
  }
}
