import Dispatch
import Foundation
import Synchronization

/// Work on many rows, cut into parts that the machine's cores do at once.
///
/// How the work is cut follows from the work alone and not from the machine, so that each machine makes the same of it.
/// The caller does parts too, and waits for the others: it comes to an end also where no other thread is free.
package enum Parallel {
  /// So many rows and more are cut into parts.
  ///
  /// One core takes about a millisecond for them, and a thread wakes up in 10 to 50 µs.
  package static let threshold = 4_096
  /// How many rows a part has at least, where there are enough for several.
  private static let partSize = 2_048
  /// How many parts there are at most: several for each core, since they do not all take the same time.
  private static let mostParts = 32

  /// True while the work is beside what an app shows: it leaves a core to that.
  ///
  /// Measured with two cores: the main actor was held for 4.2 ms instead of 3.6 while both made a list.
  @TaskLocal package static var leavesCore = false
  private static let cores = ProcessInfo.processInfo.activeProcessorCount

  /// The parts of some rows, in order.
  ///
  /// - Parameters:
  ///   - count: How many rows there are.
  ///   - threshold: So many are cut; fewer are one part.
  /// - Returns: The ranges of the parts; none of no rows.
  package static func parts(of count: Int, threshold: Int = threshold) -> [Range<Int>] {
    guard count > 0 else { return [] }
    guard count >= threshold, count > 1 else { return [0..<count] }
    let parts = min(max(2, count / partSize), mostParts, count)
    return (0..<parts).map { count * $0 / parts..<count * ($0 + 1) / parts }
  }

  /// Does some things, and returns what each of them made, in order.
  ///
  /// - Parameters:
  ///   - count: How many things there are.
  ///   - threshold: From so many rows on they are cut into parts; else the caller does all of them.
  ///   - rows: About how many rows a thing is about.
  ///   - body: Does one of them, on any thread and beside others.
  /// - Returns: What they made.
  package static func map<Made>(
    _ count: Int, threshold: Int = threshold, rows: (Int) -> Int, _ body: @Sendable (Int) -> Made
  ) -> [Made] {
    let sizes = (0..<count).map(rows)
    let sum = sizes.reduce(0, +)
    let workers = cores - (leavesCore ? 1 : 0)
    guard count > 1, sum >= threshold, workers > 1 else { return (0..<count).map(body) }
    // Things next to each other are done together, until they have as many rows as a part.
    let part = max(min(partSize, sum / 2), sum / mostParts)
    var (batches, start, size): ([Range<Int>], Int, Int) = ([], 0, 0)
    for index in 0..<count {
      size += sizes[index]
      guard size >= part || index + 1 == count else { continue }
      batches.append(start..<index + 1)
      (start, size) = (index + 1, 0)
    }
    let all = batches
    return Array(unsafeUninitializedCapacity: count) { buffer, made in
      // Each batch writes what no other does, and all are done before anyone reads.
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

  /// Does some things that make elements, and puts these together in order.
  ///
  /// An element is moved to its place: what it refers to is not counted a second time.
  ///
  /// - Parameters:
  ///   - count: How many things there are.
  ///   - threshold: From so many elements on they are cut into parts; else the caller does all of them.
  ///   - most: How many elements a thing makes at most.
  ///   - body: Does one of them, on any thread and beside others, and hands over what it makes.
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
      // Each thing has places of its own, and all are done before anyone reads.
      nonisolated(unsafe) let slots = buffer
      let counts = map(count, threshold: threshold, rows: most) { index in
        var end = places[index]
        body(index) { element in
          precondition(end < places[index + 1], "a closure must not create more elements than announced")
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
