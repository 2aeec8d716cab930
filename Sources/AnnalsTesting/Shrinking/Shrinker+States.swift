/// The passes for programs whose model says when two states are equal.
extension Shrinker {
  /// Removes the steps between two equal states: all such detours at once, or the longest ones.
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

  /// Looks for the shortest program as for the shortest way: from each state that is new, one step further.
  ///
  /// A program that leads to a state that an earlier one led to is not continued. So there are not many if the model
  /// has few states. If it has many, this gives up early.
  func searchStates() {
    while !isSpent, searchOnce(.all, tries: 600) {}
  }

  /// Looks among the programs of the commands and arguments that the simplest case has, if the search gave up.
  ///
  /// A shorter one may have another command at one place and other arguments at the next, and no smaller change leads
  /// there. For programs of two steps there are simpler changes.
  func searchKnownSteps() {
    while !isSpent, searched != indices, best.states.count > 2, searchOnce(.known, tries: 400) {}
  }

  /// The steps that a search tries.
  private enum Steps {
    /// Each command, with all arguments if they are few.
    case all
    /// Those whose choices the simplest case has somewhere.
    case known
  }

  /// Looks once; returns true if a case was kept.
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
      // Few states are not much work. With many, the next steps must be few.
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

  /// Runs a program with one more step, in each way.
  ///
  /// - Returns: True if a case was kept.
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

  /// The choices of a case with the last one of a range that can be raised raised, and none after it.
  ///
  /// A choice with a large bound takes the values that it has elsewhere, and the simplest ones. Among known steps, each
  /// choice takes the values that it has elsewhere.
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
