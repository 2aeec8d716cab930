/// What happened to the sections of a list: laws 5 and 6 of `Docs/ChangeSemantics.md`.
struct SectionDifference {
  private(set) var changes: [SectionChange] = []
  /// By old index: the section's new index, nil if it is deleted (and perhaps inserted again).
  private(set) var newIndices: [Int?]
  /// By new index: true if the section is inserted.
  private(set) var isInserted: [Bool]

  init<Row>(old: Results<Row>, new: Results<Row>) {
    let oldPlaces = Dictionary(uniqueKeysWithValues: old.sections.enumerated().map { ($1.key, $0) })
    let newPlaces = Dictionary(uniqueKeysWithValues: new.sections.enumerated().map { ($1.key, $0) })
    let common = new.sections.enumerated().compactMap { index, section in
      oldPlaces[section.key].map { (old: $0, new: index) }
    }
    newIndices = old.sections.map { newPlaces[$0.key] }
    isInserted = new.sections.map { oldPlaces[$0.key] == nil }

    // A section that does not keep its place among the others is a move if its rows stayed, else it is gone and new.
    // Where all keep their places nobody asks for their rows.
    let isOrdered = zip(common, common.dropFirst()).allSatisfy { $0.old < $1.old }
    let candidates = isOrdered ? [] : common.map { Self.candidate(old.sections[$0.old], new.sections[$0.new], $0) }
    let kept = isOrdered ? common.map { _ in true } : Stay.choose(candidates)
    var moves: [SectionChange] = []
    for (place, pair) in common.enumerated() where !kept[place] {
      if candidates[place].canMove {
        moves.append(.move(from: pair.old, to: pair.new, key: new.sections[pair.new].key))
      } else {
        newIndices[pair.old] = nil
        isInserted[pair.new] = true
      }
    }
    for (index, section) in old.sections.enumerated() where newIndices[index] == nil {
      changes.append(.delete(index: index, key: section.key))
    }
    for (index, section) in new.sections.enumerated() where isInserted[index] {
      changes.append(.insert(index: index, key: section.key, title: section.title))
    }
    changes += moves
    for pair in common where !isInserted[pair.new] {
      let section = new.sections[pair.new]
      if ExactString(old.sections[pair.old].title) != ExactString(section.title) {
        changes.append(.update(index: pair.old, newIndex: pair.new, key: section.key, title: section.title))
      }
    }
  }

  private static func candidate<Row>(
    _ before: ResultsSection<Row>, _ after: ResultsSection<Row>, _ place: (old: Int, new: Int)
  ) -> Stay.Candidate {
    let isClean = before.entries.map(\.id) == after.entries.map(\.id)
    let staying = Set(before.entries.map(\.id)).intersection(after.entries.map(\.id)).count
    let canMove = isClean && place.old != place.new
    return Stay.Candidate(
      old: place.old, weight: canMove ? 0 : staying, size: before.entries.count, canMove: canMove)
  }
}

/// The choice of what stays where others must go around it.
enum Stay {
  struct Candidate {
    /// The index before; candidates come in the order after.
    let old: Int
    /// The number of rows that must be listed if it does not stay.
    let weight: Int
    /// The number of its rows, which an observer that cannot show moves of sections must be told of.
    let size: Int
    let canMove: Bool
  }

  private struct Score: Comparable {
    var weight: Int
    var count = 1
    var size: Int

    static func < (left: Score, right: Score) -> Bool {
      (left.weight, left.count, left.size) < (right.weight, right.count, right.size)
    }

    func adding(_ other: Score) -> Score {
      Score(weight: weight + other.weight, count: count + other.count, size: size + other.size)
    }
  }

  /// Chooses the increasing run with the greatest weight, then the most sections, then the most rows, then the earliest.
  static func choose(_ candidates: [Candidate]) -> [Bool] {
    var kept = Array(repeating: true, count: candidates.count)
    if zip(candidates, candidates.dropFirst()).allSatisfy({ $0.old < $1.old }) { return kept }
    kept = kept.map { _ in false }
    var best: [(score: Score, previous: Int?)] = []
    for (place, candidate) in candidates.enumerated() {
      let own = Score(weight: candidate.weight, size: candidate.size)
      var entry: (score: Score, previous: Int?) = (own, nil)
      for earlier in 0..<place where candidates[earlier].old < candidate.old {
        let sum = own.adding(best[earlier].score)
        if sum > entry.score { entry = (sum, earlier) }
      }
      best.append(entry)
    }
    var place = best.indices.reduce(nil as Int?) { chosen, index in
      guard let chosen else { return index }
      return best[index].score > best[chosen].score ? index : chosen
    }
    while let current = place {
      kept[current] = true
      place = best[current].previous
    }
    return kept
  }
}
