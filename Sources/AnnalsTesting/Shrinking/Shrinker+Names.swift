/// The passes for cases whose parts refer to each other by values that are used as names.
extension Shrinker {
  /// Renames values everywhere, and sorts the parts of every group afterwards.
  ///
  /// If parts refer to each other by name, reordering them requires renaming at the same time.
  func exchangeValues() {
    guard indices.count <= 64, !isSpent else { return }
    let exchanges = exchanges
    // Applies up to three exchanges one after another, and runs only the resulting cases.
    var known: Set<[UInt64]> = [indices]
    var frontier = [indices]
    for _ in 0..<3 where known.count < 1_000 {
      frontier = frontier.flatMap { names in exchanges.map { exchange($0.low, $0.high, $0.bound, in: names) } }
        .filter { known.insert($0).inserted }
    }
    let proposals = Set(known.flatMap { [$0, sortedParts(of: $0)] }).filter { Record.isSimpler($0, than: indices) }
    for proposal in proposals.sorted(by: { $0.lexicographicallyPrecedes($1) }).prefix(100) where attempt(proposal) {
      return
    }
  }

  /// Removes an element or a step, and exchanges two values in all later choices.
  func deleteAndExchange() {
    var (left, number) = (200, best.spans.count - 1)
    while number >= 0, left > 0, !isSpent {
      defer { number -= 1 }
      guard number < best.spans.count, indices.count <= 64 else { continue }
      let span = best.spans[number]
      guard span.label == .element || span.label == .step, !span.range.isEmpty, !span.isDiscarded else { continue }
      for (low, high, bound) in exchanges where left > 0 {
        var proposal = exchange(low, high, bound, in: indices, from: span.range.upperBound)
        guard proposal != indices else { continue }
        proposal.removeSubrange(span.range)
        left -= 1
        if attempt(proposal) { break }
      }
    }
  }

  /// The pairs of values that might be names of the same kind, which are choices with the same small bound.
  private var exchanges: [(low: UInt64, high: UInt64, bound: UInt64)] {
    var exchanges: [(low: UInt64, high: UInt64, bound: UInt64)] = []
    for bound in Set(best.choices.map(\.bound)).sorted() where bound > 1 && bound < 64 {
      let values = Set(best.choices.filter { $0.bound == bound && !$0.isForced }.map(\.index)).sorted()
      for (place, high) in values.enumerated() { exchanges += values[..<place].map { ($0, high, bound) } }
    }
    return exchanges
  }

  private func exchange(
    _ low: UInt64, _ high: UInt64, _ bound: UInt64, in names: [UInt64], from start: Int = 0
  ) -> [UInt64] {
    var names = names
    for (place, choice) in best.choices.enumerated()
    where place >= start && choice.bound == bound && !choice.isForced {
      if names[place] == low { names[place] = high } else if names[place] == high { names[place] = low }
    }
    return names
  }

  /// Returns a proposal after sorting the parts of equal length in every group.
  ///
  /// Only parts of equal length are sorted together, so that all other parts keep their positions.
  private func sortedParts(of proposal: [UInt64]) -> [UInt64] {
    var sorted = proposal
    for (number, first) in best.spans.enumerated() where first.label == .step || first.label == .element {
      let group = best.spans[number...].filter {
        $0.parent == first.parent && $0.label == first.label && $0.range.count == first.range.count
      }
      let parts = group.map { Array(sorted[$0.range]) }.sorted { $0.lexicographicallyPrecedes($1) }
      for (span, part) in Swift.zip(group, parts) { sorted.replaceSubrange(span.range, with: part) }
    }
    return sorted
  }
}
