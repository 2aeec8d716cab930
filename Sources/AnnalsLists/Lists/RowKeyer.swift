import Synchronization

/// An object that computes a row's section and sort keys for a request, and so the row's place in a list.
///
/// A keyer has an identity, because sort closures can't be compared. Rows with keys from the same keyer can be compared
/// with each other, and they keep these keys until the request's sort or sections are assigned. A keyer accesses rows
/// as entries, so that its callers are independent of the row type.
package final class RowKeyer: Sendable {
  /// The keyer's unique number, which rows store even after the keyer is deinitialized.
  let number: UInt64
  package let rules: SectionRules
  /// An identity of the sectioning, which doesn't change when only the request's sort is assigned.
  let cut: Identity
  /// True if keys are compared as bytes alone, so that their order is always consistent.
  package let isByBytes: Bool
  /// A closure that returns a search for the rows whose first value begins with a string.
  ///
  /// The closure or its result is `nil` if the rows' first values aren't strings.
  let search: (@Sendable (String) -> PrefixSearch<RowEntry>?)?
  /// A description of the first sort key, for the message of a search that the sort key can't do.
  let firstSortKey: String
  /// The properties and directions of the sort keys, or `nil` if a key is a closure.
  private let origins: [SortKeyOrigin]?
  /// A closure that writes the bytes of a row's section key, or `nil` for a list with a single section.
  private let writeSection: (@Sendable (RowEntry, inout KeyWriter) -> Void)?
  private let id: @Sendable (RowEntry) -> SectionID
  private let order: @Sendable (RowEntry, inout KeyWriter) -> RowOrder

  /// - Parameters:
  ///   - sort: The sort keys.
  ///   - section: The sections.
  ///   - cut: The identity of the sectioning.
  init<Row: AnnalsLists.Row>(sort: [SortKey<Row>], section: Sectioning<Row>?, cut: Identity = Identity()) {
    self.cut = cut
    number = nextKeyer.wrappingAdd(1, ordering: .relaxed).newValue
    let known = sort.compactMap { $0.origin?.direction == .custom ? nil : $0.origin }
    origins = known.count == sort.count ? known : nil
    firstSortKey = sort.first.map { $0.name.map { "`\($0)`" } ?? "a sort key without a name" } ?? "the rows' ids"
    rules = section?.rules.ordered(by: sort.first?.origin) ?? .whole
    if let find = sort.first?.search {
      search = { prefix in find(prefix)?.reading { Rows<Row>.box($0).row } }
    } else {
      search = nil
    }
    let writers = sort.compactMap { if case .bytes(let write) = $0.kind { write } else { nil } }
    isByBytes = writers.count == sort.count
    if isByBytes {
      // In the most frequent case, the key has only bytes and needs no lookup.
      order = { entry, writer in
        let box = Rows<Row>.box(entry)
        writer.clear()
        for write in writers { write(box.row, &writer) }
        return RowOrder(writer)
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

  /// Computes the keys of a row without keys but with a known section.
  ///
  /// - Parameters:
  ///   - entry: The row.
  ///   - section: The row's section.
  ///   - writer: A buffer.
  func key(_ entry: RowEntry, in section: SectionID, _ writer: inout KeyWriter) {
    entry.setKeys(order(entry, &writer), section, by: number)
  }

  /// Computes the keys of a row without keys.
  ///
  /// - Parameters:
  ///   - entry: The row.
  ///   - old: The previous version of the row. Its section object is reused if the row is still in that section.
  ///   - ids: The known sections.
  ///   - writer: A buffer.
  package func key(_ entry: RowEntry, after old: RowEntry?, _ ids: inout SectionIDs, _ writer: inout KeyWriter) {
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

extension RowKeyer {
  /// Returns true if both keyers are known to write the same keys.
  ///
  /// Keys of properties can be compared, but keys of closures can't.
  func isSame(as other: RowKeyer) -> Bool {
    if self === other { return true }
    guard let origins, origins == other.origins, rules.criterion.isKnown else { return false }
    return rules.criterion == other.rules.criterion && rules.order == other.rules.order
      && rules.orderVersion == other.rules.orderVersion
      && rules.pinned.elementsEqual(other.rules.pinned) { $0.isSame($1) }
  }

  /// Feeds a hasher with values that are equal for keyers that write the same keys.
  func hashSame(into hasher: inout Hasher) {
    if let origins, rules.criterion.isKnown {
      hasher.combine(origins)
      hasher.combine(rules.criterion)
    } else {
      hasher.combine(ObjectIdentifier(self))
    }
  }
}

extension SectionCriterion {
  /// True unless the sections are keyed by a closure.
  fileprivate var isKnown: Bool {
    switch self {
    case .property, .whole: true
    case .named, .field: false
    }
  }
}

/// The ids of sections, if possible with one object per section.
package struct SectionIDs {
  private let list: ListStorage?
  private var last: SectionID?
  private var new: [OrderKey: SectionID] = [:]

  package init(_ list: ListStorage? = nil, last: SectionID? = nil) { (self.list, self.last) = (list, last) }

  /// Returns the section id for the key in the writer, and creates the id if it is unknown.
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
