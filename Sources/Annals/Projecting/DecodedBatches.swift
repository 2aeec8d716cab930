import Foundation

/// Reads a stretch of a log batch by batch, with the events decoded.
///
/// Another thread reads a long stretch, some batches ahead of the one that is folded. Both threads decode: one that has
/// nothing else to do takes the next batch that no thread has taken. The results are the same as with one thread, in
/// the same order, errors too.
final class DecodedBatches<E: Event> {
  /// The number of events of a batch.
  private static var batchSize: Int { 512 }
  /// Stretches of this number of events are worth a thread.
  private static var longStretch: Int { 4 * batchSize }

  private let policy: ReadingPolicy
  private var reader: BatchReader
  /// The batches that another thread reads; nil if it is not worth one, and before it began.
  private var ahead: BatchPrefetcher<E>?
  private let isLong: Bool

  init(_ source: EventSource, after: Position, through: Position, _ policy: ReadingPolicy) {
    reader = BatchReader(source, after: after, through: through, batchSize: Self.batchSize)
    self.policy = policy
    isLong =
      through.rawValue - after.rawValue >= Self.longStretch && ProcessInfo.processInfo.activeProcessorCount > 1
  }

  deinit { ahead?.stop() }

  /// The next batch, nil at the end.
  func next(with coder: inout EventCoder<E>) throws -> DecodedBatch<E>? {
    guard isLong else {
      return try reader.next().map { DecodedBatch($0.batch, $0.indices, with: &coder, policy) }
    }
    if ahead == nil { ahead = BatchPrefetcher(reader, policy) }
    return try ahead?.next(with: &coder)
  }

  /// Lets go of what was read ahead, and waits until the other thread no longer uses the log.
  func stop() {
    ahead?.stop()
  }
}
