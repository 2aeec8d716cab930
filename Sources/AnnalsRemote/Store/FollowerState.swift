public import AnnalsLog

/// The progress of a ``RemoteFollower``: its partitions and its quarantined streams.
///
/// The follower quarantines a stream if its code couldn't handle one of the stream's events (``QuarantinedStream``).
public struct FollowerState: Hashable, Sendable {
  /// A group of the log's streams, which only one worker (running instance) of the follower handles at a time.
  public struct Partition: Hashable, Sendable {
    /// The position through which the partition's events have been handled or quarantined.
    public let position: Position
    /// The ``FollowerLease/fence`` of the partition's latest lease, or 0 before the first lease.
    public let fence: Int
    /// The id of the worker that holds an active lease on the partition, or `nil` if the partition is free.
    public let worker: String?

    /// Creates a partition's state, for use in a custom store.
    ///
    /// - Parameters:
    ///   - position: The position through which the partition's events have been handled or quarantined.
    ///   - fence: The ``FollowerLease/fence`` of the partition's latest lease, or 0 before the first lease.
    ///   - worker: The id of the worker that holds an active lease on the partition, or `nil` if the partition is free.
    public init(position: Position, fence: Int, worker: String?) {
      self.position = position
      self.fence = fence
      self.worker = worker
    }
  }

  /// The follower's name and version.
  public let follower: FollowerID
  /// The follower's partitions, sorted by index.
  ///
  /// `StreamName.partition(of:)` returns the index of a stream's partition.
  public let partitions: [Partition]
  /// The follower's quarantined streams, sorted by name.
  public let quarantine: [QuarantinedStream]

  /// Creates a follower's state, for use in a custom store.
  ///
  /// - Parameters:
  ///   - follower: The follower's name and version.
  ///   - partitions: The follower's partitions, sorted by index.
  ///   - quarantine: The follower's quarantined streams.
  public init(follower: FollowerID, partitions: [Partition], quarantine: [QuarantinedStream]) {
    self.follower = follower
    self.partitions = partitions
    self.quarantine = quarantine.sorted { $0.stream < $1.stream }
  }

  /// The position through which all events have been handled or quarantined, which is the lowest position of the
  /// partitions.
  public var position: Position { partitions.map(\.position).min() ?? 0 }
}

extension StreamName {
  /// Returns the index of the partition in which a ``RemoteFollower`` handles the stream's events.
  ///
  /// The index is the same in all processes and all versions of this library. The index is the 64-bit FNV-1a hash of
  /// the name's UTF-8, modulo the number of partitions.
  ///
  /// - Parameter count: The follower's number of partitions, at least 1.
  /// - Returns: The partition's index, starting at 0.
  /// - Complexity: O(n) for a name of n bytes.
  public func partition(of count: Int) -> Int {
    precondition(count >= 1, "`count` must be at least 1 (was \(count))")
    if count == 1 { return 0 }
    let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    return Int(hash % UInt64(count))
  }
}
