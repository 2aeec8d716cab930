import Foundation
import Synchronization

/// The result of measuring a figure.
package struct Measurement: Sendable {
  package let figure: Figure
  /// What the work costs: the median of its rounds.
  package let value: Double
  /// What the baseline costs: the median of its rounds.
  package let baseline: Double?
  /// The ratio that counts.
  package let ratio: Double?

  /// Measures a figure: a round of each side to warm up, then alternating rounds; the middle of several tries counts.
  package init(_ figure: Figure, rounds: Int) throws {
    var tries: [Measurement] = []
    for _ in 0..<max(1, figure.tries) {
      let contest = try figure.prepare()
      var (values, baselines) = ([Double](), [Double]())
      _ = try contest.value()
      _ = try contest.baseline?()
      for round in 0..<rounds {
        // The sides take turns to begin, so that neither always finds the caches as the other left them.
        if round.isMultiple(of: 2) {
          values.append(try contest.value())
          if let cost = try contest.baseline?() { baselines.append(cost) }
        } else {
          if let cost = try contest.baseline?() { baselines.append(cost) }
          values.append(try contest.value())
        }
      }
      tries.append(
        Measurement(figure, value: median(values), baseline: baselines.isEmpty ? nil : median(baselines)))
    }
    // There was at least one try.
    self = tries.sorted { $0.ratio ?? 0 < $1.ratio ?? 0 }[tries.count / 2]
  }

  init(_ figure: Figure, value: Double, baseline: Double?) {
    self.figure = figure
    self.value = value
    self.baseline = baseline
    ratio = figure.bound.ratio(value, baseline)
  }
}

/// The median of some numbers.
package func median(_ numbers: [Double]) -> Double {
  let sorted = numbers.sorted()
  let middle = sorted.count / 2
  return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
}

/// The average of a cost that is measured several times.
func average(_ count: Int, _ cost: () throws -> Double) rethrows -> Double {
  try (0..<count).map { _ in try cost() }.reduce(0, +) / Double(count)
}

/// The nanoseconds for each of some operations.
///
/// - Parameters:
///   - count: The number of operations in the work.
///   - work: Performs all of them.
/// - Returns: The time divided by the count.
package func nanoseconds(per count: Int = 1, _ work: () throws -> Void) rethrows -> Double {
  let time = try ContinuousClock().measure { try InstructionCount.perform(count, work) }
  return (Double(time.components.seconds) * 1e9 + Double(time.components.attoseconds) / 1e9) / Double(count)
}

/// Uses a value, so that the optimizer does not remove the work for an unused result.
package func keep<Value>(_ value: Value) {
  withUnsafePointer(to: value) { kept.store(UInt(bitPattern: $0), ordering: .relaxed) }
}

private let kept = Atomic<UInt>(0)
