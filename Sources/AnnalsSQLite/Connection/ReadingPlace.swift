package import Annals
import Synchronization

/// How far this process has come in reading a log along its positions, for those who wait for it.
///
/// It is one number for all logs: a program that opens several learns of whichever was read last.
package enum ReadingPlace {
  private static let last = Atomic<Int>(0)

  /// The last position that was read; 0 before anything was.
  package static var position: Position { Position(last.load(ordering: .relaxed)) }

  /// Begins again, so that what was read before does not count.
  package static func begin() { last.store(0, ordering: .relaxed) }

  /// Notes that a batch of events was read.
  static func note(_ position: Int64) { last.store(Int(position), ordering: .relaxed) }
}
