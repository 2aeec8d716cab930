/// The passes that lower one or a few choices at a time.
extension Shrinker {
  /// Lowers every choice as far as possible without changing other choices.
  func lowerEach() {
    var place = 0
    while place < indices.count, !isSpent {
      if isLowerable(place) { lower([place]) }
      place += 1
    }
  }

  /// Whether a choice can be lowered: It isn't 0 or forced, and doesn't determine if a collection continues.
  func isLowerable(_ place: Int) -> Bool {
    indices[place] > 0 && !best.choices[place].isForced && !shape.isBit[place]
  }

  /// Lowers equal choices together: first all equal choices, and then equal choices with the same bound.
  func lowerDuplicates() {
    var done: Set<Choice> = []
    var place = 0
    while place < indices.count, !isSpent {
      let choice = best.choices[place]
      if choice.index > 0, choice.bound > 1, done.insert(choice).inserted {
        let all = indices.indices.filter { indices[$0] == choice.index && best.choices[$0].bound > 1 }
        let alike = all.filter { best.choices[$0].bound == choice.bound }
        if all.count > 1 { lower(all) }
        if alike.count > 1, alike.count < all.count { lower(alike) }
      }
      place += 1
    }
  }

  /// Lowers equal choices together as far as possible: to the smallest numbers, then to fewer bits, then by even steps.
  ///
  /// Even steps keep the sign of a number when indices count outward from 0.
  func lower(_ places: [Int]) {
    func value() -> UInt64? { places.allSatisfy { $0 < indices.count } ? indices[places[0]] : nil }
    func move(to index: UInt64) -> Bool {
      guard places.allSatisfy({ $0 < indices.count }) else { return false }
      var proposal = indices
      for place in places { proposal[place] = index }
      return attempt(proposal)
    }
    var isFirst = true
    while let first = value(), first > 0 {
      // If a number was minimal before, and its next smaller numbers don't fail either, it is considered minimal.
      if isFirst, first > 2, settled.contains(best.choices[places[0]]) {
        guard move(to: 0) || move(to: first - 2) || move(to: first - 1) else { return }
        isFirst = false
        continue
      }
      isFirst = false
      for index in 0..<min(first, 3) where move(to: index) { return }
      // As few bits as possible, without changing the sign.
      let length = UInt64(64 - first.leadingZeroBitCount)
      let shift = Shrinker.farthest(through: length - 1) { move(to: (first >> $0) & ~1 | first & 1) }
      guard let here = value(), here > 2 else { return }
      // The number with one bit less doesn't fail, so the smallest failing number is between this number and `here`.
      let least = shift < length - 1 ? (first >> (shift + 1)) & ~1 | first & 1 : 2
      if here > least { Shrinker.farthest(through: (here - least) / 2) { move(to: here - $0 * 2) } }
      guard let last = value(), last > 2 else { return }
      guard move(to: last - 1) else {
        settled.insert(best.choices[places[0]])
        return
      }
    }
  }

  /// Replaces alternatives with earlier alternatives, and redraws the choices inside them.
  func lowerBranches() {
    var chance = SplitMix64(seed: 0x5EED)
    var number = 0
    while number < best.spans.count, !isSpent {
      let span = best.spans[number]
      let place = Int(span.start)
      if span.label == .branch || span.label == .recursion, !span.range.isEmpty, indices[place] > 0,
        !best.choices[place].isForced
      {
        for index in 0..<indices[place] where lowerBranch(number, place, to: index, &chance) { break }
      }
      number += 1
    }
  }

  private func lowerBranch(_ number: Int, _ place: Int, to index: UInt64, _ chance: inout SplitMix64) -> Bool {
    let prefix = indices[..<place] + [index]
    let rest = indices[best.spans[number].range.upperBound...]
    for _ in 0..<4 where !isSpent {
      let plan = Plan(.random(chance.split()), prefix: Array(prefix), limit: indices.count + 64, averageCount: 1)
      let (record, isKept) = execute(plan)
      if isKept { return true }
      guard number < record.spans.count, record.spans[number].start == place else { continue }
      let range = record.spans[number].range
      let inner = record.indices[(place + 1)..<max(range.upperBound, place + 1)]
      if attempt(Array(prefix) + Array(inner) + Array(rest)) { return true }
    }
    return false
  }

