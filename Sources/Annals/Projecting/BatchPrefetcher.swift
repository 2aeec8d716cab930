import AnnalsLog
import Foundation

/// A reader of batches on another thread.
///
/// Both that thread and the caller decode the batches.
///
/// `@unchecked Sendable`: `condition` guards all mutable state.
final class BatchPrefetcher<E: Event>: @unchecked Sendable {
  /// A batch that the caller hasn't received yet.
  private struct Slot {
    /// The batch's number, from 0.
    let number: Int
    let raw: (batch: EventBatch, indices: Range<Int>)
    var isTaken = false
    var decoded: DecodedBatch<E>?
  }

  /// The maximum number of pending batches.
  ///
  /// It is large enough to continue reading while one batch takes long to decode.
  private static var capacity: Int { 8 }
  /// The number of unclaimed batches at which the reading thread decodes a batch instead of reading another.
  private static var enough: Int { 2 }

  private let condition = NSCondition()
  private let policy: ReadingPolicy
  private var slots: [Slot] = []
  private var read = 0
  /// The result after the last slot: the end or an error.
  ///
  /// It is `nil` while the thread reads.
  private var end: Result<Void, any Error>?
  private var isStopped = false
  private var isRunning = true

  /// Creates a prefetcher, and starts to read on a new thread.
  init(_ reader: BatchReader, _ policy: ReadingPolicy) {
    self.policy = policy
    // A separate thread, because all threads of a pool might wait for this one.
    let thread = Thread { self.run(reader) }
    // The stack is as large as the main thread's, because nested payloads may need it.
    thread.stackSize = 8 << 20
    thread.start()
  }

  /// Returns the next batch, or `nil` at the end.
  func next(with coder: inout EventCoder<E>) throws -> DecodedBatch<E>? {
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let first = slots.first {
        if let decoded = first.decoded {
          slots.removeFirst()
          condition.signal()
          return decoded
        }
        // Batches are claimed in order, so this claims the first batch, unless a thread already works on that batch.
        if let index = slots.firstIndex(where: { !$0.isTaken }) {
          decode(index, with: &coder)
          continue
        }
      } else if let end {
        try end.get()
        return nil
      }
      condition.wait()
    }
  }

  /// Stops the reading thread, which may be waiting for a free slot, and waits until the thread has ended.
  func stop() {
    condition.lock()
    (isStopped, slots) = (true, [])
    condition.broadcast()
    while isRunning { condition.wait() }
    condition.unlock()
  }

  private func run(_ start: BatchReader) {
    var reader = start
    condition.lock()
    defer {
      isRunning = false
      condition.broadcast()
      condition.unlock()
    }
    do {
      // Threads can't share a coder.
      var coder = try EventCoder<E>()
      while !isStopped {
        let open = slots.firstIndex { !$0.isTaken }
        let waiting = slots.count { !$0.isTaken }
        if end == nil, slots.count < Self.capacity, waiting < Self.enough {
          condition.unlock()
          let next = Result { try releasingObjects { try reader.next() } }
          condition.lock()
          if let next = try next.get() {
            slots.append(Slot(number: read, raw: next))
            read += 1
          } else {
            end = .success(())
          }
          condition.signal()
        } else if let open {
          decode(open, with: &coder)
        } else if end != nil, slots.isEmpty {
          return
        } else {
          condition.wait()
        }
      }
    } catch {
      end = .failure(error)
    }
  }

  /// Decodes a batch that no thread has claimed.
  ///
  /// The caller holds the lock, which is released during decoding.
  private func decode(_ index: Int, with coder: inout EventCoder<E>) {
    slots[index].isTaken = true
    let (number, raw) = (slots[index].number, slots[index].raw)
    condition.unlock()
    let decoded = releasingObjects { DecodedBatch(raw.batch, raw.indices, with: &coder, policy) }
    condition.lock()
    // Batches before this batch, or all batches, may have been removed.
    if let index = slots.firstIndex(where: { $0.number == number }) { slots[index].decoded = decoded }
    condition.signal()
  }
}
