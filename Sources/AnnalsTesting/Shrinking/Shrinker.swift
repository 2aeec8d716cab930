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
  /// The choices of the simplest case.
  private(set) var indices: [UInt64]
  /// How many cases ran.
  private(set) var tries = 0
  /// How many of them were simpler and failed.
  private(set) var shrinks = 0

  private let run: (Plan) -> Outcome
  private let maxShrinks: Int
  private let maxTries: Int
  private let deadline: ContinuousClock.Instant
  private var known: Set<[UInt64]> = []

  init(
    _ record: Record, maxShrinks: Int, maxTries: Int, time: Duration = .seconds(60), run: @escaping (Plan) -> Outcome
  ) {
    best = record
    indices = record.indices
    self.maxShrinks = maxShrinks
    self.maxTries = maxTries
    deadline = ContinuousClock.now + time
    self.run = run
  }

  /// True if the limit of cases or of time is reached.
  var isSpent: Bool { shrinks >= maxShrinks || tries >= maxTries || ContinuousClock.now >= deadline }

  /// Shrinks as far as possible.
  func shrink() {
    let cheap = [deleteDiscarded, zeroSpans, deleteSiblings, hoistDescendants, lowerEach]
    let dear = [
      shiftPairs, lowerBranches, sortSiblings, lowerDuplicates, lowerAndRepair, deleteAndDecrement, deleteRuns,
      lowerOneByOne, deleteAndRaise, deleteAndExchange, exchangeValues, replaceSteps, moveElements,
      enumerate,
    ]
    repeat {
      // Only a few rounds: two numbers that depend on each other shrink one step at a time. An expensive pass lowers
      // both at once.
      for _ in 0..<4 where !isSpent {
        let before = shrinks
        for pass in cheap where !isSpent { pass() }
        if shrinks == before { break }
      }
      let before = shrinks
      for pass in dear where shrinks == before && !isSpent { pass() }
      if shrinks == before { return }
    } while !isSpent
  }

  /// Runs a proposal, and keeps it if it is simpler and fails.
  ///
  /// - Returns: True if it was kept.
  @discardableResult
  func attempt(_ proposal: [UInt64]) -> Bool {
    observe(proposal)?.isKept ?? false
  }

  /// Runs a proposal, and keeps it if it is simpler and fails.
  ///
  /// Returns the choices of a case that is not kept, too.
  ///
  /// - Returns: Nil if the proposal was run before or is not simpler.
  func observe(_ proposal: [UInt64]) -> (record: Record, isKept: Bool)? {
    guard Record.isSimpler(proposal, than: indices), !isSpent, known.insert(proposal).inserted else { return nil }
    return execute(Plan(.zeros, prefix: proposal, limit: indices.count))
  }

  /// Runs a case, and keeps it if it is simpler and fails.
  func execute(_ plan: Plan) -> (record: Record, isKept: Bool) {
    tries += 1
    let outcome = run(plan)
    let chosen = outcome.record.indices
    guard outcome.fails, Record.isSimpler(chosen, than: indices) else { return (outcome.record, false) }
    best = outcome.record
    indices = chosen
    shrinks += 1
    return (outcome.record, true)
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
      guard high <= limit / 2 else { break }
      high *= 2
    }
    high = min(high, limit == .max ? limit : limit + 1)
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if holds(middle) { low = middle } else { high = middle }
    }
    return low
  }
}
