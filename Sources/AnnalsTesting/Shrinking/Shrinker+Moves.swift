/// The passes that move parts of a case to reach forms that smaller changes can't reach.
extension Shrinker {
  /// Moves elements, or their parts, to the start or end of other collections.
  ///
  /// Most passes can't turn two lists with one number each into one list with both numbers, because this change doesn't
  /// remove a part.
  func moveElements() {
    var left = 300
    var number = 0
    while number < best.spans.count, left > 0, !isSpent {
      let element = best.spans[number]
      let isMovable = element.label == .element && !element.range.isEmpty && !shape.isFixed[number]
      if !isMovable || !moveElement(number, element.range, &left) { number += 1 }
    }
  }

  private func moveElement(_ number: Int, _ range: Range<Int>, _ left: inout Int) -> Bool {
    let inner = best.spans[(number + 1)...].prefix { $0.start < range.upperBound }.map(\.range)
    // The whole element, and every part of the element as a new element. The 1 before a part is the bit that indicates
    // that an element exists.
    let parts = [Array(indices[range])] + inner.filter { !$0.isEmpty }.map { [1] + indices[$0] }
    var tried: Set<[UInt64]> = []
    for (number, collection) in best.spans.enumerated()
    where collection.label == .collection && !collection.range.isEmpty && !shape.isFixed[number + 1] {
      let places = [collection.range.lowerBound, collection.range.upperBound - 1]
      for place in places where !range.contains(place) {
        for part in parts where left > 0 {
          var proposal = indices
          if place < range.lowerBound {
            proposal.removeSubrange(range)
            proposal.insert(contentsOf: part, at: place)
          } else {
            proposal.insert(contentsOf: part, at: place)
            proposal.removeSubrange(range)
          }
          guard Record.isSimpler(proposal, than: indices), tried.insert(proposal).inserted else { continue }
          left -= 1
          if attempt(proposal) { return true }
        }
      }
    }
    return false
  }

  /// Replaces a command with another, and removes a step that might then be unnecessary.
  ///
  /// One command can have the effect of two, or of a command with more arguments. Smaller changes can't make this
  /// replacement.
  func replaceSteps() {
    var left = 400
    var number = 0
    while number < best.spans.count, left > 0, !isSpent {
      let spans = best.spans
      let step = spans[number]
      // The attempt that wasn't discarded starts with the number of the command.
      let attempt = spans[(number + 1)...].first { $0.parent == number && $0.label == .attempt && !$0.isDiscarded }
      if step.label != .step || attempt.map({ !replaceStep(number, Int($0.start), &left) }) ?? true { number += 1 }
    }
  }

  private func replaceStep(_ number: Int, _ place: Int, _ left: inout Int) -> Bool {
    let (spans, base) = (best.spans, indices)
    let step = spans[number]
    let others = spans.filter { $0.label == .step && $0.start >= step.end && !$0.range.isEmpty }
    for command in 0...best.choices[place].bound where command != base[place] && left > 0 && !isSpent {
      // Runs the step with the simplest arguments to get its choices.
      let prefix = Array(base[..<place]) + [command]
      let (record, isKept) = execute(prefix)
      left -= 1
      if isKept { return true }
      guard number < record.spans.count, record.spans[number].start == step.start, !record.spans[number].isDiscarded
      else {
        continue
      }
      let made = record.indices[record.spans[number].range]
      let rest = base[step.range.upperBound...]
      let kept = others.map { other in
        Array(base[step.range.upperBound..<other.range.lowerBound]) + base[other.range.upperBound...]
      }
      for tail in [Array(rest)] + kept where left > 0 {
        let proposal = Array(base[..<step.range.lowerBound]) + made + tail
        guard Record.isSimpler(proposal, than: indices) else { continue }
        left -= 1
        if attempt(proposal) { return true }
      }
    }
    return false
  }

  /// Tries all simpler cases with few different choices, in order.
  ///
  /// For small cases, this proves minimality. A program whose states were searched doesn't need this pass.
  ///
  /// Small failing cases can be so different that no pass reaches one from the other, for example trees with a required
  /// order. Usually there are few simpler cases. If there are many, this pass stops early.
  func enumerate() {
    guard indices.count <= 24, searched != indices else { return }
    let alphabet = Set(indices.filter { $0 < 8 } + [0, 1]).sorted()
    // Larger numbers have too many simpler cases to try.
    let isWhole = best.choices.allSatisfy { $0.isForced || $0.index < 8 }
    let limit = !isWhole ? 16.0 : alphabet.count <= 3 ? 512.0 : 64.0
    // The number of simpler cases is estimated: if the tried cases cover the share `ended` of the tree, then the share
    // `whole`, which contains all simpler cases, has about tried × whole ÷ ended cases.
    let whole = share(best.choices, alphabet)
    var (tried, prefix) = (0.0, [UInt64]())
    while !isSpent {
      // Every iteration runs a case and continues with the next in order, by raising the last choice that can be
      // raised.
      let (record, isKept) = execute(prefix)
      if isKept { return }
      tried += 1
      let ended = share(record.choices, alphabet)
      guard tried < limit, tried < 8 || tried * whole <= limit * ended else { return }
      var next = record.indices
      while let last = next.popLast() {
        let choice = record.choices[next.count]
        guard !choice.isForced, let higher = alphabet.first(where: { $0 > last }), higher <= choice.bound else {
          continue
        }
        next.append(higher)
        break
      }
      guard !next.isEmpty, next.lexicographicallyPrecedes(indices) else { return }
      prefix = next
    }
  }

  /// Returns the share of the tree of cases, from 0 to 1, that precedes a case, assuming that all branches have equal
  /// size.
  private func share(_ choices: [Choice], _ alphabet: [UInt64]) -> Double {
    var (share, width) = (0.0, 1.0)
    for choice in choices where !choice.isForced {
      let count = alphabet.count { $0 <= choice.bound }
      width /= Double(count)
      share += width * Double(alphabet.count { $0 < choice.index })
    }
    return share
  }
}
