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
  private let (after, through): (Position, Position)

  init(
    _ source: EventSource, of types: EventTypeChoice, after: Position, through: Position, _ policy: ReadingPolicy
  ) {
    reader = BatchReader(source, of: types, after: after, through: through, batchSize: Self.batchSize)
    (self.policy, self.after, self.through) = (policy, after, through)
    isLong =
      through.rawValue - after.rawValue >= Self.longStretch && ProcessInfo.processInfo.activeProcessorCount > 1
  }

  deinit { ahead?.stop() }

  /// The next batch, nil at the end.
  func next(with coder: inout EventCoder<E>) throws -> DecodedBatch<E>? {
    guard isLong else {
      return try reader.next().map { DecodedBatch($0.batch, $0.indices, with: &coder, policy) }
    }
    if let ahead { return try ahead.next(with: &coder) }
    guard let first = try reader.next() else { return nil }
    if isWorthThread(first) { ahead = BatchPrefetcher(reader, policy) }
    return DecodedBatch(first.batch, first.indices, with: &coder, policy)
  }

  /// True if the rest of the stretch is long, with as many events of the reader as in the first batch.
  private func isWorthThread(_ first: (batch: EventBatch, indices: Range<Int>)) -> Bool {
    guard let last = first.batch.last, last > after else { return false }
    let share = Double(first.indices.count) / Double(last.rawValue - after.rawValue)
    return share * Double(through.rawValue - last.rawValue) >= Double(Self.longStretch - Self.batchSize)
  }

  /// Lets go of what was read ahead, and waits until the other thread no longer uses the log.
  func stop() {
    ahead?.stop()
  }
}
