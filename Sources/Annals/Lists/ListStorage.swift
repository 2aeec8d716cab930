/// What a list is, whatever its rows are.
final class ListStorage: Sendable {
  let prepared: PreparedRequest
  /// All rows and sections.
  let list: SectionedList
  /// The sections, cut by limit and offset.
  let whole: SortedTree<BySection>
  /// The sections as they are shown: those of `whole`, the collapsed ones without rows.
  let shown: SortedTree<BySection>
  /// The sections whose rows are hidden.
  let collapsed: CollapsedSections
  /// The pages that parts of the list may be on, which may not have been read; nil if there are none.
  var origin: TreePages? { list.origin }
  /// True if a part of the list can neither be read nor made again.
  var isLost: Bool { origin?.isLost ?? false }
  /// What tells the list from every other.
  let number = ListDelta.nextNumber()
  /// How the list was made from the one before, if that is known and simple.
  let delta: ListDelta?

  /// Makes the list that was saved.
  init(_ prepared: PreparedRequest, saved list: SectionedList) {
    var list = list
    list.summarize(by: prepared.aggregator)
    (self.prepared, self.list, delta) = (prepared, list, nil)
    whole = list.window(offset: prepared.offset, limit: prepared.limit)
    (shown, collapsed) = (whole, .none)
  }

  /// Makes the list of rows.
  ///
  /// - Parameters:
  ///   - prepared: The request.
  ///   - rows: The rows; those that are shown and have no keys get them. Of those with the keys of another request the
  ///     list has entries of its own.
  ///   - settings: What the projection said of sections.
  ///   - appearances: When sections first had a row.
  ///   - known: A list that may have much in common with this one.
  ///   - edits: What the rows of the known list were and what they are; nil if that is not known.
  ///   - origin: The pages that some of the rows may be on.
  ///   - isAlone: True if no other list is made of the rows: then they get the entries that were made for this one.
  /// - Complexity: O(k log n) if `known` is a list of the same request and of rows that are the same but for k, O(n log
  ///   n) else.
  init(
    _ prepared: PreparedRequest, _ rows: SortedTree<ByID>, _ settings: SortedTree<BySectionSettings>,
    _ appearances: [SectionKey: Position], knowing known: ListStorage?,
    edits: RowsSince? = nil, origin: TreePages? = nil, isAlone: Bool = true
  ) {
    let keyer = prepared.keyer
    // Of an empty list nothing is worth knowing: all rows would be compared with none, twice.
    let known = known.flatMap { $0.list.ids.isEmpty && rows.count > 64 ? nil : $0 }
    // Of a list that is lost nothing is known.
    let old = known?.prepared.keyer === keyer && known?.isLost == false ? known : nil
    var ids = rows
    // Of a list with another filter it is not known which rows it shows.
    let base = old?.prepared.filterID === prepared.filterID ? old : nil
    let areMost = edits?.areMost ?? false
    var changes = areMost ? [] : base.map { edits?.each ?? rows.changes(since: $0.list.ids) } ?? []
    var keying = RowKeying(prepared, after: old, knowing: known?.isLost == false ? known : nil)
    let origin = origin ?? old?.origin
    let source = SectionedList.Source(rules: keyer.rules, settings: settings, appearances: appearances)
    // From a half of the rows on, sorting all of them is cheaper than changing what there is; where each row gets its
    // place alone, from a quarter on.
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

  /// The list of a known one's request, as it is now, if another request lets through only rows that it shows.
  ///
  /// A search that gets a letter more looks only at the rows that it had found.
  ///
  /// - Returns: The list; nil if the other request may let further rows through, or if that is no cheaper.
  private static func widened(
    _ known: ListStorage, _ prepared: PreparedRequest, _ source: SectionedList.Source, _ ids: inout SortedTree<ByID>,
    _ edits: RowsSince?, _ origin: TreePages?, _ isAlone: Bool
  ) -> SectionedList? {
    // A section's first appearance is that of a row that the request lets through.
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

  /// Makes the same list with some sections collapsed.
  ///
  /// - Parameters:
  ///   - all: The list.
  ///   - collapsed: The sections whose rows are hidden.
  ///   - known: A list that may have much in common with this one.
  /// - Complexity: O(k log s) if k sections of the known list are others, or are collapsed otherwise; else O(c log s)
  ///   for c sections that are named, or O(s) where all but some are collapsed.
  init(_ all: ListStorage, collapsing collapsed: CollapsedSections, knowing known: ListStorage?) {
    (prepared, list, whole, self.collapsed, delta) = (all.prepared, all.list, all.whole, collapsed, nil)
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
      // Their order may contradict itself: a section would not find its place again.
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
          // What happens to hidden rows is nothing, as long as the header is the same object.
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

  /// A row of `list.ids` with the keys of this list; nil if the list leaves it out.
  func keyed(_ row: RowEntry) -> RowEntry? {
    guard prepared.includes?(row) ?? true else { return nil }
    if row.keyer == prepared.keyer.number { return row }
    var keying = RowKeying(prepared, after: self)
    return keying.known(row)
  }

  /// True if the list shows so few of all rows that looking at each of them is quick.
  private func isFew(of ids: SortedTree<ByID>) -> Bool { list.sections.weight < ids.count / 8 }

  /// True if all sections of the list are shown, and all of their rows.
  var isWhole: Bool { shown.isIdentical(to: list.sections) }

  /// The entry of a title in the list's index.
  func indexTitle(of title: String) -> String {
    prepared.keyer.rules.order.collation?.initial(of: title) ?? title.first?.uppercased() ?? ""
  }

  /// The section with a key, nil if limit and offset left it out or it is not there.
  private func section(_ name: SectionKey) -> SectionNode? {
    let key = name.orderKey
    guard let header = list.header(key, hash: key.fingerprint) else { return nil }
    return whole.find(header)?.node
  }
}
