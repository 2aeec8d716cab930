import AnnalsLog
import Foundation
import Synchronization

/// The ranks of strings in the order of a language.
///
/// A rank is determined by comparisons and then kept.
///
/// Ranks are used on platforms without sort keys. A rank consists of bytes between the ranks of the string's neighbours
/// at its first use, so ranks never change while the process runs. Saved lists contain no ranks, because a string has
/// different ranks in different processes. Strings are kept until the process ends. If the collation ignores no
/// differences, ASCII strings share their memory with the rows that contain them.
package final class CollationRanks: CollationBytes {
  /// Strings in order and in blocks, so that a new string moves at most one block.
  private struct Texts {
    var blocks: [[(text: Collation.Folded, place: OrderKey)]] = []
    var places: [ExactString: OrderKey] = [:]
  }

  private let collation: Collation
  private let texts = Mutex(Texts())

  private static let blockSize = 256

  var version: String { (collation.comparison ?? .foundation).version }

  package init(_ collation: Collation) { self.collation = collation }

  /// Returns the rank of a string, which is the same for strings that are equal in the order.
  ///
  /// - Complexity: O(log n) comparisons for the first use of a string, if n strings have ranks.
  package func place(of text: String) -> OrderKey {
    texts.withLock { texts in
      let exact = ExactString(text)
      if let place = texts.places[exact] { return place }
      let place = find(Collation.Folded(text, by: collation), in: &texts)
      texts.places[exact] = place
      return place
    }
  }

  /// Compares two strings without storing ranks.
  func compare(_ left: String, _ right: String) -> ComparisonResult {
    Collation.Folded(left, by: collation).compare(Collation.Folded(right, by: collation))
  }

  /// Returns a search by comparisons, because the ranks of strings with a prefix have no common first bytes.
  func search(for prefix: String) -> PrefixSearch<String> {
    let (collation, prefix) = (collation, Collation.Folded(prefix, by: collation))
    return PrefixSearch { Collation.Folded($0, by: collation).place(amongStringsWith: prefix) }
  }

  /// Writes the rank of a string: a byte of 1 before every word, and a byte of 0 at the end.
  func write(_ text: String, to writer: inout KeyWriter) {
    writer.beginRanks()
    for word in Self.words(of: place(of: text)) {
      writer.write(byte: 1)
      writer.write(word: word)
    }
    writer.write(byte: 0)
  }

  private func find(_ text: Collation.Folded, in texts: inout Texts) -> OrderKey {
    // Find the last block that begins with a string before this string, or equal to it.
    var block = texts.blocks.count
    var low = 0
    while low < block {
      let middle = (low + block) / 2
      switch texts.blocks[middle][0].text.compare(text) {
      case .orderedSame: return texts.blocks[middle][0].place
      case .orderedAscending: low = middle + 1
      case .orderedDescending: block = middle
      }
    }
    guard low > 0 else {
      let place = Self.place(after: nil, before: texts.blocks.first?.first?.place)
      if texts.blocks.isEmpty { texts.blocks.append([]) }
      insert((text, place), at: 0, ofBlock: 0, in: &texts)
      return place
    }
    block = low - 1
    low = 1
    var high = texts.blocks[block].count
    while low < high {
      let middle = (low + high) / 2
      switch texts.blocks[block][middle].text.compare(text) {
      case .orderedSame: return texts.blocks[block][middle].place
      case .orderedAscending: low = middle + 1
      case .orderedDescending: high = middle
      }
    }
    let next =
      low < texts.blocks[block].count
      ? texts.blocks[block][low].place
      : block + 1 < texts.blocks.count ? texts.blocks[block + 1][0].place : nil
    let place = Self.place(after: texts.blocks[block][low - 1].place, before: next)
    insert((text, place), at: low, ofBlock: block, in: &texts)
    return place
  }

  private func insert(
    _ entry: (text: Collation.Folded, place: OrderKey), at index: Int, ofBlock block: Int, in texts: inout Texts
  ) {
    texts.blocks[block].insert(entry, at: index)
    guard texts.blocks[block].count > 2 * Self.blockSize else { return }
    let upper = Array(texts.blocks[block][Self.blockSize...])
    texts.blocks[block].removeLast(upper.count)
    texts.blocks.insert(upper, at: block + 1)
  }

  /// Returns a rank between two other ranks, as words of 64 bits.
  ///
  /// The last word isn't 0.
  ///
  /// Strings often arrive in ascending or descending order. So a new rank is close to one of its neighbours: to the
  /// lower neighbour in even words, and to the upper neighbour in odd words. In either direction, one of these words
  /// has enough space for billions of strings. In contrast, if every new rank halved the space, every 64 strings would
  /// need an additional word.
  static func place(after lower: OrderKey?, before upper: OrderKey?) -> OrderKey {
    let (low, high) = (words(of: lower), words(of: upper))
    var place: [UInt64] = lower == nil && upper == nil ? [1 << 63] : []
    if !place.isEmpty { return key(place) }
    var isBelowUpper = upper == nil
    while true {
      let index = place.count
      let from = index < low.count ? low[index] : 0
      let to = isBelowUpper || index >= high.count ? UInt64.max : high[index]
      if to - from > 1 {
        let step = min((to - from) / 2, 1 << 32)
        let isUp = upper == nil || (lower != nil && index.isMultiple(of: 2))
        place.append(isUp ? from + step : to - step)
        return key(place)
      }
      place.append(from)
      if from < to { isBelowUpper = true }
    }
  }

  private static func key(_ words: [UInt64]) -> OrderKey {
    OrderKey { writer in for word in words { writer.write(word: word) } }
  }

  private static func words(of place: OrderKey?) -> [UInt64] {
    guard let bytes = place?.bytes else { return [] }
    return stride(from: 0, to: bytes.count, by: 8).map { start in
      bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }
  }
}
