/// The passes that remove parts of a case.
extension Shrinker {
  /// Removes all discarded draws.
  func deleteDiscarded() {
    let discarded = best.spans.filter { $0.isDiscarded && !$0.range.isEmpty }
    guard !discarded.isEmpty else { return }
    var isKept = [Bool](repeating: true, count: indices.count)
    for span in discarded { for place in span.range { isKept[place] = false } }
    attempt(indices.indices.filter { isKept[$0] }.map { indices[$0] })
  }

  /// Sets all choices of a span to 0, with larger spans first, and together with as many neighbors as possible.
  func zeroSpans() {
    var number = 0
    while number < best.spans.count, !isSpent {
      let (spans, base) = (best.spans, indices)
      let first = spans[number]
      guard base[first.range].contains(where: { $0 != 0 }) else {
        number += 1
        continue
      }
      let group = spans.indices[number...].filter {
        spans[$0].parent == first.parent && spans[$0].label == first.label
      }
      let all = best
      let count = Shrinker.largest(through: UInt64(group.count)) { count in
        let proposal = simplest(group[..<Int(count)], of: all)
        return proposal == indices || attempt(proposal) || count == 1 && replant(number, proposal, base)
      }
      // The spans inside a span in its simplest form also have their simplest form.
      let isInShape = indices.count == base.count && Int(count) < group.count
      number = count > 0 && isInShape ? group[Int(count)] : number + 1
    }
  }

  /// Returns the choices of a case with 0 for some spans, and without their optional elements.
  private func simplest(_ numbers: ArraySlice<Int>, of record: Record) -> [UInt64] {
    let (choices, spans) = (record.choices, record.spans)
    var simplest = choices.map { Optional($0.index) }
    for number in numbers {
      let span = spans[number]
      let start = span.label == .element || span.label == .step ? Int(span.start) + 1 : Int(span.start)
      for place in start..<max(start, Int(span.end)) where !choices[place].isForced { simplest[place] = 0 }
      for inner in spans[(number + 1)...].prefix(while: { $0.start < span.end })
      where (inner.label == .element || inner.label == .step) && !inner.range.isEmpty {
        guard !choices[Int(inner.start)].isForced else { continue }
        for place in inner.range { simplest[place] = nil }
      }
    }
    return simplest.compactMap(\.self)
  }

  /// Proposes the simplest form of a span, and keeps all later choices.
  ///
  /// Setting a first choice to 0 can change the number of choices after it. A run of the proposal determines that
  /// number.
  private func replant(_ number: Int, _ proposal: [UInt64], _ base: [UInt64]) -> Bool {
    let span = best.spans[number]
    guard Record.isSimpler(proposal, than: indices) else { return false }
    let record = execute(proposal).record
    guard number < record.spans.count, record.spans[number].start == span.start else { return false }
    let simplest = record.indices[record.spans[number].range]
    return attempt(Array(base[..<span.range.lowerBound]) + simplest + base[span.range.upperBound...])
  }

  /// Whether a span can be removed: a step, a parameter, a discarded span, or an element of a collection without a
  /// fixed size.
  private func isRemovable(_ number: Int) -> Bool {
    switch best.spans[number].label {
    case .element: !shape.isFixed[number]
    case .step, .parameter: true
    default: best.spans[number].isDiscarded
    }
  }

  /// Removes spans, from last to first, together with as many neighbors as possible.
  func deleteSiblings() {
    var number = best.spans.count - 1
    while number >= 0, !isSpent {
      number = min(number, best.spans.count - 1)
      guard number >= 0 else { return }
      let (spans, base) = (best.spans, indices)
      let last = spans[number]
      guard isRemovable(number) else {
        number -= 1
        continue
      }
      // This span and the adjacent neighbors before it.
      var starts: [Int] = []
      var next = last.end
      for span in spans[...number].reversed() where span.parent == last.parent {
        guard span.end == next, span.label == last.label else { break }
        starts.append(Int(span.start))
        next = span.start
      }
      if !last.range.isEmpty {
        Shrinker.largest(through: UInt64(starts.count)) { count in
          let range = starts[Int(count) - 1]..<Int(last.end)
          return attempt(Array(base[..<range.lowerBound]) + base[range.upperBound...])
        }
      }
      number -= 1
    }
  }

  /// Removes short runs of choices at any position.
  func deleteRuns() {
    for length in [5, 4, 3, 2, 1] {
      var start = indices.count - length
      while start >= 0, !isSpent {
        if start + length <= indices.count, attempt(removing(start..<start + length)) {
          start = min(start, indices.count - length)
        } else {
          start -= 1
        }
      }
    }
  }

  /// Replaces a span with an inner span with the same label, for example a tree with a subtree.
  func hoistDescendants() {
    var number = 0
    while number < best.spans.count, !isSpent {
      let outer = best.spans[number]
      let inner = best.spans[(number + 1)...].prefix { $0.start < outer.end }
      let smaller = inner.filter { $0.label == outer.label && $0.range.count < outer.range.count && !$0.range.isEmpty }
      let isKept = smaller.sorted { $0.range.count < $1.range.count }.contains { part in
        attempt(Array(indices[..<outer.range.lowerBound]) + indices[part.range] + indices[outer.range.upperBound...])
      }
      if !isKept { number += 1 }
    }
  }

  /// Sorts siblings with the same label.
  func sortSiblings() {
    var number = 0
    while number < best.spans.count, !isSpent {
      let first = best.spans[number]
      var group = [first]
      for span in best.spans[(number + 1)...] where span.parent == first.parent && span.label == first.label {
        group.append(span)
      }
      if group.count > 1, !sort(group) { swapNeighbours(number, group.count) }
      number += 1
    }
  }

  private func sort(_ group: [Span]) -> Bool {
    let parts = group.map { Array(indices[$0.range]) }
    return arrange(group, parts.sorted { Record.isSimpler($0, than: $1) })
  }

  /// Swaps siblings in pairs.
  ///
  /// Every accepted swap makes the earlier choices simpler.
  private func swapNeighbours(_ number: Int, _ count: Int) {
    for place in 0..<(count - 1) {
      for other in (place + 1)..<min(count, place + 6) {
        guard number < best.spans.count else { return }
        let first = best.spans[number]
        let group = best.spans[number...].filter { $0.parent == first.parent && $0.label == first.label }
        guard other < group.count else { continue }
        var parts = group.map { Array(indices[$0.range]) }
        guard parts[other] != parts[place] else { continue }
        parts.swapAt(place, other)
        _ = arrange(Array(group), parts)
      }
    }
  }

  /// Proposes the case with the parts of a group in another order.
  ///
  /// The choices between the parts keep their positions.
  private func arrange(_ group: [Span], _ parts: [[UInt64]]) -> Bool {
    var proposal: [UInt64] = []
    var end = 0
    for (span, part) in Swift.zip(group, parts) {
      proposal += indices[end..<span.range.lowerBound] + part
      end = span.range.upperBound
    }
    return attempt(proposal + indices[end...])
  }
}
