import Synchronization

/// How rows get their place in a list: the sort and the sections of a request.
///
/// A closure has no identity, a keying has: rows that one keying computed keys for can be compared, and keep their keys as long
/// as a request's sort and sections are not set anew.
package final class Keying<Row: Annals.Row>: Sendable {
  /// What tells the keying from every other, and outlives it in its rows.
  let number: UInt64
  let sort: [SortKey<Row>]
  let section: Sectioning<Row>?

  init(sort: [SortKey<Row>], section: Sectioning<Row>?) {
    (self.sort, self.section) = (sort, section)
    number = nextKeying.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// Computes the keys of a row that has none.
  ///
  /// - Parameters:
  ///   - entry: The row.
  ///   - old: What the row was before, whose section is taken if the row is still in it.
  ///   - places: The sections that are known.
  ///   - writer: Memory to work in.
  func key(
    _ entry: Rows<Row>.Box, after old: RowEntry?, _ places: inout SectionPlaces, _ writer: inout KeyWriter
  ) {
    var place = SectionPlace.whole
    if let section {
      writer.clear()
      section.write(entry.row, &writer)
      if let old, old.keying == number, old.place.key.isWritten(writer) {
        place = old.place
      } else {
        place = places.place(writer) { section.place(entry.row) }
      }
    }
    entry.setKeys(RowOrder(entry.row, by: sort, &writer), place, by: number)
  }
}

/// The places of sections, one object for each section as far as can be.
struct SectionPlaces {
  private let list: SectionedList?
  private var last: SectionPlace?
  private var new: [OrderKey: SectionPlace] = [:]

  init(_ list: SectionedList?) { self.list = list }

  /// The place whose key's bytes were written, made if it is not known.
  mutating func place(_ writer: KeyWriter, _ make: () -> SectionPlace) -> SectionPlace {
    if let last, last.key.isWritten(writer) { return last }
    let key = OrderKey(writer)
    let place = list?.handle(key, hash: key.fingerprint)?.place ?? new[key] ?? make()
    new[key] = place
    last = place
    return place
  }
}

private let nextKeying = Atomic<UInt64>(0)
