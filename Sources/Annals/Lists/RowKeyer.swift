import Synchronization

/// How rows get their place in a list: the sort and the sections of a request.
///
/// A closure has no identity, a keyer has: rows that one keyer computed keys for can be compared, and keep their keys
/// as long as a request's sort and sections are not set. It knows rows as entries, so that the code that uses it is the
/// same for all rows.
final class RowKeyer: Sendable {
  /// What tells the keyer from every other, and outlives it in its rows.
  let number: UInt64
  let rules: SectionRules
  /// The same as long as the sections of a request are not set, whatever its sort is.
  let cut: Identity
  /// True if keys are compared as bytes alone, so that their order cannot contradict itself.
  let isByBytes: Bool
  /// What the keys of rows begin with whose first value begins with a text; nil if that is no text.
  let prefix: (@Sendable (String) -> [UInt8])?
  /// Writes the bytes of a row's section key; nil if there is one section.
  private let writeSection: (@Sendable (RowEntry, inout KeyWriter) -> Void)?
  private let id: @Sendable (RowEntry) -> SectionID
  private let order: @Sendable (RowEntry, inout KeyWriter) -> RowOrder

  /// - Parameters:
  ///   - sort: The sort keys.
  ///   - section: The sections.
  ///   - cut: What tells the sections from every other.
  init<Row: Annals.Row>(sort: [SortKey<Row>], section: Sectioning<Row>?, cut: Identity = Identity()) {
    self.cut = cut
    number = nextKeyer.wrappingAdd(1, ordering: .relaxed).newValue
    rules = section?.rules.ordered(by: sort.first?.origin) ?? .whole
    prefix = sort.first?.prefix
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
      let (write, id) = (section.write, section.id)
      writeSection = { write(Rows<Row>.box($0).row, &$1) }
      self.id = { id(Rows<Row>.box($0).row) }
    } else {
      writeSection = nil
      id = { _ in .whole }
    }
  }

  /// Computes the keys of a row that has none, and whose section is known.
  ///
  /// - Parameters:
  ///   - entry: The row.
  ///   - section: Its section.
  ///   - writer: Memory to work in.
  func key(_ entry: RowEntry, in section: SectionID, _ writer: inout KeyWriter) {
    entry.setKeys(order(entry, &writer), section, by: number)
  }

  /// Computes the keys of a row that has none.
  ///
  /// - Parameters:
  ///   - entry: The row.
  ///   - old: What the row was before, whose section is taken if the row is still in it.
  ///   - ids: The sections that are known.
  ///   - writer: Memory to work in.
  func key(_ entry: RowEntry, after old: RowEntry?, _ ids: inout SectionIDs, _ writer: inout KeyWriter) {
    var section = SectionID.whole
    if let writeSection {
      writer.clear()
      writeSection(entry, &writer)
      if let old, old.keyer == number, old.section.key.isWritten(writer) {
        section = old.section
      } else {
        section = ids.id(writer) { self.id(entry) }
      }
    }
    entry.setKeys(order(entry, &writer), section, by: number)
  }
}

/// The ids of sections, one object for each section as far as can be.
struct SectionIDs {
  private let list: ListStorage?
  private var last: SectionID?
  private var new: [OrderKey: SectionID] = [:]

  init(_ list: ListStorage?) { self.list = list }

  /// The id whose key's bytes were written, made if it is not known.
  mutating func id(_ writer: KeyWriter, _ make: () -> SectionID) -> SectionID {
    if let last, last.key.isWritten(writer) { return last }
    let key = OrderKey(writer)
    let known = new[key]
    let id = known ?? list?.list.header(key, hash: key.fingerprint)?.id ?? make()
    if known == nil { new[key] = id }
    last = id
    return id
  }
}

private let nextKeyer = Atomic<UInt64>(0)
