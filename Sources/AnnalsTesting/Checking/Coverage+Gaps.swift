extension Coverage {
  /// A sentence for every subject with vacuous examples, such as only empty histories or only refusals.
  var vacuous: [String] {
    let idle = Subject.named(answers).compactMap { name, answers -> String? in
      guard answers.done.isEmpty else { return nil }
      let refusals = Self.counts(answers.refusals)
      let (refused, nothing) = (answers.refusals.values.reduce(0, +), answers.nothing.values.reduce(0, +))
      if answers.kind == "machine" {
        if refused == 0 {
          return "\(name): no command was ever chosen. Check that the commands' `when` conditions can be met, and that "
            + "the generators of the arguments have values"
        }
        return "\(name): all \(refused) commands were refused (\(refusals)), and no command was executed; "
          + "generate commands that the model accepts"
      }
      guard answers.lawAnswers > 0 else { return nil }
      return "\(name) returned no event for \(refused + nothing) commands: \(refused) refused"
        + (refused > 0 ? " (\(refusals))" : "") + ", \(nothing) accepted without an event. Generate other commands or "
        + "other histories, so that commands return events"
    }
    let empty = Subject.named(histories).compactMap { name, histories -> String? in
      guard histories.count > 0, histories.empty == histories.count else { return nil }
      return "all generated histories of \(name) were empty. Generate histories that contain events"
    }
    return idle + empty
  }

  /// A feature that no example reached.
  struct Gap {
    /// The name of the event, command or refusal.
    let name: String
    let description: String
    /// True if a scenario tested the decider, but no law, so that the feature isn't expected.
    var isInScenario = false
  }

  /// The features that no example reached.
  ///
  /// The full set of cases is known only for enums. If an enum has custom descriptions, its cases can't be recognized,
  /// so none of them is listed.
  var gaps: [Gap] {
    var gaps: [Gap] = []
    for (subject, histories) in Subject.named(histories) {
      for name in Self.missing(histories.allEvents, histories.events.keys) {
        gaps.append(Gap(name: name, description: "the event \(name) of \(subject)"))
      }
    }
    for (subject, answers) in Subject.named(answers) {
      func add(_ name: String, _ description: String) {
        gaps.append(Gap(name: name, description: description, isInScenario: !answers.isSearched))
      }
      let drawn = Array(answers.done.keys) + Array(answers.nothing.keys) + Array(answers.refused.keys)
      for name in Self.missing(answers.commands, drawn) { add(name, "the command \(name) of \(subject)") }
      for name in answers.alwaysRefused {
        add(name, "an accepted command \(name) of \(subject) (number of refusals: \(answers.refusals(of: name)))")
      }
      for name in Self.missing(answers.allRefusals, answers.refusals.keys) {
        add(name, "the refusal \(name) of \(subject)")
      }
    }
    for (subject, effects) in Subject.named(effects) {
      for (name, count) in effects.events.sorted(by: { $0.key < $1.key }) where effects.idle[name] == count {
        gaps.append(
          Gap(
            name: name,
            description: "an effect of the event \(name) on \(subject) (\(count) of \(count) changed no row and no "
              + "section)"))
      }
    }
    return gaps
  }

  /// A sentence for every projection about the events that had no effect on it.
  var ineffective: [String] {
    Subject.named(effects).compactMap { subject, effects in
      guard !effects.idle.isEmpty else { return nil }
      let (idle, all) = (effects.idle.values.reduce(0, +), effects.events.values.reduce(0, +))
      return "\(idle) of \(all) events changed no row and no section of \(subject): \(Self.counts(effects.idle))"
    }
  }

  /// The commands of laws and machines that were drawn and always refused.
  ///
  /// - Parameters:
  ///   - settings: The settings, which can allow commands.
  ///   - count: The minimum number of refusals of a listed command.
  /// - Returns: A sentence for every command, with its most frequent refusals.
  func alwaysRefused(_ settings: CheckSettings, from count: Int) -> [String] {
    Subject.named(answers).flatMap { subject, answers in
      guard answers.isSearched else { return [] as [String] }
      return answers.alwaysRefused.compactMap { name in
        let refusals = answers.refusals(of: name)
        guard refusals >= count, !settings.allows(unreached: name) else { return nil }
        return "the command \(name) of \(subject) was refused \(refusals) of \(refusals) times ("
          + "\(Self.counts(answers.refused[name] ?? [:], 3))). Generate other arguments, or other earlier commands or "
          + "events, so that the command succeeds. If every call must be refused, use CheckSettings(allowsUnreached: "
          + "[\"\(name)\"])"
      }
    }
  }

  /// The number of occurrences, by the name of the decider or machine and the name of the refusal.
  var refusals: [String: Int] {
    Subject.named(answers).reduce(into: [:]) { counts, entry in
      for (refusal, count) in entry.value.refusals { counts["\(entry.key): \(refusal)", default: 0] += count }
    }
  }

  private static func missing(_ all: [String]?, _ found: some Sequence<String>) -> [String] {
    let found = Set(found)
    guard let all, found.isSubset(of: all) else { return [] }
    return all.filter { !found.contains($0) }
  }

  /// Returns the most frequent names with their counts as text.
  private static func counts(_ counts: [String: Int], _ most: Int = .max) -> String {
    counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(most).map { "\($0.key) \($0.value)" }
      .joined(separator: ", ")
  }
}

extension Coverage.Answers {
  /// The names of the commands that were always refused, although no scenario expects it, in order.
  fileprivate var alwaysRefused: [String] {
    refused.keys.filter { done[$0] == nil && nothing[$0] == nil && !expected.contains($0) }.sorted()
  }
}
