public import AnnalsLog
public import Foundation

/// A stream that a ``RemoteFollower`` has quarantined, because it couldn't decode or handle one of the stream's events.
///
/// The stream's later events wait, in order, until you retry the event (``RemoteFollower/retry(_:)``) or skip it
/// (``RemoteFollower/skip(_:)``). The follower still handles the events of other streams.
public struct QuarantinedStream: Hashable, Sendable {
  /// The stream.
  public let stream: StreamName
  /// The position of the event that couldn't be decoded or handled.
  public let position: Position
  /// The position through which the stream's events have been handled.
  public let after: Position
  /// True if the follower will resume the stream, because a retry or a skip of the event was requested.
  public let isResumed: Bool
  /// The number of times that the follower's code was called with the event, or 0 if the event couldn't be decoded.
  public let attempts: Int
  /// The error's description, shortened to 2,000 characters.
  ///
  /// The description can quote values from the events' payloads.
  public let error: String
  /// The time at which the stream was quarantined, by the clock of the worker (the follower's running instance).
  public let time: Date

  /// Creates a quarantined stream, for use in a custom store.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - position: The position of the event that couldn't be decoded or handled.
  ///   - after: The position through which the stream's events have been handled.
  ///   - isResumed: True if the follower will resume the stream, because a retry or a skip was requested.
  ///   - attempts: The number of times that the follower's code was called with the event.
  ///   - error: The error's description, which this initializer shortens to 2,000 characters.
  ///   - time: The time at which the stream was quarantined.
  public init(
    stream: StreamName, position: Position, after: Position, isResumed: Bool = false, attempts: Int, error: String,
    time: Date
  ) {
    self.stream = stream
    self.position = position
    self.after = after
    self.isResumed = isResumed
    self.attempts = attempts
    self.error = String(error.prefix(2_000))
    self.time = time
  }

  /// Returns a copy of this value with different values of ``after`` and ``isResumed``.
  ///
  /// A follower saves such copies as its progress while it handles the waiting events of a resumed stream.
  ///
  /// - Parameters:
  ///   - after: The position through which the stream's events have been handled.
  ///   - isResumed: True if the follower will resume the stream, because a retry or a skip was requested.
  /// - Returns: The updated copy.
  public func done(upTo after: Position, isResumed: Bool) -> QuarantinedStream {
    QuarantinedStream(
      stream: stream, position: position, after: after, isResumed: isResumed, attempts: attempts, error: error,
      time: time)
  }
}

/// The progress that a worker has made in a partition since its last save.
///
/// A worker is one running instance of a ``RemoteFollower``, and a partition consists of some of the log's streams. The
/// worker saves its progress with ``RemoteCheckpointStore/save(_:under:)``.
public struct FollowerProgress: Hashable, Sendable {
  /// The position through which the partition's events have been handled or quarantined.
  public var position: Position
  /// The streams that were quarantined since the last save, and quarantined streams that have changed since then.
  ///
  /// If the store already contains a value for the same stream, the new value replaces the old value.
  public var setAside: [QuarantinedStream]
  /// The streams that are no longer quarantined.
  public var settled: [StreamName]

  /// Creates a worker's progress.
  ///
  /// - Parameters:
  ///   - position: The position through which the partition's events have been handled or quarantined.
  ///   - setAside: The streams that were quarantined since the last save, and quarantined streams that have changed
  ///     since then.
  ///   - settled: The streams that are no longer quarantined.
  public init(position: Position, setAside: [QuarantinedStream] = [], settled: [StreamName] = []) {
    self.position = position
    self.setAside = setAside
    self.settled = settled
  }
}
