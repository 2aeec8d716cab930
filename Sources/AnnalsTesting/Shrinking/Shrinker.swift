/// Finds the simplest case that fails as a given one does.
///
/// It knows nothing about values. It proposes simpler lists of choices, runs each, and keeps it if it fails in the same
/// way. Every kept list is shorter than the one before, or equally long and earlier in order, so that this ends. It
/// tries the passes, the cheap ones first, until none of them finds anything.
final class Shrinker {
  /// The result of a proposal.
  struct Outcome {
    let record: Record
    /// True if it failed as the first case did.
    let fails: Bool
  }

  /// The simplest case so far.
  private(set) var best: Record
  /// What the choices of the simplest case are for.
  private(set) var shape: Shape
  /// The choices of the simplest case.
  private(set) var indices: [UInt64]
  /// How many cases ran.
  private(set) var tries = 0
  /// How many of them were simpler and failed.
  private(set) var shrinks = 0

  /// The numbers that were as small as possible once; they mostly are when another choice has changed.
  var settled: Set<Choice> = []
  /// The simplest case whose states were searched to the end.
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

  /// True if the limit of cases or of time is reached.
  var isSpent: Bool { shrinks >= maxShrinks || tries >= maxTries || ContinuousClock.now >= deadline }

  /// Shrinks as far as possible.
  func shrink() {
    // A program runs once more, for the states of its model.
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

  /// Tries passes until none of them finds anything.
  ///
  /// After each success of a pass the groups before its own begin again. Its own goes on with the next pass: two passes
  /// that undo each other's work would otherwise keep the others waiting.
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
  /// - Returns: True if it was kept.
  @discardableResult
  func attempt(_ proposal: [UInt64]) -> Bool {
    Record.isSimpler(proposal, than: indices) && execute(proposal).isKept
  }

  /// Runs the case of some choices unless its outcome is known, and keeps it if it is simpler and fails.
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
    guard outcome.fails, Record.isSimpler(outcome.record.indices, than: indices) else { return (outcome.record, false) }
    best = outcome.record
    shape = Shape(best)
    indices = best.indices
    shrinks += 1
    return (best, true)
  }

  /// Sets one choice.
  func set(_ place: Int, to index: UInt64) -> Bool {
    guard place < indices.count else { return false }
    var proposal = indices
    proposal[place] = index
    return attempt(proposal)
  }

  /// The choices of the simplest case without some of them.
  func removing(_ range: Range<Int>) -> [UInt64] {
    Array(indices[..<range.lowerBound]) + indices[range.upperBound...]
  }

  /// The largest number that meets a condition, if all smaller ones meet it too; the condition is evaluated O(log n)
  /// times.
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

  /// A number that meets a condition and whose successor does not, up to a limit; 0 if 1 does not.
  ///
  /// It looks at both ends first, and then halves what lies between.
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
