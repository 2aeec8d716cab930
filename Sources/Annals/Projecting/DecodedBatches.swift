import AnnalsLog
import Foundation

/// A reader of a range of a log in batches of decoded events.
///
/// For a long range, another thread reads a few batches ahead. Both threads decode, because an idle thread claims the
/// next batch. Results, errors and their order are the same as with one thread.
final class DecodedBatches<E: Event> {
  /// The number of events in a batch.
  private static var batchSize: Int { 512 }
  /// The minimum number of events in a range for using another thread.
  private static var longStretch: Int { 4 * batchSize }

  private let policy: ReadingPolicy
  private var reader: BatchReader
  /// The reader on another thread, or `nil` if that thread isn't needed or hasn't started.
  private var ahead: BatchPrefetcher<E>?
  private let isLong: Bool
  private let (after, through): (Position, Position)

  init(
    _ source: EventSource, of types: EventTypeFilter, after: Position, through: Position, _ policy: ReadingPolicy
  ) {
    reader = BatchReader(source, of: types, after: after, through: through, batchSize: Self.batchSize)
    self.policy = policy
    self.after = after
    self.through = through
    isLong =
      through.rawValue - after.rawValue >= Self.longStretch && ProcessInfo.processInfo.activeProcessorCount > 1
  }

  deinit { ahead?.stop() }

  /// Returns the next batch, or `nil` at the end.
  func next(with coder: inout EventCoder<E>) throws -> DecodedBatch<E>? {
    guard isLong else {
      return try reader.next().map { DecodedBatch($0.batch, $0.indices, with: &coder, policy) }
    }
    if let ahead { return try ahead.next(with: &coder) }
    guard let first = try reader.next() else { return nil }
    if isWorthThread(first) { ahead = BatchPrefetcher(reader, policy) }
    return DecodedBatch(first.batch, first.indices, with: &coder, policy)
  }

  /// Returns true if the rest of the range is long, assuming the first batch's proportion of matching events.
  private func isWorthThread(_ first: (batch: EventBatch, indices: Range<Int>)) -> Bool {
    guard let last = first.batch.last, last > after else { return false }
    let share = Double(first.indices.count) / Double(last.rawValue - after.rawValue)
    return share * Double(through.rawValue - last.rawValue) >= Double(Self.longStretch - Self.batchSize)
  }

  /// Discards batches that were read ahead, and waits until the other thread no longer uses the log.
  func stop() {
    ahead?.stop()
  }
}
