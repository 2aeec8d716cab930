/// Finds the simplest case that fails in the same way as a given case.
///
/// The shrinker works on choices and doesn't know their values. It proposes simpler lists of choices, runs them, and
/// keeps a list if it fails in the same way. Every kept list is shorter than its predecessor, or of equal length and
/// lexicographically smaller, so shrinking terminates. The passes run from cheap to expensive, until none of them finds
/// a simpler case.
final class Shrinker {
  /// The result of a proposal.
  struct Outcome {
    let record: Record
    /// Whether the case failed in the same way as the given case.
    let fails: Bool
  }

  /// The simplest case so far.
  private(set) var best: Record
  /// The roles of the simplest case's choices.
  private(set) var shape: Shape
  /// The choices of the simplest case.
  private(set) var indices: [UInt64]
  /// The number of cases that ran.
  private(set) var tries = 0
  /// The number of times that a simpler failing case replaced the simplest case.
  private(set) var shrinks = 0

  /// The choices that were minimal in earlier passes, which usually stay minimal when other choices change.
  var settled: Set<Choice> = []
  /// The choices of the simplest case whose states were searched completely.
  var searched: [UInt64] = []

  private let run: (Plan) -> Outcome
  private let maxShrinks: Int
  private let maxTries: Int
  private let deadline: ContinuousClock.Instant
  private var tree = OutcomeTree()

  init(
    _ record: Record, maxShrinks: Int, maxTries: Int, time: Duration = .seconds(60), run: @escaping (Plan) -> Outcome
  ) {
    best = record
    shape = Shape(record)
    indices = record.indices
    self.maxShrinks = maxShrinks
    self.maxTries = maxTries
    deadline = ContinuousClock.now + time
    self.run = run
    tree.insert(Outcome(record: record, fails: true))
  }

  /// Whether the limit of cases or time is reached.
  var isSpent: Bool { shrinks >= maxShrinks || tries >= maxTries || ContinuousClock.now >= deadline }

  /// Shrinks as far as possible.
  func shrink() {
    // Reruns a program to get the states of its model.
    if best.spans.contains(where: { $0.label == .step }) {
      best.states = execute(Plan(.zeros, prefix: indices, limit: indices.count)).record.states
    }
    let removals = [deleteDiscarded, deleteDetours, zeroSpans, deleteSiblings, hoistDescendants]
    let reductions = [lowerEach, sortSiblings, lowerBranches, lowerAndRepair, lowerDuplicates, shiftPairs]
    let searches = [
      deleteAndDecrement, moveElements, deleteAndRaise, deleteAndExchange, exchangeValues, searchStates, replaceSteps,
      deleteRuns, deleteTogether, mirrorNumbers, lowerAnywhere, enumerate, searchKnownSteps,
    ]
    settle([removals, reductions, searches])
  }

  /// Repeats the passes until none of them finds a simpler case.
  ///
  /// After a successful pass, the previous groups restart. The pass's own group continues with the next pass, because
  /// two passes that undo each other's changes would otherwise starve the rest.
  private func settle(_ groups: [[() -> Void]]) {
    guard let passes = groups.last else { return }
    settle(groups.dropLast())
    var (next, failures) = (0, 0)
    while failures < passes.count, !isSpent {
      let before = shrinks
      passes[next]()
      next = (next + 1) % passes.count
      if shrinks == before {
        failures += 1
      } else {
        failures = 0
        settle(groups.dropLast())
      }
    }
  }

  /// Runs a proposal, and keeps it if it is simpler and fails.
  ///
  /// - Returns: Whether it was kept.
  @discardableResult
  func attempt(_ proposal: [UInt64]) -> Bool {
    Record.isSimpler(proposal, than: indices) && execute(proposal).isKept
  }

  /// Runs a case with the given choices unless its outcome is known, and keeps it if it is simpler and fails.
  func execute(_ proposal: [UInt64]) -> (record: Record, isKept: Bool) {
    if let outcome = tree.outcome(of: proposal) { return keep(outcome) }
    return execute(Plan(.zeros, prefix: proposal, limit: indices.count))
  }

  /// Runs a case, and keeps it if it is simpler and fails.
  func execute(_ plan: Plan) -> (record: Record, isKept: Bool) {
    guard !isSpent else { return (best, false) }
    tries += 1
    var plan = plan
    plan.recordsStates = true
    let outcome = run(plan)
    tree.insert(outcome)
    return keep(outcome)
  }

  private func keep(_ outcome: Outcome) -> (record: Record, isKept: Bool) {
    // A shorter program isn't simpler if more of its commands run at the same time.
    guard outcome.fails, outcome.record.turns.count <= best.turns.count,
      Record.isSimpler(outcome.record.indices, than: indices)
    else { return (outcome.record, false) }
    best = outcome.record
    shape = Shape(best)
    indices = best.indices
    shrinks += 1
    return (best, true)
  }

  /// Changes one choice, and returns whether the case was kept.
  func set(_ place: Int, to index: UInt64) -> Bool {
    guard place < indices.count else { return false }
    var proposal = indices
    proposal[place] = index
    return attempt(proposal)
  }

  /// Returns the choices of the simplest case without a range.
  func removing(_ range: Range<Int>) -> [UInt64] {
    Array(indices[..<range.lowerBound]) + indices[range.upperBound...]
  }

  /// Returns the largest number that meets a monotone condition, after O(log n) evaluations of the condition.
  @discardableResult
  static func largest(through limit: UInt64 = .max, _ holds: (UInt64) -> Bool) -> UInt64 {
    for number in 1...4 as ClosedRange<UInt64> where number > limit || !holds(number) { return number - 1 }
    var (low, high) = (4 as UInt64, 8 as UInt64)
    while high <= limit, holds(high) {
      low = high
      if low == limit { return limit }
      high = high <= limit / 2 ? high * 2 : limit
    }
    high = min(high, limit == .max ? limit : limit + 1)
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if holds(middle) { low = middle } else { high = middle }
    }
    return low
  }

  /// Returns a number up to a limit that meets a condition, but whose successor doesn't, or 0 if 1 doesn't meet it.
  ///
  /// The search tests both ends first, and then bisects the range between them.
  @discardableResult
  static func farthest(through limit: UInt64, _ holds: (UInt64) -> Bool) -> UInt64 {
    guard limit > 0, holds(1) else { return 0 }
    guard limit > 1, !holds(limit) else { return limit }
    guard limit > 2, holds(2) else { return 1 }
    var (low, high) = (2 as UInt64, limit)
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if holds(middle) { low = middle } else { high = middle }
    }
    return low
  }
}
