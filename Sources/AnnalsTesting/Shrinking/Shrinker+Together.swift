/// The passes that remove parts which can't be removed one by one.
///
/// Examples are two arrays of equal length, a history with equal numbers of returns and sales, and a number that equals
/// the length of an array. Removing one part at a time can't shrink them. These passes run last, and every pass has a
/// limited number of cases.
extension Shrinker {
  /// Removes parts together, starting with the parts that probably belong together.
  func deleteTogether() {
    // If the states were searched completely, the program is already the shortest.
    guard searched != indices else { return }
    while !isSpent, deleteRows(tries: 300) {}
    deleteSets(of: 2, tries: 600)
    while !isSpent, deleteCounted(tries: 300) {}
    deleteSets(of: 3, tries: 150)
  }

  // MARK: - Rows

  /// Removes elements of several collections together: the same number of elements from the end of every collection, or
  /// the elements at one index.
  ///
  /// - Returns: Whether a case was kept.
  private func deleteRows(tries limit: Int) -> Bool {
    let last = tries + limit
    for group in collectionGroups() where group.count > 1 {
      let height = group.map(\.count).min() ?? 0
      var (isKept, isAlike) = (false, true)
      // Searches for the largest number of rows, as long as the case has the same collections.
      let (base, number) = (best, indices.count)
      Shrinker.largest(through: UInt64(height)) { rows in
        guard tries < last, isAlike else { return false }
        let spans = group.flatMap { $0.suffix(Int(rows)) }
        let proposal = removing(spans, of: base)
        guard attempt(proposal) else { return false }
        isKept = true
        isAlike = indices == proposal || indices.count == number
        return true
      }
      if isKept { return true }
      for place in (0..<height).reversed() where tries < last {
        if attempt(removing(group.map { $0[place] }, of: best)) { return true }
      }
      guard group.count == 2 else { continue }
      // Different numbers for the two collections, such as two to one.
      for (first, second) in [(1, 2), (2, 1), (1, 3), (3, 1), (2, 3), (3, 2)] where tries < last {
        guard first <= group[0].count, second <= group[1].count else { continue }
        if attempt(removing(Array(group[0].suffix(first) + group[1].suffix(second)), of: best)) { return true }
      }
    }
    return false
  }

  /// Returns groups of collections that might have equal lengths, with the collections' elements.
  ///
  /// A group contains the collections of the same depth, size or parent, or a pair of collections.
  private func collectionGroups(fixed: Bool = false) -> [[[Int]]] {
    let spans = best.spans
    var elements: [Int32: [Int]] = [:]
    for (number, span) in spans.enumerated()
    where span.label == .element && !span.range.isEmpty && !span.isDiscarded && (fixed || !shape.isFixed[number]) {
      elements[span.parent, default: []].append(number)
    }
    let owners = elements.keys.sorted()
    func ancestors(_ owner: Int32) -> [Int32] {
      Array(sequence(first: owner) { $0 < 0 || spans[Int($0)].parent < 0 ? nil : spans[Int($0)].parent }.dropFirst())
    }
    var keys: [[Int]: [Int32]] = [:]
    for owner in owners {
      let (above, count) = (ancestors(owner), elements[owner]?.count ?? 0)
      keys[[0, above.count], default: []].append(owner)
      keys[[1, above.count, count], default: []].append(owner)
      keys[[2, count], default: []].append(owner)
      for level in above.prefix(4) { keys[[3, Int(level), count], default: []].append(owner) }
    }
    var groups = keys.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
    let few = owners.prefix(8)
    for (place, owner) in few.enumerated() { groups += few.dropFirst(place + 1).map { [owner, $0] } }
    if fixed { groups += owners.prefix(16).map { [$0] } }
    var seen: Set<[Int32]> = []
    return groups.filter { group in
      // Collections of a group must not contain each other.
      group.indices.dropFirst().allSatisfy { spans[Int(group[$0])].start >= spans[Int(group[$0 - 1])].end }
        && seen.insert(group).inserted
    }.map { group in group.compactMap { elements[$0] } }
  }

  // MARK: - Sets

