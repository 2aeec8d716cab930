public import Foundation

/// A stream that a follower has set aside, because its code could not handle one of its events.
///
/// The later events of the stream wait, in order; those of other streams go on.
public struct QuarantinedStream: Hashable, Sendable {
  /// The stream.
  public let stream: StreamName
  /// The position of the event at which it stopped.
  public let position: Position
  /// Up to where the stream's events are done.
  public let after: Position
  /// False while the stream waits; true once the follower goes on with it, because it was retried or skipped.
  public let isResumed: Bool
  /// How often the code was called for the event; 0 if it could not be decoded.
  public let attempts: Int
  /// What was wrong, at most 2,000 characters; it may quote what the error quotes.
  public let error: String
  /// When it was set aside, by the worker's clock.
  public let time: Date

  /// Creates one, as a follower and a store do.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - position: The position of the event at which it stopped.
  ///   - after: Up to where the stream's events are done.
  ///   - isResumed: True if the follower goes on with it.
  ///   - attempts: How often the code was called for the event.
  ///   - error: What was wrong.
  ///   - time: When it was set aside.
  public init(
    stream: StreamName, position: Position, after: Position, isResumed: Bool = false, attempts: Int, error: String,
    time: Date
  ) {
    (self.stream, self.position, self.after, self.isResumed) = (stream, position, after, isResumed)
    (self.attempts, self.error, self.time) = (attempts, String(error.prefix(2_000)), time)
  }

  /// The same with another place up to which events are done, and another mark.
  ///
  /// - Parameters:
  ///   - after: Up to where the stream's events are done.
  ///   - isResumed: True if the follower goes on with it.
  /// - Returns: The stream.
  public func done(upTo after: Position, isResumed: Bool) -> QuarantinedStream {
    QuarantinedStream(
      stream: stream, position: position, after: after, isResumed: isResumed, attempts: attempts, error: error,
      time: time)
  }
}

/// What a worker has done in a partition since it was saved last.
public struct FollowerProgress: Hashable, Sendable {
  /// Up to where the partition's events are done, or wait in quarantine.
  public var position: Position
  /// The streams that were set aside, or stand elsewhere by now: each replaces what is kept of its stream.
  public var setAside: [QuarantinedStream]
  /// The streams that are in quarantine no more.
  public var settled: [StreamName]

  /// Creates a progress.
  ///
  /// - Parameters:
  ///   - position: Up to where the partition's events are done.
  ///   - setAside: The streams that were set aside, or stand elsewhere by now.
  ///   - settled: The streams that are in quarantine no more.
  public init(position: Position, setAside: [QuarantinedStream] = [], settled: [StreamName] = []) {
    (self.position, self.setAside, self.settled) = (position, setAside, settled)
  }
}
