public import Foundation

/// A stream that a follower has quarantined, because the follower's code couldn't handle one of the stream's events.
///
/// The stream's later events wait, in order. The events of other streams are still handled.
public struct QuarantinedStream: Hashable, Sendable {
  /// The stream.
  public let stream: StreamName
  /// The position of the event that failed.
  public let position: Position
  /// The position through which the stream's events have been handled.
  public let after: Position
  /// True if you requested a retry or a skip of the event, so that the follower will resume the stream.
  public let isResumed: Bool
  /// The number of times that the code was called with the event, or 0 if the event couldn't be decoded.
  public let attempts: Int
  /// The error's description of at most 2,000 characters, which can quote values from payloads.
  public let error: String
  /// The time of the quarantine, by the worker's clock.
  public let time: Date

  /// Creates a quarantined stream, for use in a custom store.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - position: The position of the event that failed.
  ///   - after: The position through which the stream's events have been handled.
  ///   - isResumed: True if the follower resumes the stream.
  ///   - attempts: The number of times that the code was called with the event.
  ///   - error: The description of the error.
  ///   - time: The time of the quarantine.
  public init(
    stream: StreamName, position: Position, after: Position, isResumed: Bool = false, attempts: Int, error: String,
    time: Date
  ) {
    (self.stream, self.position, self.after, self.isResumed) = (stream, position, after, isResumed)
    (self.attempts, self.error, self.time) = (attempts, String(error.prefix(2_000)), time)
  }

  /// Returns the same quarantined stream with a different handled position and resumption flag.
  ///
  /// - Parameters:
  ///   - after: The position through which the stream's events have been handled.
  ///   - isResumed: True if the follower resumes the stream.
  /// - Returns: The updated stream.
  public func done(upTo after: Position, isResumed: Bool) -> QuarantinedStream {
    QuarantinedStream(
      stream: stream, position: position, after: after, isResumed: isResumed, attempts: attempts, error: error,
      time: time)
  }
}

/// The progress of a worker in a partition since the last save.
public struct FollowerProgress: Hashable, Sendable {
  /// The position through which the partition's events have been handled or quarantined.
  public var position: Position
  /// The quarantined streams that are new or have changed, which replace the stored values of these streams.
  public var setAside: [QuarantinedStream]
  /// The streams that left the quarantine.
  public var settled: [StreamName]

  /// Creates a progress value.
  ///
  /// - Parameters:
  ///   - position: The position through which the partition's events have been handled or quarantined.
  ///   - setAside: The quarantined streams that are new or have changed.
  ///   - settled: The streams that left the quarantine.
  public init(position: Position, setAside: [QuarantinedStream] = [], settled: [StreamName] = []) {
    (self.position, self.setAside, self.settled) = (position, setAside, settled)
  }
}
