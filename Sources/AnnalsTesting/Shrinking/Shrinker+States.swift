/// The passes for programs whose model can compare states.
extension Shrinker {
  /// Removes the steps between two equal states: first all of these detours together, then the longest detours.
  func deleteDetours() {
    while !isSpent {
      let states = best.states
      var last: [Int: Int] = [:]
      for (number, state) in states.enumerated() { last[state.key] = number }
      var (ranges, number) = ([Range<Int>](), 0)
      while number < states.count {
        let end = last[states[number].key] ?? number
        if end > number { ranges.append(states[number].end..<states[end].end) }
        number = end + 1
      }
      let longest = ranges.sorted { $0.count > $1.count }.prefix(8).map { [$0] }
      let proposals = ranges.count > 1 ? [ranges] + longest : longest
      guard proposals.contains(where: { attempt(removing($0)) }) else { return }
    }
  }

  private func removing(_ ranges: [Range<Int>]) -> [UInt64] {
    ranges.reversed().reduce(into: indices) { $0.removeSubrange($1) }
  }

  /// Searches for the shortest program in the same way as for a shortest path: every program that reaches a new state
  /// is extended by one step.
  ///
  /// A program that ends in a known state isn't continued. So there are few programs if the model has few states. If
  /// the model has many states, this search stops early.
  func searchStates() {
    while !isSpent, searchOnce(.all, tries: 600) {}
  }

  /// Searches among the programs with commands and arguments of the simplest case, if the full search stopped early.
  ///
  /// A shorter program might differ in a command and also in the arguments of the next step, which smaller changes
  /// can't reach. For programs of two steps, simpler passes are sufficient.
  func searchKnownSteps() {
    while !isSpent, searched != indices, best.states.count > 2, searchOnce(.known, tries: 400) {}
  }

  /// The steps that a search tries.
  private enum Steps {
    /// Every command, with all arguments if a command has few possible arguments.
    case all
    /// The steps whose choices occur anywhere in the simplest case.
    case known
  }

  /// Runs one search, and returns whether it kept a case.
  private func searchOnce(_ kind: Steps, tries limit: Int) -> Bool {
    guard let start = best.states.first else { return false }
    let steps = best.states.count
    var known: Set<Int> = [start.key]
    var level = [Array(indices[..<start.end])]
    let first = tries
    for depth in 1...steps where !level.isEmpty {
      var next: [[UInt64]] = []
      let before = tries
      for prefix in level where prefix.count + 2 <= indices.count {
        let isKept = extend(prefix, by: kind) { choices, state in
          if known.insert(state.key).inserted { next.append(choices) }
        }
        if isKept { return true }
        if isSpent || tries - first >= limit { return false }
      }
      // With few states, the search is cheap. With many, the number of next steps must be small.
      let growth = Double(next.count) / Double(level.count)
      let width = Double(max(tries - before, level.count)) / Double(level.count)
      let power = (depth..<max(depth, steps - 1)).reduce(1.0) { power, _ in power * growth }
      guard kind == .known || growth <= 2.5 || width * Double(next.count) * power < 500 else {
        return false
      }
      level = next
    }
    if kind == .all { searched = indices }
    return false
  }

  /// Runs a program with every possible additional step.
  ///
  /// - Returns: Whether a case was kept.
  private func extend(_ prefix: [UInt64], by kind: Steps, _ body: ([UInt64], ProgramState) -> Void) -> Bool {
    var variant = prefix + [1]
    for _ in 0..<64 where !isSpent {
      let (record, isKept) = execute(variant)
      if isKept { return true }
      guard let number = record.spans.firstIndex(where: { $0.label == .step && $0.start == prefix.count }),
        let attempt = record.spans[(number + 1)...].first(where: { $0.parent == number && $0.label == .attempt })
      else { return false }
      if !attempt.isDiscarded, let state = record.states.first(where: { $0.end > prefix.count }),
        state.end == record.spans[number].end
      {
        body(Array(record.indices[..<state.end]), state)
      }
      guard let next = following(record, attempt.range, kind) else { return false }
      variant = next
    }
    return false
  }

  /// Raises the last choice in a range that can be raised, and returns the choices through this choice, or `nil` if no
  /// choice can be raised.
  ///
  /// A choice with a large bound takes the values of other choices and the simplest values. In a search among known
  /// steps, every choice takes only values of other choices.
  private func following(_ record: Record, _ range: Range<Int>, _ kind: Steps) -> [UInt64]? {
    var next = Array(record.indices[..<range.upperBound])
    while next.count > range.lowerBound, let last = next.popLast() {
      let choice = record.choices[next.count]
      guard !choice.isForced, last < choice.bound else { continue }
      let values = best.choices.filter { $0.bound == choice.bound && $0.index > last }.map(\.index)
      let isAny = kind == .all && (choice.bound < 8 || last < 2)
      guard let higher = isAny ? last + 1 : values.min() else { continue }
      return next + [higher]
    }
    return nil
  }
}
