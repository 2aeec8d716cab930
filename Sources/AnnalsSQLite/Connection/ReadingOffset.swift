package import AnnalsLog
import Synchronization

/// The progress of this process in reading logs, as a position, to show to users who wait for it.
///
/// It is a single number for all logs. If a program opens several logs, the number refers to the log that was read
/// last.
package enum ReadingOffset {
  private static let last = Atomic<Int>(0)

  /// The last position that was read, or 0 before the first read.
  package static var position: Position { Position(last.load(ordering: .relaxed)) }

  /// Resets the position to 0.
  package static func begin() { last.store(0, ordering: .relaxed) }

  /// Records that a batch of events was read.
  static func note(_ position: Int64) { last.store(Int(position), ordering: .relaxed) }
}
