/// What is measured: work, the baseline that it is compared with in the same run, and the bound on their ratio.
///
/// A figure is a value in a list; each file in `Figures/` has a group of them, and `all` joins the groups.
package struct Figure: Sendable {
  /// Which ratio counts, and what it must not pass.
  package enum Bound: Hashable, Sendable {
    /// What the work costs, without a baseline, is at most so much.
    case value(atMost: Double)
    /// What the work costs, divided by what the baseline costs, is at most so much.
    case cost(atMost: Double)
    /// The work is at least so many times as fast as the baseline.
    case speed(atLeast: Double)
  }

  /// The name that picks it.
  package let name: String
  /// How many rows, events or cases it is about.
  package let rows: Int
  /// What it measures, in a few words.
  package let work: String
  /// What it is compared with; nil for nothing.
  package let baseline: String?
  /// What the numbers count: "ns", or "bytes".
  package let unit: String
  /// Which ratio counts, and what it must not pass.
  package let bound: Bound
  /// How often everything is measured anew; the best ratio counts.
  ///
  /// More than once only where a disk has a say.
  package let tries: Int
  /// Makes what is measured: what it does is not counted.
  let prepare: @Sendable () throws -> Contest

  /// Creates a figure.
  package init(
    _ name: String, rows: Int, _ work: String, against baseline: String? = nil, unit: String = "ns", _ bound: Bound,
    tries: Int = 1, prepare: @escaping @Sendable () throws -> Contest
  ) {
    self.name = name
    self.rows = rows
    self.work = work
    self.baseline = baseline
    self.unit = unit
    self.bound = bound
    self.tries = tries
    self.prepare = prepare
  }

  /// All figures, in the order in which they are measured.
  package static var all: [Figure] { list + memory + cache + replay + append + harness }
}

extension Figure.Bound {
  /// The ratio that counts; nil if the baseline is missing or nothing.
  func ratio(_ value: Double, _ baseline: Double?) -> Double? {
    switch self {
    case .value: return value
    case .cost: return baseline.flatMap { $0 > 0 ? value / $0 : nil }
    case .speed: return baseline.flatMap { value > 0 ? $0 / value : nil }
    }
  }

  /// Tells whether a ratio keeps the bound.
  func isKept(by ratio: Double) -> Bool {
    switch self {
    case .value(let most), .cost(let most): ratio <= most
    case .speed(let least): ratio >= least
    }
  }

  /// Tells whether one ratio is better than another.
  func isBetter(_ left: Double, than right: Double) -> Bool {
    if case .speed = self { left > right } else { left < right }
  }
}

/// Two sides that are measured in turn.
package struct Contest {
  /// Does the work once, and answers what it cost in the figure's unit.
  let value: () throws -> Double
  /// Does the baseline's work once, and answers what it cost; nil if there is nothing to compare with.
  let baseline: (() throws -> Double)?

  /// Creates a contest.
  package init(value: @escaping () throws -> Double, baseline: (() throws -> Double)? = nil) {
    self.value = value
    self.baseline = baseline
  }
}
