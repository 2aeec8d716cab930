import Foundation

/// The part of every check that searches for a failing case, and shrinks it as far as possible.
final class Explorer {
  let property: PropertyName
  let settings: CheckSettings
  let runner: any CaseRunner
  let context: CaseContext
  let failures: FailureFile?
  var report = CheckReport()
  /// The best case so far for every score.
  private var targets: [String: (score: Double, record: Record)] = [:]
  /// A recent case, as a source of parts to copy.
  private var sample: Record?
  /// The cases with new coverage.
  var corpus: Corpus

  init(_ property: PropertyName, _ settings: CheckSettings, _ runner: any CaseRunner, _ context: CaseContext) throws {
    self.property = property
    self.settings = settings
    self.runner = runner
    self.context = context
    failures = settings.failures.map { FailureFile(directory: $0, property: property) }
    corpus = Corpus(directory: settings.corpus, property: property)
    report.seed = settings.seed ?? UInt64.random(in: 0...0xFFFF_FFFF)
    chance = SplitMix64(seed: report.seed)
  }

  /// Checks the property.
  func explore() throws -> CheckReport {
    let start = ContinuousClock.now
    if let token = settings.replay {
      let token = try ReplayToken(token)
      try replay(token.indices)
      report.examples = 1
      return report
    }
    try runKnownFailures()
    try runCorpus()
    try generate(kept + settings.examples)
    try lookFurther()
    if let time = settings.time {
      while ContinuousClock.now < start + time { try generate(report.examples + 1) }
    }
    try corpus.write()
    return try finished()
  }

  /// The number of examples that came from the corpus.
  private var kept = 0

  /// Runs the corpus cases from earlier runs, and removes cases that add no coverage from the corpus.
  private func runCorpus() throws {
    for indices in try corpus.read() {
      try take(runner.run(Plan(.zeros, prefix: indices, limit: settings.maxChoices)))
    }
    kept = report.examples
    corpus.begin()
  }

  /// Counts a case, and stores the case if later cases can build on it.
  private func take(_ verdict: Verdict) throws {
    switch verdict {
    case .passed:
      report.examples += 1
      if context.count() > 0 { corpus.insert(runner.record) }
      remember()
    case .discarded(let reason):
      report.discarded += 1
      discards[reason, default: 0] += 1
    case .cancelled: throw CancellationError()
    case .failed(let error):
      // The next run can use this run's new cases. The failure matters more than a full disk, so errors are ignored.
      try? corpus.write()
      throw try shrunk(error, verdict)
    }
  }

  /// Reruns a case without shrinking it.
  private func replay(_ indices: [UInt64]) throws {
    let verdict = runner.run(Plan(.zeros, prefix: indices, limit: settings.maxChoices))
    if case .failed(let error) = verdict { throw failure(error, runner.record) }
  }

  private func runKnownFailures() throws {
    guard let failures else { return }
    for token in try failures.tokens() {
      let verdict = runner.run(Plan(.zeros, prefix: token.indices, limit: settings.maxChoices))
      if case .failed(let error) = verdict { throw try shrunk(error, verdict) }
      try failures.remove(token)
    }
  }

  /// Runs up to 400 more cases if the check is vacuous so far, or if a command was always refused.
  ///
  /// Fifty cases can miss an event that has a probability of 1 in 100 per case. With 400 more cases, about 1 in 55
  /// checks misses such an event. An event that has a probability of 1 in 20 is almost certain to occur.
  private func lookFurther() throws {
    if mayBeVacuous { return }
    let (end, last) = (ContinuousClock.now + .seconds(10), report.examples + 400)
    while report.examples < last, ContinuousClock.now < end {
      let coverage = context.coverage
      if coverage.vacuous.isEmpty, coverage.alwaysRefused(settings, from: 1).isEmpty { break }
      try generate(report.examples + 1)
    }
  }

  /// Whether a vacuous check passes, either on purpose or because it has few examples.
  private var mayBeVacuous: Bool { settings.allowsVacuous || settings.isLowered || report.examples < 10 }

  private var chance = SplitMix64(seed: 0)
  /// The number of cases without a verdict, by reason.
  private var discards: [Discarded?: Int] = [:]

  /// The reasons for cases without a verdict, with the most frequent reasons first.
  private var discardReasons: [String] {
    let reasons = discards.map { reason, count in
      let text =
        switch reason {
        case .noValue(let text): text
        case .filter(let name):
          "\(name ?? "a filter") found no value that meets its condition; if the condition is too narrow, create valid "
            + "values with `map` and `flatMap`"
        case .assumption, nil:
          "an assumption rejected too many values. Generate only valid values with `map` and `flatMap`"
        case .tooLong:
          "the case needs more than \(settings.maxChoices) choices; generate smaller values, or raise "
            + "`CheckSettings.maxChoices`"
        }
      return (count: count, text: text)
    }
    return reasons.sorted { ($1.count, $0.text) < ($0.count, $1.text) }.prefix(5).map { "\($0.count): \($0.text)" }
  }

  private func generate(_ count: Int) throws {
    while report.examples < count {
      guard report.discarded <= 10 * max(settings.examples, report.examples, 10) else {
        var failure = PropertyFailure(.tooManyDiscards, property, report)
        failure.missing = discardReasons
        throw failure
      }
      let plan = nextPlan(&chance)
      // Examining a model's states takes a third of a step's time. So it happens only in every fourth case, and in
      // cases with a prefix.
      context.isSearching = !plan.prefix.isEmpty || report.examples % 4 == 0
      try take(runner.run(plan))
    }
  }

