import Foundation

extension Explorer {
  /// Returns the failure for a failing case, shrunk as far as possible.
  func shrunk(_ error: any Error, _ verdict: Verdict) throws -> PropertyFailure {
    let origin = verdict.origin
    context.isSearching = false
    defer { context.isSearching = true }
    var others: [String: [UInt64]] = [:]
    let shrinker = Shrinker(
      runner.record, maxShrinks: settings.maxShrinks, maxTries: max(20_000, settings.maxShrinks),
      time: settings.shrinkTime
    ) { [runner] plan in
      let verdict = runner.run(plan)
      let record = runner.record
      guard let found = verdict.origin else { return .init(record: record, fails: false) }
      if found != origin, others[found].map({ Record.isSimpler(record.indices, than: $0) }) ?? true {
        others[found] = record.indices
      }
      return .init(record: record, fails: found == origin)
    }
    shrinker.shrink()
    let isCutShort = shrinker.isSpent
    var failure = failure(error, shrinker.best, shrunk: shrinker)
    failure.isSmallest = !isCutShort
    failure.others = others.sorted { $0.key < $1.key }.map { origin, indices in
      "\(origin)  \(ReplayToken(property: property.hash, indices: indices).text)"
    }
    if failure.kind == .falsified { try failures?.insert(shrinker.indices, reason: "\(failure.error ?? error)") }
    return failure
  }

  /// Reruns a failing case to describe it.
  func failure(_ error: any Error, _ record: Record, shrunk: Shrinker?) -> PropertyFailure {
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
    failure.shrinks = shrunk?.shrinks ?? 0
    failure.shrinkTries = shrunk?.tries ?? 0
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
