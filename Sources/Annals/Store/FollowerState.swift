/// How far a follower of a remote log has come: its partitions, and the streams that it has set aside.
public struct FollowerState: Hashable, Sendable {
  /// A part of the log's streams, which one worker at a time follows.
  public struct Partition: Hashable, Sendable {
    /// Up to where the partition's events are done, or wait in quarantine.
    public let position: Position
    /// The number of its last lease; 0 if it never had one.
    public let fence: Int
    /// The worker whose lease is not over; nil if it is free.
    public let worker: String?

    /// Creates a partition's state, as a store does.
    ///
    /// - Parameters:
    ///   - position: Up to where the partition's events are done.
    ///   - fence: The number of its last lease.
    ///   - worker: The worker whose lease is not over; nil if it is free.
    public init(position: Position, fence: Int, worker: String?) {
      (self.position, self.fence, self.worker) = (position, fence, worker)
    }
  }

  /// The follower.
  public let follower: FollowerID
  /// Its partitions, in order: a stream belongs to that of ``StreamName/partition(of:)``.
  public let partitions: [Partition]
  /// The streams that it has set aside, by name.
  public let quarantine: [QuarantinedStream]

  /// Creates a state, as a store does.
  ///
  /// - Parameters:
  ///   - follower: The follower.
  ///   - partitions: Its partitions, in order.
  ///   - quarantine: The streams that it has set aside.
  public init(follower: FollowerID, partitions: [Partition], quarantine: [QuarantinedStream]) {
    (self.follower, self.partitions) = (follower, partitions)
    self.quarantine = quarantine.sorted { $0.stream < $1.stream }
  }

  /// Up to where all events are done, or wait in quarantine.
  public var position: Position { partitions.map(\.position).min() ?? 0 }
}

extension StreamName {
  /// Which of some partitions the stream belongs to, the same in each process and each version of this library.
  ///
  /// It is the 64-bit FNV-1a hash of the name's UTF-8, modulo the number of partitions.
  ///
  /// - Parameter count: The number of partitions, 1 or more.
  /// - Returns: The partition, from 0.
  /// - Complexity: O(n) for a name of n bytes.
  public func partition(of count: Int) -> Int {
    precondition(count >= 1, "`count` must be at least 1 (was \(count))")
    if count == 1 { return 0 }
    let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    return Int(hash % UInt64(count))
  }
}
