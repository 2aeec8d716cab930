import Foundation

extension Explorer {
  /// A failing case with the cause of its failure.
  private struct Failing {
    var record: Record
    var origin: String?
  }

  /// Returns the failure for a failing case, shrunk as far as possible.
  ///
  /// A case without concurrent commands is simpler than a case with concurrent commands, even if it is longer or fails
  /// for another reason. Otherwise the report of a sequential bug would show a race.
  func shrunk(_ error: any Error, _ verdict: Verdict) throws -> PropertyFailure {
    context.isSearching = false
    defer { context.isSearching = true }
    var failing = Failing(record: runner.record, origin: verdict.origin)
    var others: [String: Record] = [:]
    var (shrinks, tries) = (0, 0)
    let end = ContinuousClock.now + settings.shrinkTime
    var isSmallest = true
    while true {
      if let simpler = separated(failing) { failing = simpler }
      let origin = failing.origin
      let shrinker = Shrinker(
        failing.record, maxShrinks: settings.maxShrinks - shrinks, maxTries: max(20_000, settings.maxShrinks) - tries,
        time: end - .now
      ) { [runner] plan in
        let verdict = runner.run(plan)
        let record = runner.record
        guard let found = verdict.origin else { return .init(record: record, fails: false) }
        if found != origin, others[found].map({ Self.isSimpler(record, than: $0) }) ?? true { others[found] = record }
        return .init(record: record, fails: found == origin)
      }
      shrinker.shrink()
      (shrinks, tries) = (shrinks + shrinker.shrinks, tries + shrinker.tries)
      isSmallest = !shrinker.isSpent
      failing.record = shrinker.best
      if failing.record.turns.isEmpty || !isSmallest { break }
      // The smallest case is a race, so a sequential failure with any other cause is simpler.
      let sequential = others.filter(\.value.turns.isEmpty).min { Self.isSimpler($0.value, than: $1.value) }
      if let sequential {
        others[sequential.key] = nil
        if let origin { others[origin] = failing.record }
        failing = Failing(record: sequential.value, origin: sequential.key)
      } else if let simpler = separated(failing) {
        failing = simpler
      } else {
        break
      }
    }
    others[failing.origin ?? ""] = nil
    var failure = failure(error, failing.record)
    (failure.shrinks, failure.shrinkTries, failure.isSmallest) = (shrinks, tries, isSmallest)
    failure.isRace = isSmallest && !failing.record.turns.isEmpty
    if failure.kind == .falsified, settings.explains, isSmallest, failing.record.turns.isEmpty {
      failure.explained = explained(failing.record, failing.origin, failure.input, until: end)
    }
    failure.others = others.sorted { $0.key < $1.key }.map { origin, record in
      "\(origin)  \(ReplayToken(property: property.hash, indices: record.indices).text)"
    }
    if failure.kind == .falsified {
      try failures?.insert(failing.record.indices, reason: "\(failure.error ?? error)")
    }
    return failure
  }

  /// Returns a failing case with fewer concurrent commands, or `nil` if none was found.
  ///
  /// All concurrent turns are taken apart at the same time, and then a single turn. A case without concurrent commands
  /// may fail for any reason.
  private func separated(_ failing: Failing) -> Failing? {
    let turns = failing.record.turns
    guard !turns.isEmpty else { return nil }
    let parts = [turns.indices] + (2...4 ~= turns.count ? turns.indices.map { $0..<$0 + 1 } : [])
    for part in parts {
      for isReversed in [false, true] {
        let indices = failing.record.separating(part, isReversed: isReversed)
        let verdict = runner.run(Plan(.zeros, prefix: indices, limit: settings.maxChoices))
        let record = runner.record
        guard let origin = verdict.origin, record.turns.count < turns.count else { continue }
        if record.turns.isEmpty || origin == failing.origin { return Failing(record: record, origin: origin) }
      }
    }
    return nil
  }

  private static func isSimpler(_ left: Record, than right: Record) -> Bool {
    left.turns.count == right.turns.count
      ? Record.isSimpler(left.indices, than: right.indices) : left.turns.count < right.turns.count
  }

  /// Reruns a failing case to describe it.
  func failure(_ error: any Error, _ record: Record) -> PropertyFailure {
    var plan = Plan(.zeros, prefix: record.indices, limit: settings.maxChoices)
    plan.isDescribed = true
    let verdict = runner.run(plan)
    var failure = PropertyFailure(.flaky, property, report)
    failure.error = error
    if case .failed(let final) = verdict {
      failure.kind = .falsified
      failure.error = final
    }
    let story = runner.story
    failure.input = story.transcript
    failure.log = story.log
    failure.notes = context.notes
    failure.token = ReplayToken(property: property.hash, indices: record.indices).text
    writeLog(&failure)
    return failure
  }

  /// Writes a machine's log to the directory in the settings.
  private func writeLog(_ failure: inout PropertyFailure) {
    guard let directory = settings.logs, !failure.log.isEmpty else { return }
    let folder = URL(fileURLWithPath: directory, isDirectory: true)
    let file = folder.appendingPathComponent("\(property.fileName).jsonl")
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(failure.log.map { $0 + "\n" }.joined().utf8).write(to: file, options: .atomic)
      failure.logFile = file.path
    } catch {
      // The failure matters more, so a log that can't be written must not hide it.
      failure.notes.append("the run's log can't be written to \(file.path): \(error)")
    }
  }
}
