/// The passes that put parts of a case into other places, for forms that no smaller change leads to.
extension Shrinker {
  /// Moves elements, or what they are made of, to the front or to the end of other collections.
  ///
  /// Two lists that hold one number each and one list that holds both are the same to most passes: nothing is left out
  /// on the way from one to the other.
  func moveElements() {
    var left = 300
    var number = 0
    while number < best.spans.count, left > 0, !isSpent {
      let element = best.spans[number]
      if element.label != .element || element.range.isEmpty || !moveElement(number, element.range, &left) {
        number += 1
      }
    }
  }

  private func moveElement(_ number: Int, _ range: Range<Int>, _ left: inout Int) -> Bool {
    let inner = best.spans[(number + 1)...].prefix { $0.start < range.upperBound }.map(\.range)
    // An element, or a part of one as an element: the bit in front says that there is one.
    let parts = [Array(indices[range])] + inner.filter { !$0.isEmpty }.map { [1] + indices[$0] }
    var tried: Set<[UInt64]> = []
    for collection in best.spans where collection.label == .collection && !collection.range.isEmpty {
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

  /// Tries all simpler cases there are, in order, made of few different choices: for small cases a proof.
  ///
  /// Small cases that fail can lie so far apart that no pass leads from one to another, as with trees that must keep an
  /// order. There are few of them, though.
  func enumerate() {
    guard indices.count <= 20 else { return }
    let alphabet = Set(indices.filter { $0 < 8 } + [0, 1]).sorted()
    var left = 400
    var prefix: [UInt64] = []
    // Each round runs a case, and goes on with the next in order: the last choice that can be raised is.
    while left > 0, !isSpent {
      left -= 1
      let (record, isKept) = execute(Plan(.zeros, prefix: prefix, limit: indices.count))
      if isKept { return }
      var next = record.indices
      while let last = next.popLast() {
        let choice = record.choices[next.count]
        if !choice.isForced, let higher = alphabet.first(where: { $0 > last }), higher <= choice.bound {
          next.append(higher)
          break
        }
      }
      guard !next.isEmpty, next.lexicographicallyPrecedes(indices) else { return }
      prefix = next
    }
  }
}
