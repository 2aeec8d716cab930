/// A run of a law, which counts the law and its time for the report.
///
///     let run = LawRun("ensureUndoes", of: Self.self)
///     defer { run.end() }
struct LawRun {
  private let name: String
  private let subject: Coverage.Subject
  private let start = ContinuousClock.now

  /// Starts a run.
  ///
  /// - Parameters:
  ///   - name: The name of the law's function.
  ///   - subject: The tested type.
  init(_ name: String, of subject: Any.Type) {
    self.name = name
    self.subject = Coverage.Subject(subject)
  }

  /// Ends the run.
  func end() {
    guard let context = CaseContext.current else { return }
    let time = ContinuousClock.now - start
    context.cover { coverage in
      var laws = coverage.laws[subject] ?? [:]
      laws[name, default: Coverage.Runs()].add(Coverage.Runs(count: 1, time: time))
      coverage.laws[subject] = laws
    }
  }
}

extension Coverage {
  /// The number of times that a law ran, and the duration of all runs.
  struct Runs {
    var count = 0
    var time = Duration.zero

    mutating func add(_ other: Runs) {
      count += other.count
      time += other.time
    }
  }

  /// The number of runs, by the name of the tested type and the name of the law.
  var lawCounts: [String: Int] {
    Subject.named(laws).reduce(into: [:]) { counts, entry in
      for (law, runs) in entry.value { counts["\(entry.key): \(law)"] = runs.count }
    }
  }

  /// A sentence for every part of a check that its author should change, although the check passes.
  ///
  /// - Parameter settings: The settings, which can allow commands.
  /// - Returns: The sentences.
  func advice(_ settings: CheckSettings) -> [String] {
    rarelyAccepted(settings) + slowLaws
  }

  /// The commands that were refused in more than 95 % of at least 100 calls.
  ///
  /// In a study with planted bugs, a bug that needs a rarely accepted command was found by 1 of 8 seeds. With arguments
  /// from the model it was found by 3 of 11 seeds, sooner.
  private func rarelyAccepted(_ settings: CheckSettings) -> [String] {
    Subject.named(answers).flatMap { subject, answers -> [String] in
      guard answers.isSearched else { return [] }
      return answers.refused.keys.sorted().compactMap { name in
        let refused = answers.refusals(of: name)
        let all = refused + answers.done[name, default: 0] + answers.nothing[name, default: 0]
        guard all >= 100, refused < all, refused * 100 > all * 95, !settings.allows(unreached: name) else { return nil }
        let source = answers.kind == "machine" ? "the model" : "the state"
        return "the command \(name) of \(subject) was refused in \(refused) of \(all) calls. Draw its arguments from "
          + "\(source), so that the check also tests its effect"
      }
    }
  }

  /// The law that took most of the time, if all laws together took at least five seconds.
  private var slowLaws: [String] {
    let all = Subject.named(laws).flatMap { subject, laws in
      laws.map { (name: "\(subject): \($0.key)", runs: $0.value) }
    }
    let whole = all.reduce(Duration.zero) { $0 + $1.runs.time }
    guard whole >= .seconds(5), let slowest = all.max(by: { ($0.runs.time, $0.name) < ($1.runs.time, $1.name) }),
      slowest.runs.time > whole / 2
    else { return [] }
    return [
      "\(slowest.name) took \(slowest.runs.time.seconds) of the \(whole.seconds) seconds that all laws took. Its time "
        + "grows faster than the histories, so generate shorter ones, or request fewer examples"
    ]
  }
}

extension Duration {
  /// The number of whole seconds.
  fileprivate var seconds: Int64 { components.seconds }
}