  /// Returns the plan for the next case: first the simplest case, then small cases, then cases of all sizes.
  ///
  /// Some plans are mutated copies of earlier cases.
  private func nextPlan(_ chance: inout SplitMix64) -> Plan {
    let number = report.examples - kept + report.discarded
    let random = chance.split()
    if number == 0 { return Plan(.zeros, limit: settings.maxChoices) }
    var plan = Plan(.random(random), limit: settings.maxChoices)
    let word = SplitMix64.mixed(random.state)
    if word & 1 == 0 { plan.swarm = word }
    let sizes: [Double] = number * 10 < settings.examples ? [1, 2] : [1, 2, 4, 6, 8, 12]
    plan.averageCount = sizes[Int(chance.next(below: UInt64(sizes.count)))]
    if number % 2 == 1, let climbed = climb(&chance) {
      plan.prefix = climbed
    } else if number > 10, number % 5 == 4, let copied = sample.flatMap({ copyPart(of: $0, &chance) }) {
      plan.prefix = copied
    } else if number > 10, number % 5 < 2, let changed = corpus.changed(&chance) {
      plan.prefix = changed
    }
    return plan
  }

  /// Stores a case to copy parts from, and the cases with the best scores.
  private func remember() {
    if (report.examples + report.discarded) % 5 == 4 { sample = runner.record }
    for (label, score) in context.scores {
      if let best = targets[label], best.score >= score { continue }
      targets[label] = (score, runner.record)
    }
  }

  /// Returns the choices of a case with a high score, with one choice changed.
  private func climb(_ chance: inout SplitMix64) -> [UInt64]? {
    guard !targets.isEmpty else { return nil }
    let labels = targets.keys.sorted()
    let label = labels[Int(chance.next(below: UInt64(labels.count)))]
    guard let record = targets[label]?.record, !record.choices.isEmpty else { return nil }
    let place = Int(chance.next(below: UInt64(record.choices.count)))
    var indices = record.indices
    let (index, bound) = (indices[place], record.choices[place].bound)
    let step = min((1 as UInt64) << chance.next(below: 16), max(bound, 1))
    indices[place] = chance.next() & 1 == 0 ? index - min(index, step) : index + min(bound - index, step)
    return indices
  }

  /// Returns a case that contains one part twice, because equal values are rare in random cases.
  private func copyPart(of record: Record, _ chance: inout SplitMix64) -> [UInt64]? {
    let spans = record.spans.filter { !$0.range.isEmpty }
    guard spans.count > 1 else { return nil }
    for _ in 0..<5 {
      let from = spans[Int(chance.next(below: UInt64(spans.count)))]
      let to = spans[Int(chance.next(below: UInt64(spans.count)))]
      guard from != to, from.label == to.label, !from.range.overlaps(to.range) else { continue }
      let indices = record.indices
      return Array(indices[..<to.range.lowerBound]) + indices[from.range] + indices[to.range.upperBound...]
    }
    return nil
  }

  private func finished() throws -> CheckReport {
    let cases = context.cases
    for (occurrence, count) in cases { report.occurrences[occurrence.name, default: 0] += count }
    report.corpus = corpus.counts
    report.refusals = context.coverage.refusals
    let gaps = context.coverage.gaps
    report.unreached = gaps.map(\.description)
    report.ineffective = context.coverage.ineffective
    report.laws = context.coverage.lawCounts
    report.advice = context.coverage.advice(settings)
    let missing = cases.filter { $0.key.isRequired && $0.value == 0 }.map(\.key.name)
    if settings.isLowered { report.unreached += missing.sorted() }
    guard missing.isEmpty || settings.isLowered else {
      var failure = PropertyFailure(.neverHappened, property, report)
      failure.missing = missing.sorted()
      throw failure
    }
    let vacuous = context.coverage.vacuous
    guard vacuous.isEmpty || mayBeVacuous else {
      var failure = PropertyFailure(.vacuous, property, report)
      failure.missing = vacuous
      throw failure
    }
    let refused = context.coverage.alwaysRefused(settings, from: 10)
    guard refused.isEmpty || mayBeVacuous else {
      var failure = PropertyFailure(.alwaysRefused, property, report)
      failure.missing = refused
      throw failure
    }
    if settings.printsReport {
      FileHandle.standardError.write(Data("\(property.function): \(report)\n".utf8))
    } else if !settings.allowsVacuous {
      let unexpected = gaps.filter { !$0.isInScenario && !settings.allows(unreached: $0.name) }
      property.warn(unreached: unexpected.map(\.description) + (settings.isLowered ? missing.sorted() : []))
      property.warn("can be improved", report.advice)
    }
    return report
  }
}

extension PropertyName {
  /// Prints the features that a passing check didn't reach.
  func warn(unreached: [String]) {
    let others = unreached.count > 8 ? ["and \(unreached.count - 8) others, see `CheckReport.unreached`"] : []
    warn("no example reached", unreached.prefix(8) + others)
  }

  /// Prints lines about a passing check under a title.
  func warn(_ title: String, _ lines: [String]) {
    guard !lines.isEmpty else { return }
    let text = (["\(function) at \(file):\(line): \(title):"] + lines.map { "  \($0)" }).joined(separator: "\n")
    FileHandle.standardError.write(Data("\(text)\n".utf8))
  }
}
