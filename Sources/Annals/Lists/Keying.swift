import Synchronization

/// How rows get their place in a list: the sort and the sections of a request.
///
/// A closure has no identity, a keying has: rows that one keying computed keys for can be compared, and keep their keys as long
/// as a request's sort and sections are not set anew. It knows rows as entries, so that the code that uses it is the same for all
/// rows.
final class Keying: Sendable {
  /// What tells the keying from every other, and outlives it in its rows.
  let number: UInt64
  let rules: SectionRules
  /// True if keys are compared as bytes alone, so that their order cannot contradict itself.
  let isByBytes: Bool
  /// Writes the bytes of a row's section key; nil if there is one section.
  private let writeSection: (@Sendable (RowEntry, inout KeyWriter) -> Void)?
  private let place: @Sendable (RowEntry) -> SectionPlace
  private let order: @Sendable (RowEntry, inout KeyWriter) -> RowOrder

  init<Row: Annals.Row>(sort: [SortKey<Row>], section: Sectioning<Row>?) {
    number = nextKeying.wrappingAdd(1, ordering: .relaxed).newValue
    rules = section?.rules ?? .whole
    let writers = sort.compactMap { if case .bytes(let write) = $0.kind { write } else { nil } }
    isByBytes = writers.count == sort.count
    if isByBytes {
      // What happens most: the key is bytes alone, and nothing is looked up on the way.
      order = { entry, writer in
        let box = Rows<Row>.box(entry)
        writer.clear()
        for write in writers { write(box.row, &writer) }
        return RowOrder(bytes: OrderKey(writer))
      }
    } else {
      order = { RowOrder(Rows<Row>.box($0).row, by: sort, &$1) }
    }
    if let section {
      let (write, place) = (section.write, section.place)
      writeSection = { write(Rows<Row>.box($0).row, &$1) }
      self.place = { place(Rows<Row>.box($0).row) }
    } else {
      writeSection = nil
      place = { _ in .whole }
    }
  }

  /// Computes the keys of a row that has none.
  ///
  /// - Parameters:
  ///   - entry: The row.
  ///   - old: What the row was before, whose section is taken if the row is still in it.
  ///   - places: The sections that are known.
  ///   - writer: Memory to work in.
  func key(_ entry: RowEntry, after old: RowEntry?, _ places: inout SectionPlaces, _ writer: inout KeyWriter) {
    var place = SectionPlace.whole
    if let writeSection {
      writer.clear()
      writeSection(entry, &writer)
      if let old, old.keying == number, old.place.key.isWritten(writer) {
        place = old.place
      } else {
        place = places.place(writer) { self.place(entry) }
      }
    }
    entry.setKeys(order(entry, &writer), place, by: number)
  }
}

/// The places of sections, one object for each section as far as can be.
struct SectionPlaces {
  private let list: ListStorage?
  private var last: SectionPlace?
  private var new: [OrderKey: SectionPlace] = [:]

  init(_ list: ListStorage?) { self.list = list }

  /// The place whose key's bytes were written, made if it is not known.
  mutating func place(_ writer: KeyWriter, _ make: () -> SectionPlace) -> SectionPlace {
    if let last, last.key.isWritten(writer) { return last }
    let key = OrderKey(writer)
    let place = list?.list.handle(key, hash: key.fingerprint)?.place ?? new[key] ?? make()
    new[key] = place
    last = place
    return place
  }
}

private let nextKeying = Atomic<UInt64>(0)
