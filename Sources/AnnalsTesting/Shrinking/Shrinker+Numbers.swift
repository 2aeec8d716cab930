/// The passes that look for a different number or a different pair of numbers.
extension Shrinker {
  /// Changes pairs of amounts: lowers both together, or lowers the earlier amount and raises the later amount.
  func shiftPairs() {
    var place = 0
    while place < indices.count, !isSpent {
      if isAmount(place), indices[place] > 0 {
        var others = 0
        for other in (place + 1)..<max(place + 1, min(indices.count, place + 24)) {
          guard place < indices.count, other < indices.count, others < 5 else { break }
          guard isAmount(other) else { continue }
          others += 1
          for step in [2, 1] as [UInt64] { lowerBoth(place, other, step) }
          moveAll(place, other)
          // A step of two reaches the next number with the same sign. Where the range has no more numbers with the
          // other sign, a step of one reaches it.
          for (down, up) in [(2, 2), (1, 1), (2, 1)] as [(UInt64, UInt64)] { shift(place, other, down, up) }
          trade(place, other)
        }
      }
      place += 1
    }
  }

  /// Whether a choice is an amount, and not a bit, an alternative or a forced choice.
  func isAmount(_ place: Int) -> Bool {
    best.choices[place].bound > 1 && !best.choices[place].isForced && !shape.isAlternative[place]
  }

  private func shift(_ place: Int, _ other: Int, _ down: UInt64, _ up: UInt64) {
    guard place < indices.count, other < indices.count else { return }
    let base = indices
    let room = best.choices[other].bound - min(base[other], best.choices[other].bound)
    Shrinker.farthest(through: min(base[place] / down, room / up)) { count in
      var proposal = base
      proposal[place] -= count * down
      proposal[other] += count * up
      return attempt(proposal)
    }
  }

  private func lowerBoth(_ place: Int, _ other: Int, _ step: UInt64) {
    guard place < indices.count, other < indices.count else { return }
    let base = indices
    Shrinker.farthest(through: min(base[place], base[other]) / step) { count in
      var proposal = base
      proposal[place] -= count * step
      proposal[other] -= count * step
      return attempt(proposal)
    }
  }

  /// Moves the whole amount, rounded to an even step, so that the later number keeps its sign.
  private func moveAll(_ place: Int, _ other: Int) {
    guard place < indices.count, other < indices.count else { return }
    let amount = Shrinker.even(indices[place])
    guard best.choices[other].bound >= amount, indices[other] <= best.choices[other].bound - amount else { return }
    var proposal = indices
    proposal[place] = 0
    proposal[other] += amount
    attempt(proposal)
  }

  /// Raises a later number to its maximum, so that an earlier number can be lowered, and then lowers the later number.
  ///
  /// This shrinks pairs of numbers with a constant product. Moving an amount can't shrink them, because the move keeps
  /// the sum constant.
  private func trade(_ place: Int, _ other: Int) {
    for step in [1, 2] as [UInt64] {
      guard place < indices.count, other < indices.count, indices[place] >= step else { return }
      let bound = best.choices[other].bound
      var proposal = indices
      proposal[place] -= step
      proposal[other] = step == 1 ? bound : bound - (bound ^ indices[other]) & 1
      guard proposal[other] > indices[other], attempt(proposal) else { continue }
      if place < indices.count { lower([place]) }
      if other < indices.count { lower([other]) }
      return
    }
  }

  /// Returns an even step, which keeps the sign of a number.
  static func even(_ index: UInt64) -> UInt64 { index == .max ? index - 1 : (index + 1) & ~1 }

  /// Returns the amount of a part as a difference that keeps the sign, or `nil` if the part doesn't have exactly one
  /// amount.
  func amount(in span: Span) -> (index: UInt64, bound: UInt64)? {
    let places = span.range.filter { isAmount($0) }
    guard places.count == 1, indices[places[0]] > 0 else { return nil }
    return (Shrinker.even(indices[places[0]]), best.choices[places[0]].bound)
  }

  /// Flips the signs of all numbers with the same bound together.
  func mirrorNumbers() {
    for bound in Set(best.choices.map(\.bound)).sorted() where bound > 1 {
      var proposal = indices
      for (place, choice) in best.choices.enumerated() where choice.bound == bound && choice.index > 0 {
        guard isAmount(place) else { continue }
        proposal[place] = choice.index & 1 == 1 ? min(choice.index + 1, bound) : choice.index - 1
      }
      attempt(proposal)
    }
  }

  /// Tries smaller numbers, even if cases with the numbers in between don't fail.
  ///
  /// If there are few smaller numbers, this tries all of them. If there are many, this tries the smallest numbers,
  /// numbers with one bit cleared, and random numbers. If a case with one of these numbers fails, this tries more of
  /// the smallest numbers.
  func lowerAnywhere() {
    var chance = SplitMix64(seed: 0xA11)
    var place = 0
    while place < indices.count, !isSpent {
      if isLowerable(place) {
        var count = 8 as UInt64
        while place < indices.count, indices[place] > 32, lowerByChance(place, &chance) { count = 256 }
        guard place < indices.count else { return }
        if indices[place] <= 32 { count = 32 }
        for index in 0..<min(indices[place], count) where set(place, to: index) { break }
      }
      place += 1
    }
  }

  private func lowerByChance(_ place: Int, _ chance: inout SplitMix64) -> Bool {
    let number = indices[place]
    let bits = (0..<64).reversed().map { 1 << $0 as UInt64 }.filter { number & $0 != 0 }
    if bits.prefix(8).contains(where: { set(place, to: number & ~$0) }) { return true }
    return (0..<12).contains { count in
      // Every second number has a random bit length.
      set(place, to: chance.next(below: number) >> (count & 1 == 0 ? 0 : chance.next(below: 8)))
    }
  }
}
