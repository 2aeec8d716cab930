package import AnnalsLog

/// The storage of a list, independent of the row type.
package final class ListStorage: Sendable {
  package let prepared: PreparedRequest
  /// All rows and sections.
  package let list: SectionedList
  /// The sections that remain after limit and offset are applied.
  let whole: SortedTree<BySection>
  /// The shown sections: the sections of `whole`, but without the rows of collapsed sections.
  let shown: SortedTree<BySection>
  /// The sections whose rows are hidden.
  package let collapsed: CollapsedSections
  /// The saved pages that contain the list's unread parts, or `nil`.
  package var origin: TreePages? { list.origin }
  /// True if a part of the list can neither be read nor rebuilt.
  package var isLost: Bool { origin?.isLost ?? false }
  /// The list's unique number.
  let number = ListDelta.nextNumber()
  /// The difference from the previous list, if it is known and simple.
  let delta: ListDelta?

  /// Creates the storage from a saved list.
  package init(_ prepared: PreparedRequest, saved list: SectionedList) {
    var list = list
    list.summarize(by: prepared.aggregator)
    self.prepared = prepared
    self.list = list
    delta = nil
    whole = list.window(offset: prepared.offset, limit: prepared.limit)
    shown = whole
    collapsed = .none
  }

  /// Creates the list from rows.
  ///
  /// - Parameters:
  ///   - prepared: The request.
  ///   - rows: The rows. Shown rows without keys receive keys. For rows with another request's keys, the list creates
  ///     separate entries.
  ///   - settings: The section settings from the projection.
  ///   - appearances: The positions at which sections first had a row.
  ///   - known: An existing list that probably shares most of its rows with this list.
  ///   - edits: The changes from the known list's rows to `rows`, or `nil` if the changes are unknown.
  ///   - origin: The saved pages that might contain some of the rows.
  ///   - isAlone: True if only this list uses the rows. The created entries then replace the entries in `rows`.
  /// - Complexity: O(k log n) if `known` is a list of the same request and all rows but k are the same, otherwise O(n
  ///   log n).
  package init(
    _ prepared: PreparedRequest, _ rows: SortedTree<ByID>, _ settings: SortedTree<BySectionSettings>,
    _ appearances: [SectionKey: Position], knowing known: ListStorage?,
    edits: RowsSince? = nil, origin: TreePages? = nil, isAlone: Bool = true
  ) {
    let keyer = prepared.keyer
    // An empty list isn't used, because comparing all rows with an empty list twice saves no work.
    let known = known.flatMap { $0.list.ids.isEmpty && rows.count > 64 ? nil : $0 }
    // A lost list isn't used either.
    let old = known?.prepared.keyer === keyer && known?.isLost == false ? known : nil
    var ids = rows
    // A list with another filter isn't the base, because the rows that this list shows can't be derived from the
    // changes.
    let base = old?.prepared.filterID === prepared.filterID ? old : nil
    let areMost = edits?.areMost ?? false
    var changes = areMost ? [] : base.map { edits?.each ?? rows.changes(since: $0.list.ids) } ?? []
    var keying = RowKeying(prepared, after: old, knowing: known?.isLost == false ? known : nil)
    let origin = origin ?? old?.origin
    let source = SectionedList.Source(rules: keyer.rules, settings: settings, appearances: appearances)
    // If half of the rows changed, sorting all rows is cheaper than changing the list. If every changed row is placed
    // separately, the limit is a quarter of the rows.
    let isWide = changes.count >= prepared.wideFrom && keyer.isByBytes && prepared.aggregator == nil
    func wider(_ old: ListStorage) -> SectionedList? {
      Self.widened(old, prepared, source, &ids, edits, origin, isAlone)
    }
    var list: SectionedList
    if let base, !areMost, changes.count < max(64, ids.count / (isWide ? 2 : 4)) {
      changes = keying.shown(changes, in: &ids, replacing: isAlone)
      list = SectionedList(
        base.list, changed: changes, to: ids, from: source, origin: origin, aggregator: prepared.aggregator,
        isWide: isWide)
    } else if base == nil, let old, old.isFew(of: ids), let wider = wider(old) {
      list = SectionedList(wider, only: prepared, of: ids, from: source, origin: origin)
    } else if let candidates = prepared.candidates(in: ids) {
      list = SectionedList(
        ids, shown: [keying.shown(candidates, in: &ids, replacing: isAlone)], from: source, origin: origin,
        parallelFrom: prepared.parallelFrom)
    } else if base == nil, let old, let wider = wider(old) {
      list = SectionedList(wider, only: prepared, of: ids, from: source, origin: origin)
    } else {
      let shown = keying.shown(in: &ids, replacing: isAlone, isInMemory: origin == nil)
      list = SectionedList(ids, shown: shown, from: source, origin: origin, parallelFrom: prepared.parallelFrom)
    }
    list.summarize(by: prepared.aggregator)
    self.list = list
    self.prepared = prepared
    let isSameWindow =
      base.map { $0.prepared.offset == prepared.offset && $0.prepared.limit == prepared.limit } ?? false
    if let base, isSameWindow, list.sections.isIdentical(to: base.list.sections) {
      whole = base.whole
    } else {
      whole = list.window(offset: prepared.offset, limit: prepared.limit)
    }
    shown = whole
    collapsed = .none
    let isSimple =
      keyer.isByBytes && !list.isReshaped && changes.count <= RowEdits.maximumEdits
      && whole.isIdentical(to: list.sections)
    delta = old.flatMap { isSimple && $0.isWhole ? ListDelta(origin: $0.number, changes: changes) : nil }
  }

  /// Updates the known list to the current rows, if all rows of the new request are also rows of the known list's
  /// request.
  ///
  /// For example, when the user adds a letter to a search string, only the rows that matched the shorter string are
  /// checked.
  ///
  /// - Returns: The updated list, or `nil` if the new request might select other rows, or if checking all rows is
  ///   cheaper.
  private static func widened(
    _ known: ListStorage, _ prepared: PreparedRequest, _ source: SectionedList.Source, _ ids: inout SortedTree<ByID>,
    _ edits: RowsSince?, _ origin: TreePages?, _ isAlone: Bool
  ) -> SectionedList? {
    // The first appearance of a section depends on the filter, because it is the appearance of a row that passes the
    // filter.
    guard prepared.keyer.isByBytes, !source.rules.isByAppearance,
      prepared.filterParts.imply(known.prepared.filterParts)
    else { return nil }
    if ids.isIdentical(to: known.list.ids), !known.list.differs(from: source) { return known.list }
    if edits?.areMost ?? false { return nil }
    let changes = edits?.each ?? ids.changes(since: known.list.ids)
    guard changes.count < max(64, ids.count / 4) else { return nil }
    let now = ListStorage(
      known.prepared, ids, source.settings, source.appearances, knowing: known, edits: .each(changes), origin: origin,
      isAlone: isAlone)
    ids = now.list.ids
    return now.list
  }

  /// Creates the same list with some sections collapsed.
  ///
  /// - Parameters:
  ///   - all: The list.
  ///   - collapsed: The sections whose rows are hidden.
  ///   - known: An existing list that probably shares most of its rows with this list.
  /// - Complexity: O(k log s) if k sections of the known list changed or are collapsed differently. Otherwise O(c log
  ///   s) for c named sections, or O(s) if all except the named sections are collapsed.
  package init(_ all: ListStorage, collapsing collapsed: CollapsedSections, knowing known: ListStorage?) {
    prepared = all.prepared
    list = all.list
    whole = all.whole
    self.collapsed = collapsed
    delta = nil
    func fold(_ node: SectionNode) -> SectionNode {
      collapsed.contains(node.header.id.name) ? SectionNode(node.header, SortedTree()) : node
    }
    func fold(_ keys: some Sequence<SectionKey>, in shown: inout SortedTree<BySection>) {
      for key in keys {
        if let node = all.section(key) { shown.insert(fold(node)) }
      }
    }
    var shown = whole
    if !prepared.keyer.isByBytes, prepared.keyer.rules.isByRows {
      // The order might be inconsistent, and a search by this order might not find a section's place.
      shown = SortedTree(sorted: whole.map { fold($0) })
    } else if let known, known.prepared.keyer === prepared.keyer, known.collapsed.isInverted == collapsed.isInverted,
      !known.collapsed.isNone
    {
      shown = known.shown
      whole.difference(from: known.whole) { change in
        switch change {
        case .removed(let node, _): shown.remove(node)
        case .added(let node, _): shown.insert(fold(node))
        case .replaced(let old, _, let new, _):
          // Changes of hidden rows have no effect as long as the header is the same object.
          let isHidden = collapsed.contains(old.header.id.name) && known.collapsed.contains(old.header.id.name)
          if old.header !== new.header || !isHidden { shown.insert(fold(new)) }
        }
      }
      fold(known.collapsed.keys.symmetricDifference(collapsed.keys), in: &shown)
    } else if collapsed.isInverted {
      shown = SortedTree(sorted: whole.map { fold($0) })
    } else {
      fold(collapsed.keys, in: &shown)
    }
    self.shown = shown
  }

  /// Returns a row of `list.ids` with this list's keys, or `nil` if the list excludes it.
  func keyed(_ row: RowEntry) -> RowEntry? {
    guard prepared.includes?(row) ?? true else { return nil }
    if row.keyer == prepared.keyer.number { return row }
    var keying = RowKeying(prepared, after: self)
    return keying.known(row)
  }

  /// Returns true if the list shows so few of all rows that checking all of them is fast.
  private func isFew(of ids: SortedTree<ByID>) -> Bool { list.sections.weight < ids.count / 8 }

  /// True if all sections and all their rows are shown.
  var isWhole: Bool { shown.isIdentical(to: list.sections) }

  /// Returns a section title's entry in the list's index, such as "A".
  package func indexTitle(of title: String) -> String {
    prepared.keyer.rules.order.collation?.initial(of: title) ?? title.first?.uppercased() ?? ""
  }

  /// Returns the section with a key, or `nil` if it doesn't exist or is beyond limit and offset.
  private func section(_ name: SectionKey) -> SectionNode? {
    let key = name.orderKey
    guard let header = list.header(key, hash: key.fingerprint) else { return nil }
    return whole.find(header)?.node
  }
}