  /// Removes pairs or triples of elements and steps, at any position.
  ///
  /// If the limit is too low for all pairs or triples, this tries random pairs or triples.
  private func deleteSets(of size: Int, tries limit: Int) {
    let last = tries + limit
    var chance = SplitMix64(seed: 0x7061_6972)
    var parts = removableParts()
    guard parts.count >= size else { return }
    var total = 1
    for place in 0..<size { total = total * (parts.count - place) / (place + 1) }
    if total > limit {
      for _ in 0..<limit where tries < last && !isSpent {
        guard parts.count >= size else { return }
        var set: Set<Int> = []
        while set.count < size { set.insert(Int(chance.next(below: UInt64(parts.count)))) }
        if attempt(without: set.sorted().map { parts[$0] }) { parts = removableParts() }
      }
      return
    }
    // In order, starting at the end.
    var set = Array((parts.count - size)..<parts.count)
    while tries < last, !isSpent {
      if attempt(without: set.map { parts[$0] }) {
        parts = removableParts()
        guard parts.count >= size else { return }
        for place in set.indices.reversed() { set[place] = min(set[place], parts.count - size + place) }
        continue
      }
      guard Self.stepBack(&set) else { return }
    }
  }

  /// Replaces a set with its predecessor, or returns false for the first set.
  private static func stepBack(_ set: inout [Int]) -> Bool {
    for place in set.indices where set[place] > place {
      set[place] -= 1
      // The lower indices restart directly below this index.
      for lower in (0..<place).reversed() { set[lower] = set[lower + 1] - 1 }
      return true
    }
    return false
  }

  private func removableParts() -> [Int] {
    best.spans.indices.filter { number in
      let span = best.spans[number]
      guard !span.range.isEmpty, !span.isDiscarded else { return false }
      return span.label == .step || span.label == .element && !shape.isFixed[number]
    }
  }

  /// Proposes the case without some spans, unless one span contains another.
  private func attempt(without numbers: [Int]) -> Bool {
    for (first, second) in Swift.zip(numbers, numbers.dropFirst())
    where best.spans[first].end > best.spans[second].start {
      return false
    }
    return attempt(removing(numbers, of: best))
  }

  private func removing(_ numbers: [Int], of record: Record) -> [UInt64] {
    var isKept = [Bool](repeating: true, count: record.choices.count)
    for number in numbers { for place in record.spans[number].range { isKept[place] = false } }
    return record.choices.indices.filter { isKept[$0] }.map { record.choices[$0].index }
  }

  // MARK: - Numbers

  /// Lowers a number, and removes the same number of elements from one or several collections.
  ///
  /// - Returns: Whether a case was kept.
  private func deleteCounted(tries limit: Int) -> Bool {
    let last = tries + limit
    let places = indices.indices.filter { isAmount($0) && indices[$0] > 0 }.prefix(12)
    for place in places {
      // A number inside a collection can't be the number of this collection's elements.
      let outside = { [best] (number: Int) in
        let span = best.spans[number]
        let whole = span.label == .element && span.parent >= 0 ? best.spans[Int(span.parent)] : span
        return !whole.range.contains(place)
      }
      for group in collectionGroups(fixed: true) where group.allSatisfy({ $0.allSatisfy(outside) }) {
        let height = group.map(\.count).min() ?? 0
        let sets = (0..<height).reversed().map { row in group.map { $0[row] } }
        if lower(place, removing: sets, until: last) { return true }
      }
      // The elements can have different indices in their collections.
      let parts = countedParts().filter(outside)
      if lower(place, removing: parts.reversed().map { [$0] }, until: last) { return true }
      guard parts.count <= 24 else { continue }
      let pairs = parts.indices.reversed().flatMap { second in
        parts.indices[..<second].reversed().map { [parts[$0], parts[second]] }
      }
      if lower(place, removing: pairs, until: last) { return true }
    }
    return false
  }

  /// Returns the elements (also in collections of fixed size), the steps, and the values from hand-written generators.
  private func countedParts() -> [Int] {
    best.spans.indices.filter { number in
      let span = best.spans[number]
      guard !span.range.isEmpty, !span.isDiscarded else { return false }
      return span.label == .step || span.label == .element || span.label == .parameter
    }
  }

  /// For every set of spans, proposes the case without these spans and with a lower number.
  private func lower(_ place: Int, removing sets: [[Int]], until last: Int) -> Bool {
    for set in sets {
      guard tries < last, !isSpent else { return false }
      let isApart = Swift.zip(set, set.dropFirst()).allSatisfy { best.spans[$0].end <= best.spans[$1].start }
      guard isApart else { continue }
      // Lowering the index by 2 decreases a signed number by one and keeps its sign, or decreases a total of two parts
      // by both parts.
      for amount in [1, 2] as [UInt64] where indices[place] >= amount {
        var record = best
        record.choices[place].index -= amount
        if attempt(removing(set, of: record)) { return true }
      }
    }
    return false
  }
}