  /// Lowers a number that determines a later count, and removes the surplus choices, wherever they are.
  func lowerAndRepair() {
    var place = 0
    while place < indices.count, !isSpent {
      if isLowerable(place) {
        while lowerAndRepair(place), place < indices.count, indices[place] > 0 {}
      }
      place += 1
    }
  }

  private func lowerAndRepair(_ place: Int) -> Bool {
    // Lowers by large amounts first, and by one last.
    var tried: Set<UInt64> = []
    return [0, 1, indices[place] / 2, indices[place] - 1].contains { index in
      index < indices[place] && tried.insert(index).inserted && lowerAndRepair(place, to: index)
    }
  }

  private func lowerAndRepair(_ place: Int, to index: UInt64) -> Bool {
    var lowered = indices
    let base = lowered[place]
    lowered[place] = index
    // Reruns a known proposal too, because the choices of the run are needed.
    let (record, isKept) = execute(lowered)
    if isKept { return true }
    let lost = indices.count - record.choices.count
    guard lost > 0, place + 1 + lost <= lowered.count else { return false }
    // Removes one element of a fixed number.
    if index + 1 == base {
      let isKept = best.spans.indices.filter { shape.isFixed[$0] && best.spans[$0].start > place }.prefix(24).contains {
        var proposal = lowered
        proposal.removeSubrange(best.spans[$0].range)
        return attempt(proposal)
      }
      if isKept { return true }
    }
    // Keeps the last parts instead of the first ones, or removes one part.
    if attempt(Array(lowered[...place]) + lowered[(place + 1 + lost)...]) { return true }
    let later = best.spans.filter { $0.start > place && $0.range.count == lost }
    return later.prefix(24).contains { span in
      attempt(Array(lowered[..<span.range.lowerBound]) + lowered[span.range.upperBound...])
    }
  }

  /// Removes an element or a step, and raises a later choice, which might then make up for the removal.
  ///
  /// The choice is raised by one, or by the removed amount.
  func deleteAndRaise() {
    var (left, number) = (300, best.spans.count - 1)
    while number >= 0, left > 0, !isSpent {
      defer { number -= 1 }
      guard number < best.spans.count else { continue }
      let span = best.spans[number]
      guard span.label == .element || span.label == .step, !span.range.isEmpty, !span.isDiscarded else { continue }
      guard !shape.isFixed[number] else { continue }
      let later = span.range.upperBound..<indices.count
      let amount = amount(in: span)
      for place in later.prefix(24) where best.choices[place].bound > 0 && !best.choices[place].isForced {
        guard !shape.isBit[place] else { continue }
        let isKept = Set([1, amount?.bound == best.choices[place].bound ? amount?.index ?? 1 : 1]).sorted().contains {
          guard left > 0, best.choices[place].bound - indices[place] >= $0 else { return false }
          var proposal = indices
          proposal[place] += $0
          proposal.removeSubrange(span.range)
          left -= 1
          return attempt(proposal)
        }
        if isKept { break }
      }
    }
  }

  /// Removes a span, and decrements the numbers that might refer to later spans.
  func deleteAndDecrement() {
    var number = best.spans.count - 1
    while number >= 0, !isSpent {
      defer { number -= 1 }
      guard number < best.spans.count else { continue }
      let span = best.spans[number]
      guard span.label == .element || span.label == .step, !span.range.isEmpty, !span.isDiscarded else { continue }
      guard !shape.isFixed[number] else { continue }
      let ordinal = best.spans[..<number].count { $0.parent == span.parent && $0.label == span.label }
      for threshold in Set([UInt64(ordinal), UInt64(ordinal) + 1, 1]).sorted() where threshold > 0 {
        var proposal = indices
        for place in proposal.indices where proposal[place] >= threshold && best.choices[place].bound > 1 {
          proposal[place] -= 1
        }
        proposal.removeSubrange(span.range)
        if attempt(proposal) { break }
      }
    }
  }
}
