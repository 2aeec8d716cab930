import Dispatch
import Foundation
import Synchronization

/// Functions that divide work on many rows into parts, and run the parts in parallel on the machine's cores.
///
/// The division depends only on the work, so that all machines produce the same result. The calling thread works on
/// parts, too, and waits until the other threads have finished their parts. So the work finishes even if no other
/// thread is available.
package enum Parallel {
  /// The minimum number of rows that are divided into parts.
  ///
  /// For this number of rows, a single core takes about a millisecond, and a thread wakes up in 10 to 50 µs.
  package static let threshold = 4_096
  /// The minimum number of rows per part, if there are enough rows for several parts.
  private static let partSize = 2_048
  /// The maximum number of parts.
  ///
  /// There are several parts per core, because parts take different times.
  private static let mostParts = 32

  /// True while work runs in the background of an app's UI.
  ///
  /// The work then leaves one core free.
  ///
  /// Measured with two cores: the main actor was blocked for 3.6 ms, compared with 4.2 ms if both cores built a list.
  @TaskLocal package static var leavesCore = false
  private static let cores = ProcessInfo.processInfo.activeProcessorCount

  /// Returns the parts of some rows, in order.
  ///
  /// - Parameters:
  ///   - count: The number of rows.
  ///   - threshold: The minimum number of rows to divide. Fewer rows are a single part.
  /// - Returns: The ranges of the parts, or an empty array if there are no rows.
  package static func parts(of count: Int, threshold: Int = threshold) -> [Range<Int>] {
    guard count > 0 else { return [] }
    guard count >= threshold, count > 1 else { return [0..<count] }
    let parts = min(max(2, count / partSize), mostParts, count)
    return (0..<parts).map { count * $0 / parts..<count * ($0 + 1) / parts }
  }

  /// Runs a closure for every item, and returns the results in order.
  ///
  /// - Parameters:
  ///   - count: The number of items.
  ///   - threshold: The minimum number of rows for parallel work. With fewer rows, the calling thread does all the
  ///     work.
  ///   - rows: A closure that returns the approximate number of rows of an item.
  ///   - body: A closure for one item, which is called concurrently on any thread.
  /// - Returns: The results.
  package static func map<Made>(
    _ count: Int, threshold: Int = threshold, rows: (Int) -> Int, _ body: @Sendable (Int) -> Made
  ) -> [Made] {
    let sizes = (0..<count).map(rows)
    let sum = sizes.reduce(0, +)
    // The system reads files to count the cores, which took a thirtieth of a program's start with a saved list.
    guard count > 1, sum >= threshold else { return (0..<count).map(body) }
    let workers = cores - (leavesCore ? 1 : 0)
    guard workers > 1 else { return (0..<count).map(body) }
    // Adjacent items are combined until they have as many rows as a part.
    let part = max(min(partSize, sum / 2), sum / mostParts)
    var (batches, start, size): ([Range<Int>], Int, Int) = ([], 0, 0)
    for index in 0..<count {
      size += sizes[index]
      guard size >= part || index + 1 == count else { continue }
      batches.append(start..<index + 1)
      start = index + 1
      size = 0
    }
    let all = batches
    return Array(unsafeUninitializedCapacity: count) { buffer, made in
      // Every batch writes only its own elements, and all batches are finished before the elements are read.
      nonisolated(unsafe) let slots = buffer
      let next = Atomic(0)
      DispatchQueue.concurrentPerform(iterations: min(workers, all.count)) { _ in
        while true {
          let batch = next.wrappingAdd(1, ordering: .relaxed).oldValue
          guard batch < all.count else { return }
          for index in all[batch] { slots.initializeElement(at: index, to: body(index)) }
        }
      }
      made = count
    }
  }

  /// Runs a closure for every item that produces elements, and returns all elements in order.
  ///
  /// Elements are moved to their final place without additional reference counting.
  ///
  /// - Parameters:
  ///   - count: The number of items.
  ///   - threshold: The minimum number of elements for parallel work. With fewer elements, the calling thread does all
  ///     the work.
  ///   - most: A closure that returns the maximum number of elements of an item.
  ///   - body: A closure for one item, which is called concurrently on any thread and passes its elements to its last
  ///     parameter.
  /// - Returns: The elements.
  package static func flatMap<Element>(
    _ count: Int, threshold: Int = threshold, most: (Int) -> Int,
    _ body: @Sendable (_ index: Int, _ take: (Element) -> Void) -> Void
  ) -> [Element] {
    var starts = [0]
    for index in 0..<count { starts.append(starts[index] + most(index)) }
    guard starts[count] > 0 else { return [] }
    let places = starts
    return Array(unsafeUninitializedCapacity: places[count]) { buffer, made in
      // Every item has its own places, and all items are finished before the elements are read.
      nonisolated(unsafe) let slots = buffer
      let counts = map(count, threshold: threshold, rows: most) { index in
        var end = places[index]
        body(index) { element in
          precondition(
            end < places[index + 1],
            "`body` created more elements for an item than the maximum that `most` returned for the same item")
          slots.initializeElement(at: end, to: element)
          end += 1
        }
        return end - places[index]
      }
      for (start, count) in zip(places, counts) {
        if start > made, count > 0 {
          let gap = UnsafeMutableBufferPointer(rebasing: slots[made..<made + count])
          _ = gap.moveInitialize(fromContentsOf: slots[start..<start + count])
        }
        made += count
      }
    }
  }
}
