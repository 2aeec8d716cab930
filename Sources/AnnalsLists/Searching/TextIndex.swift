import Synchronization

/// An index for finding the rows that might contain a search term, by the beginnings of words or by three consecutive
/// bytes.
///
/// The index returns candidates: all matching rows and possibly other rows. So deleted rows, and the former strings of
/// changed rows, can stay in the index. When their number exceeds both 1,000 and the number of rows, the index is
/// rebuilt.
package final class TextIndex: Sendable {
  /// A closure that calls its second parameter with every string of a row.
  typealias Reader = @Sendable (_ row: RowEntry, _ body: (String) -> Void) -> Void

  /// The search's unique identity.
  let search: Identity
  private let matching: SearchMatching
  private let texts: Reader
  private let state = Mutex(State())

  private struct State: Sendable {
    /// The rows in the index.
    var ids = SortedTree<ByID>()
    /// The ids of rows, by slot.
    var slots: [OrderKey] = []
    var slotsByID: [OrderKey: UInt32] = [:]
    /// The slots of rows by the index's keys, which are three or four bytes of a row's strings.
    ///
    /// The strings of the rows contain these bytes, or once contained them.
    var places: [UInt32: [UInt32]] = [:]
    /// The number of rows that were removed or reindexed with other strings.
    var stale = 0
  }

  /// - Parameters:
  ///   - search: The search's unique identity.
  ///   - matching: The kind of matching.
  ///   - texts: A closure that reads a row's strings.
  init(_ search: Identity, _ matching: SearchMatching, texts: @escaping Reader) {
    self.search = search
    self.matching = matching
    self.texts = texts
  }

  /// Returns the rows that might match all terms, in no particular order, or `nil` if checking all rows isn't slower.
  ///
  /// - Parameters:
  ///   - terms: The search terms.
  ///   - ids: All rows.
  ///   - isEqual: A closure that returns whether two rows have the same content.
  /// - Returns: Rows of `ids`, without duplicates.
  /// - Complexity: O(n) for n rows the first time, then O(k log n) for k rows that changed since the last call. In
  ///   addition, O(c log n) for c candidates.
  func candidates(
    _ terms: SearchTerms, in ids: SortedTree<ByID>, isEqual: (RowEntry, RowEntry) -> Bool
  ) -> [RowEntry]? {
    // Terms that are shorter than the index's keys occur in most rows.
    let grams = terms.terms.flatMap { Self.grams(lookingFor: $0, matching) }
    guard !grams.isEmpty else { return nil }
    return state.withLock { state in
      catchUp(&state, with: ids, isEqual)
      var found: [UInt32] = []
      var isFirst = true
      for gram in grams {
        guard let slots = state.places[gram] else { return [] }
        if isFirst || slots.count < found.count { (found, isFirst) = (slots, false) }
      }
      if found.count > ids.count / 4 { return nil }
      if state.stale > 0 { found = Array(Set(found)) }
      return found.compactMap { ids.row(state.slots[Int($0)]) }
    }
  }

  private func catchUp(
    _ state: inout State, with ids: SortedTree<ByID>, _ isEqual: (RowEntry, RowEntry) -> Bool
  ) {
    if state.ids.isIdentical(to: ids) { return }
    if state.stale > max(1_000, ids.count) { state = State() }
    let isNew = state.ids.isEmpty
    var grams: [UInt32] = []
    func note(_ entry: RowEntry) {
      var slot = state.slotsByID[entry.id]
      if slot == nil {
        // The conversion doesn't trap, because a process can't hold 2^32 rows.
        slot = UInt32(state.slots.count)
        state.slots.append(entry.id)
        state.slotsByID[entry.id] = slot
      } else {
        state.stale += 1
      }
      grams.removeAll(keepingCapacity: true)
      texts(entry) { text in SearchText.withFolded(text) { Self.grams(of: $0, matching, &grams) } }
      grams.sort()
      var last: UInt32?
      for gram in grams where gram != last {
        // The slot was set above, so it is never `nil` here.
        state.places[gram, default: []].append(slot ?? 0)
        last = gram
      }
    }
    if isNew {
      for entry in ids { note(entry) }
    } else {
      ids.difference(from: state.ids) { change in
        switch change {
        case .removed: state.stale += 1
        case .added(let entry, _): note(entry)
        case .replaced(let old, _, let new, _): if !isEqual(old, new) { note(new) }
        }
      }
    }
    state.ids = ids
  }

  /// Collects the index keys of a string.
  private static func grams(
    of bytes: UnsafeBufferPointer<UInt8>, _ matching: SearchMatching, _ grams: inout [UInt32]
  ) {
    switch matching {
    case .wordBeginnings:
      _ = SearchText.anyWord(in: bytes) { start in
        let end = min(SearchText.endOfWord(from: start, in: bytes, limit: 4), start + 4)
        var gram: UInt32 = 0
        for index in start..<end {
          gram |= UInt32(bytes[index]) << (8 * UInt32(3 - (index - start)))
          grams.append(gram)
        }
        return false
      }
    case .anywhere:
      guard bytes.count > 2 else { return }
      var gram = UInt32(bytes[0]) << 8 | UInt32(bytes[1])
      for byte in bytes[2...] {
        gram = (gram << 8 | UInt32(byte)) & 0xFF_FFFF
        grams.append(gram)
      }
    }
  }

  /// Returns the index keys that all strings with a term have, or an empty array if the index can't find the term.
  private static func grams(lookingFor term: [UInt8], _ matching: SearchMatching) -> [UInt32] {
    var found: [UInt32] = []
    term.withUnsafeBufferPointer { bytes in
      switch matching {
      case .wordBeginnings:
        found = [term.prefix(4).enumerated().reduce(0) { $0 | UInt32($1.element) << (8 * UInt32(3 - $1.offset)) }]
      case .anywhere: grams(of: bytes, matching, &found)
      }
    }
    return found
  }
}
