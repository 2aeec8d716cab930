/// A measurement: work, the baseline of the same run, and the limit of their ratio.
///
/// A figure is a value in a list. Each file in `Figures/` has a group of them, and `all` joins the groups.
package struct Figure: Sendable {
  /// The ratio that counts, and its limit.
  package enum Bound: Hashable, Sendable {
    /// The cost of the work, without a baseline, is at most this.
    case value(atMost: Double)
    /// The cost of the work, divided by that of the baseline, is at most this.
    case cost(atMost: Double)
    /// The work is at least this many times as fast as the baseline.
    case speed(atLeast: Double)
  }

  /// The resource whose cost is measured.
  ///
  /// The raw value is its name in the file of results.
  package enum Resource: String, Hashable, Sendable {
    /// The time that passes.
    case time
    /// The time of all processors. Other processes hardly affect it.
    case processor
    /// The processor's instructions, which callgrind counts.
    case instructions
    case memory
    case disk
    /// Wake-ups of threads that waited ("voluntary context switches").
    case switches
    /// Runs of a test case.
    case cases
    /// Different results.
    case forms

    /// The unit of the numbers.
    package var unit: String {
      switch self {
      case .time, .processor: "ns"
      case .memory, .disk: "bytes"
      case .instructions, .switches, .cases, .forms: rawValue
      }
    }
  }

  /// The name that selects it.
  package let name: String
  /// The number of rows, events or cases.
  package let rows: Int
  /// What it measures, in a few words.
  package let work: String
  /// What it is compared with; nil for nothing.
  package let baseline: String?
  /// The resource whose cost is measured.
  package let resource: Resource
  /// The ratio that counts, and its limit.
  package let bound: Bound
  /// How often the whole measurement is repeated; the middle ratio counts.
  ///
  /// More than once only if a disk affects it.
  package let tries: Int
  /// Prepares the measurement; its own cost does not count.
  let prepare: @Sendable () throws -> Contest

  /// Creates a figure.
  package init(
    _ name: String, rows: Int, _ work: String, against baseline: String? = nil, of resource: Resource = .time,
    _ bound: Bound, tries: Int = 1, prepare: @escaping @Sendable () throws -> Contest
  ) {
    self.name = name
    self.rows = rows
    self.work = work
    self.baseline = baseline
    self.resource = resource
    self.bound = bound
    self.tries = tries
    self.prepare = prepare
  }

  /// All figures, in the order in which they are measured.
  package static var all: [Figure] {
    list + wide + delivery + firstScreens + search + language + shared + memory + cache + replay + foreign + reading
      + append
      + async + states + undo
      + branches + erasures
      + processes + idles
      + mainActor + harness + shrinking + streams + tool + questions + unoptimized
  }
}

extension Figure.Bound {
  /// The ratio that counts; nil if the baseline is missing or zero.
  func ratio(_ value: Double, _ baseline: Double?) -> Double? {
    switch self {
    case .value: return value
    case .cost: return baseline.flatMap { $0 > 0 ? value / $0 : nil }
    case .speed: return baseline.flatMap { value > 0 ? $0 / value : nil }
    }
  }

  /// Returns whether a ratio is within the limit.
  func isKept(by ratio: Double) -> Bool {
    switch self {
    case .value(let most), .cost(let most): ratio <= most
    case .speed(let least): ratio >= least
    }
  }
}

/// Two sides that are measured alternately.
package struct Contest {
  /// Does the work once, and returns its cost in the figure's unit.
  let value: () throws -> Double
  /// Does the baseline's work once, and returns its cost; nil if there is nothing to compare with.
  let baseline: (() throws -> Double)?

  /// Creates a contest.
  package init(value: @escaping () throws -> Double, baseline: (() throws -> Double)? = nil) {
    self.value = value
    self.baseline = baseline
  }
}
