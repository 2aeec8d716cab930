import Foundation

/// Batches that another thread reads ahead, and that it and the caller decode.
///
/// `@unchecked Sendable`: `condition` guards all that changes.
final class BatchPrefetcher<E: Event>: @unchecked Sendable {
  /// A batch on its way.
  private struct Slot {
    /// The batch's number, from 0.
    let number: Int
    let raw: (batch: EventBatch, indices: Range<Int>)
    var isTaken = false
    var decoded: DecodedBatch<E>?
  }

  /// How many batches may be on their way: enough for one that takes long to be decoded.
  private static var capacity: Int { 8 }
  /// This number of batches that no thread has taken is enough: the reading thread decodes then.
  private static var enough: Int { 2 }

  private let condition = NSCondition()
  private let policy: ReadingPolicy
  private var slots: [Slot] = []
  private var read = 0
  /// What comes after the last slot: nothing, or an error; nil as long as more is read.
  private var end: Result<Void, any Error>?
  private var isStopped = false
  private var isRunning = true

  /// Begins to read.
  init(_ reader: BatchReader, _ policy: ReadingPolicy) {
    self.policy = policy
    // A thread of its own: one of a pool might be one that all others of the pool wait for.
    let thread = Thread { self.run(reader) }
    // As much room for nested payloads as a main thread has.
    thread.stackSize = 8 << 20
    thread.start()
  }

  /// The next batch, nil at the end.
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
        // The first batch is taken before any other: the thread that did is at it.
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

  /// Lets the reader end, which may be waiting for room, and waits until it has.
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
      // A coder is not shared between threads.
      var coder = try EventCoder<E>()
      while !isStopped {
        let open = slots.firstIndex { !$0.isTaken }
        let waiting = slots.count { !$0.isTaken }
        if end == nil, slots.count < Self.capacity, waiting < Self.enough {
          condition.unlock()
          let next = Result { try reader.next() }
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

  /// Decodes a batch that no thread has taken.
  ///
  /// The lock is held before and after, and not meanwhile.
  private func decode(_ index: Int, with coder: inout EventCoder<E>) {
    slots[index].isTaken = true
    let (number, raw) = (slots[index].number, slots[index].raw)
    condition.unlock()
    let decoded = DecodedBatch(raw.batch, raw.indices, with: &coder, policy)
    condition.lock()
    // Others may have been taken away before it, or all.
    if let index = slots.firstIndex(where: { $0.number == number }) { slots[index].decoded = decoded }
    condition.signal()
  }
}
