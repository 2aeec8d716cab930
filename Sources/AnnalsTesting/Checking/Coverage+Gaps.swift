extension Coverage {
  /// A sentence for every subject with vacuous examples, such as only empty histories or only refusals.
  var vacuous: [String] {
    let idle = Subject.named(answers).compactMap { name, answers -> String? in
      guard answers.done.isEmpty else { return nil }
      let refusals = Self.counts(answers.refusals)
      let (refused, nothing) = (answers.refused.values.reduce(0, +), answers.nothing.values.reduce(0, +))
      if answers.kind == "machine" {
        if refused == 0 {
          return "\(name): no command was ever chosen; check the commands' `when` conditions, and that the generators "
            + "of their arguments have values"
        }
        return "\(name): all \(refused) commands were refused (\(refusals)), and no command was executed; "
          + "generate commands that the model accepts"
      }
      guard answers.lawAnswers > 0 else { return nil }
      return "\(name) returned no event for \(refused + nothing) commands: \(refused) refused"
        + (refused > 0 ? " (\(refusals))" : "") + ", \(nothing) accepted without an event; generate commands that can "
        + "succeed, or histories after which they can succeed"
    }
    let empty = Subject.named(histories).compactMap { name, histories -> String? in
      guard histories.count > 0, histories.empty == histories.count else { return nil }
      return "all generated histories of \(name) were empty. Generate histories that contain events"
    }
    return idle + empty
  }

  /// Descriptions of the features that no example reached.
  ///
  /// The full set of cases is known only for enums. If an enum has custom descriptions, its cases can't be recognized,
  /// so none of them is listed.
  var gaps: [String] {
    var lines: [String] = []
    for (name, histories) in Subject.named(histories) {
      lines += Self.missing(histories.allEvents, histories.events).map { "the event \($0) of \(name)" }
    }
    for (name, answers) in Subject.named(answers) {
      let met = answers.done.merging(answers.nothing, uniquingKeysWith: +)
      let asked = met.merging(answers.refused, uniquingKeysWith: +)
      lines += Self.missing(answers.commands, asked).map { "the command \($0) of \(name)" }
      for (command, count) in answers.refused.sorted(by: { $0.key < $1.key }) where met[command] == nil {
        lines.append("an accepted command \(command) of \(name) (number of refusals: \(count))")
      }
      lines += Self.missing(answers.allRefusals, answers.refusals).map { "the refusal \($0) of \(name)" }
    }
    return lines
  }

  /// The number of occurrences, by the name of the decider or machine and the name of the refusal.
  var refusals: [String: Int] {
    Subject.named(answers).reduce(into: [:]) { counts, entry in
      for (refusal, count) in entry.value.refusals { counts["\(entry.key): \(refusal)", default: 0] += count }
    }
  }

  private static func missing(_ all: [String]?, _ found: [String: Int]) -> [String] {
    guard let all, Set(found.keys).isSubset(of: all) else { return [] }
    return all.filter { found[$0] == nil }
  }

  private static func counts(_ counts: [String: Int]) -> String {
    counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
  }
}
