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
  ///   - rows: The rows; those without keys get them, and those with the keys of another request are made again.
  ///   - settings: What the projection said of sections.
  ///   - appearances: When sections first had a row.
  ///   - known: A list that may have much in common with this one.
  ///   - edits: By id, what a row of the known list was and what it is; nil if that is not known.
  ///   - origin: The pages that some of the rows may be on.
  /// - Complexity: O(k log n) if `known` is a list of the same request and of rows that are the same but for k, O(n log
  ///   n) else.
  init(
    _ prepared: PreparedRequest, _ rows: SortedTree<ByID>, _ settings: SortedTree<BySectionSettings>,
    _ appearances: [SectionKey: Position], knowing known: ListStorage?,
    edits: [(old: RowEntry?, new: RowEntry?)]? = nil, origin: TreePages? = nil
  ) {
    let keyer = prepared.keyer
    // Of a list that is lost nothing is known.
    let old = known?.prepared.keyer === keyer && known?.isLost == false ? known : nil
    var ids = rows
    var changes = (old == nil ? nil : edits) ?? rows.changes(since: old?.list.ids ?? SortedTree())
    var (sectionIDs, writer) = (SectionIDs(old), KeyWriter(capacity: 64))
    var rekeyed: [TreeEdit<ByID>] = []
    for index in changes.indices {
      guard let entry = changes[index].new, entry.keyer != keyer.number else { continue }
      let own = entry.keyer == 0 ? entry : prepared.unkeyed(entry)
      keyer.key(own, after: changes[index].old, &sectionIDs, &writer)
      if own !== entry {
        changes[index].new = own
        rekeyed.append(.set(own))
      }
    }
    ids.apply(rekeyed)
    let origin = origin ?? old?.origin
    let source = SectionedList.Source(rules: keyer.rules, settings: settings, appearances: appearances)
    // From a half of the rows on, sorting all of them is cheaper than changing what there is; where each row gets its
    // place alone, from a quarter on.
    let isWide = changes.count >= prepared.wideFrom && keyer.isByBytes && prepared.aggregator == nil
    var list: SectionedList
    if let old, old.prepared.filterID === prepared.filterID, changes.count < max(64, ids.count / (isWide ? 2 : 4)) {
      list = SectionedList(
        old.list, changed: changes, to: ids, from: source, origin: origin, aggregator: prepared.aggregator,
        isWide: isWide, includes: prepared.includes)
    } else {
      list = SectionedList(ids, from: source, origin: origin, includes: prepared.includes)
    }
    list.summarize(by: prepared.aggregator)
    self.list = list
    self.prepared = prepared
    whole = list.window(offset: prepared.offset, limit: prepared.limit)
    shown = whole
    collapsed = .none
    let isSimple =
      keyer.isByBytes && !list.isReshaped && changes.count <= RowEdits.maximumEdits
      && whole.isIdentical(to: list.sections)
    delta = old.flatMap { isSimple && $0.isWhole ? ListDelta(origin: $0.number, changes: changes) : nil }
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

  /// True if all sections of the list are shown, and all of their rows.
  var isWhole: Bool { shown.isIdentical(to: list.sections) }

  /// The section with a key, nil if limit and offset left it out or it is not there.
  private func section(_ name: SectionKey) -> SectionNode? {
    let key = name.orderKey
    guard let header = list.header(key, hash: key.fingerprint) else { return nil }
    return whole.find(header)?.node
  }
}
