/// A list's rows and sections in trees, whatever the rows are: a value, and every copy of it stays what it is.
struct SectionedList: Sendable {
  /// All rows of the projection, also those that the request leaves out.
  ///
  /// They may be shared with other lists, and have the keys of one of them, or none: ask `RowKeying` for those of this
  /// list. A row that is shown is in its section with its keys, and may be another object there.
  private(set) var ids = SortedTree<ByID>()
  /// The sections that have rows, and the fixed ones.
  private(set) var sections = SortedTree<BySection>()
  /// The same sections by their keys.
  private(set) var headersByKey = SortedTree<BySectionKey>()
  /// What the projection said of sections.
  private(set) var settings = SortedTree<BySectionSettings>()
  /// True if a section is there, is called or stands otherwise than in the list that this one was made from.
  private(set) var isReshaped = true
  /// What the request's aggregates keep of all rows; nil if there are none.
  private(set) var total: AggregateSummary?
  /// The pages that parts of the list may be on; nil if all was made of events.
  private(set) var origin: TreePages?

  /// What a list is made of, beside its rows.
  struct Source {
    let rules: SectionRules
    let settings: SortedTree<BySectionSettings>
    let appearances: [SectionKey: Position]

    /// The section of an id, as it is called and where it stands now.
    ///
    /// - Parameters:
    ///   - id: The section's id.
    ///   - first: Its first row, which counts if sections stand by their rows.
    /// - Returns: The header.
    func header(_ id: SectionID, first: RowEntry? = nil) -> SectionHeader {
      let values = settings.settings(of: id.key)
      let title = values.title ?? id.name.description
      let appearance = rules.isByAppearance ? appearances[id.name] : nil
      let order = rules.order(
        of: id,
        SectionRules.Place(title: title, number: values.numberBytes, appearance: appearance, first: first))
      return SectionHeader(
        id, title: title, order: order, isPinned: rules.pinned.contains { $0.isSame(id) }, appearance: appearance,
        first: rules.isByRows && first?.hasRest == true ? first : nil, isDescending: rules.order.isDescending)
    }

    /// The header of a section with these rows: another one if it stands by its rows and does not begin as it did.
    func header(_ known: SectionHeader, for rows: SortedTree<ByRow>) -> SectionHeader {
      guard rules.isByRows else { return known }
      let header = header(known.id, first: rows.isEmpty ? nil : rows[0])
      return header.order == known.order && header.first === known.first ? known : header
    }

    /// True if a section that stands by its first appearance has appeared at another position by now: a fixed one
    /// without rows whose first row came, and any of a log that was rewritten.
    func isMisplaced(_ header: SectionHeader) -> Bool { header.appearance != appearances[header.id.name] }
  }

  /// The header of a section, nil if the list does not have it.
  func header(_ key: OrderKey, hash: UInt64) -> SectionHeader? {
    headersByKey.element(head: hash) { BySectionKey.compare($0.id.key, key) }
  }
}

extension SectionedList {
  /// Makes a list of its trees, such as those that were saved.
  init(
    _ ids: SortedTree<ByID>, sections: SortedTree<BySection>, headersByKey: SortedTree<BySectionKey>,
    settings: SortedTree<BySectionSettings>, origin: TreePages?
  ) {
    (self.ids, self.sections, self.headersByKey, self.settings, self.origin) = (
      ids, sections, headersByKey, settings, origin
    )
  }

  /// Makes the list of rows.
  ///
  /// - Parameters:
  ///   - ids: All rows.
  ///   - parts: Those that the request lets through, with their keys.
  ///   - source: What the list is made of.
  ///   - origin: The pages that some of the rows may be on.
  ///   - parallelFrom: So many rows are worked on by several cores at once.
  /// - Complexity: O(n log n).
  init(
    _ ids: SortedTree<ByID>, shown parts: [[RowEntry]], from source: Source, origin: TreePages? = nil,
    parallelFrom: Int
  ) {
    (self.ids, self.origin) = (ids, origin)
    settings = source.settings
    // The arrays own the rows: unowned, they are sorted without counting references; with the first bytes of their keys
    // beside them, mostly without looking at them. They must live until all are in their trees: some are nowhere else.
    defer { withExtendedLifetime(parts) {} }
    let groups = RowGroups(parts, pinned: source.rules.pinned, parallelFrom: parallelFrom)
    let trees = Parallel.map(groups.ids.count, threshold: parallelFrom, rows: { groups.count(of: $0) }) { index in
      var places = groups.places(of: index)
      RowSort.sort(&places, parallelFrom: parallelFrom)
      return SortedTree<ByRow>(sorted: places.lazy.map { $0.row.takeUnretainedValue() })
    }
    var nodes: [SectionNode] = []
    for (id, rows) in zip(groups.ids, trees) {
      nodes.append(SectionNode(source.header(id, first: rows.isEmpty ? nil : rows[0]), rows))
    }
    nodes.sort { BySection.compare($0, $1) < 0 }
    sections = SortedTree(sorted: nodes)
    headersByKey = SortedTree(sorted: nodes.map(\.header).sorted { BySectionKey.compare($0, $1) < 0 })
  }

  /// Makes the list of rows that are mostly those of another list.
  ///
  /// - Parameters:
  ///   - old: The other list.
  ///   - changes: By id, what a row was and what it is, which all have their keys.
  ///   - ids: All rows as they are.
  ///   - source: What the list is made of.
  ///   - origin: The pages that some of the rows may be on.
  ///   - aggregator: What is kept of all rows; that of the other list, or nothing is kept.
  ///   - isWide: True if each section is changed in one pass: all keys are bytes alone, and nothing is kept of rows.
  /// - Complexity: O(k log n) for k changes.
  init(
    _ old: SectionedList, changed changes: [(old: RowEntry?, new: RowEntry?)], to ids: SortedTree<ByID>,
    from source: Source, origin: TreePages? = nil, aggregator: Aggregator? = nil, isWide: Bool = false
  ) {
    self = old
    (isReshaped, self.origin) = (false, origin)
    self.ids = ids
    settings = source.settings
    var work = SectionWork()
    // What another request kept is not kept current.
    if let total, total.tally.aggregator === aggregator { work.total = total.tally }
    source.settings.difference(from: old.settings) { change in
      switch change {
      case .removed(let settings, _), .added(let settings, _), .replaced(_, _, let settings, _):
        if let header = old.header(settings.key, hash: settings.hash) { work.rename(header, of: old, source) }
      }
    }
    if source.rules.isByAppearance {
      // A fixed section may have had its first row in between, or not have it any more, without a row in either list.
      for id in source.rules.pinned {
        if let header = old.header(id.key, hash: id.hash), source.isMisplaced(header) {
          work.rename(header, of: old, source)
        }
      }
    }
    for (before, wanted) in changes {
      // A row that is where it was takes its own place, if it had one.
      let isThere =
        if let before, let wanted {
          !before.hasRest && before.section.isSame(wanted.section) && ByRow.compare(before, wanted) == 0
        } else {
          false
        }
      if isWide {
        if let before, !isThere { work.collect(.remove(before), before.section, of: old, source) }
        if let wanted { work.collect(.set(wanted), wanted.section, of: old, source) }
        work.expected += (wanted == nil ? 0 : 1) - (before == nil ? 0 : 1)
      } else if isThere, let wanted {
        let place = work.insert(wanted, of: old, source)
        if work.total != nil { work.count(nil, place, wanted) }
      } else {
        let left = before.flatMap { work.remove($0, of: old, source) }
        if before != nil, left == nil, origin != nil {
          Self.lose(origin, "a row is not in its section, as its id says")
        }
        let place = wanted.map { work.insert($0, of: old, source) }
        if work.total != nil { work.count(left, place, wanted) }
      }
    }
    let change = work.apply(parallelFrom: origin == nil ? Parallel.threshold : .max)
    if origin != nil, change != work.expected { Self.lose(origin, "a row is not in its section, as its id says") }
    for section in work.sections { write(section, source) }
    if let tally = work.total { total = AggregateSummary(tally) }
  }

  /// Makes what a request's aggregates keep, if the list does not have it.
  ///
  /// - Complexity: O(n log n) if it does not, else O(1).
  mutating func summarize(by aggregator: Aggregator?) {
    if total?.tally.aggregator === aggregator { return }
    sections = SortedTree(
      sorted: sections.map { SectionNode($0.header, $0.rows, aggregator?.summary(of: $0.rows)) })
    total = aggregator?.summary(of: sections.lazy.flatMap(\.rows))
  }

  /// Gives a list up that contradicts itself, which one that was made of events never does.
  fileprivate static func lose(_ origin: TreePages?, _ contradiction: String) {
    guard let origin else { preconditionFailure("\(contradiction); please report this") }
    origin.lose(PageError(contradiction))
  }

  /// Writes back a section that was worked on.
  private mutating func write(_ section: SectionWork.Section, _ source: borrowing Source) {
    let isGone = section.rows.isEmpty && !section.header.isPinned
    let header = isGone ? section.header : source.header(section.header, for: section.rows)
    if let stored = section.stored {
      if isGone {
        isReshaped = true
        take(stored)
        headersByKey.remove(stored.header)
        return
      }
      if stored.header === header, stored.rows.isIdentical(to: section.rows) { return }
      if stored.header !== header {
        isReshaped = true
        headersByKey.insert(header)
      }
      // By a comparator of its own a section may not find its former place.
      if stored.header.first != nil || header.first != nil || stored.header.order.head != header.order.head
        || BySection.compare(stored.header, header) != 0
      {
        take(stored)
      }
    } else if isGone {
      return
    } else {
      isReshaped = true
      headersByKey.insert(header)
    }
    sections.insert(SectionNode(header, section.rows, section.tally.map { AggregateSummary($0) }))
  }

  private mutating func take(_ section: SectionNode) {
    if section.header.first == nil {
      sections.remove(section)
    } else if let rank = sections.find(section.header)?.rank {
      sections.remove(at: rank)
    }
  }
}

/// The sections that an update works on, taken out of the list until all is done.
private struct SectionWork {
  struct Section {
    /// The section as the list has it, nil if it is new.
    let stored: SectionNode?
    var header: SectionHeader
    var rows: SortedTree<ByRow>
    /// What the aggregates keep of the rows; nil if there are none.
    var tally: AggregateTally?
    /// What is done to the rows in one pass, in any order; of one key the last counts.
    var edits: [TreeEdit<ByRow>] = []
  }

  /// How many rows there should be more when the edits that were collected are made.
  var expected = 0

  /// What the aggregates keep of all rows; nil if there are none.
  var total: AggregateTally?

  private(set) var sections: [Section] = []
  /// By key, once there are more than a look can find.
  private var indices: [OrderKey: Int] = [:]
  private var scratch = AggregateScratch()

  /// Gives a section the title and the place in the order that it has now.
  mutating func rename(
    _ header: SectionHeader, of list: borrowing SectionedList, _ source: borrowing SectionedList.Source
  ) {
    let index = index(of: header.id, list, source)
    sections[index].header = source.header(header.id)
  }

  /// A section that is worked on, and the row that left it.
  typealias Place = (section: Int, old: RowEntry?)

  /// Notes what is done to a section's row when all that is done is known.
  mutating func collect(
    _ edit: TreeEdit<ByRow>, _ section: SectionID, of list: borrowing SectionedList,
    _ source: borrowing SectionedList.Source
  ) {
    guard edit.isSet else {
      // A row that the request left out is in no section, and its section may not be there.
      if let index = known(section, list) { sections[index].edits.append(edit) }
      return
    }
    let index = index(of: section, list, source)
    sections[index].edits.append(edit)
    reconsider(index, source)
  }

  /// Makes the edits that were collected; answers how many rows there are more.
  mutating func apply(parallelFrom: Int) -> Int {
    var change = 0
    for index in sections.indices where !sections[index].edits.isEmpty {
      change -= sections[index].rows.count
      sections[index].rows.apply(TreeEdit.ordered(sections[index].edits), parallelFrom: parallelFrom)
      change += sections[index].rows.count
      sections[index].edits = []
    }
    return change
  }

  /// Gives a section that stands by its first appearance the place that it has now.
  private mutating func reconsider(_ index: Int, _ source: borrowing SectionedList.Source) {
    guard source.rules.isByAppearance else { return }
    let header = sections[index].header
    if source.isMisplaced(header) { sections[index].header = source.header(header.id) }
  }

  /// Sets a row in its section; answers the one that it replaces.
  mutating func insert(
    _ entry: RowEntry, of list: borrowing SectionedList, _ source: borrowing SectionedList.Source
  ) -> Place {
    let index = index(of: entry.section, list, source)
    let old = sections[index].rows.insert(entry)
    reconsider(index, source)
    return (index, old)
  }

  /// Takes a row out; nil if it is in no section.
  mutating func remove(
    _ entry: RowEntry, of list: borrowing SectionedList, _ source: borrowing SectionedList.Source
  ) -> Place? {
    // A row that the request left out is in no section, and its section may not be there.
    guard let index = known(entry.section, list), let rank = sections[index].rows.find(entry) else { return nil }
    return (index, sections[index].rows.remove(at: rank))
  }

  /// Counts a change of a row for the aggregates, once if the row stays in its section.
  ///
  /// - Parameters:
  ///   - left: The section that the row left, with the row as it was; nil if it left none.
  ///   - place: The section that it came into, with the row that it took the place of; nil if it came into none.
  ///   - new: The row as it is.
  mutating func count(_ left: Place?, _ place: Place?, _ new: RowEntry?) {
    let isInPlace = left.map { $0.section == place?.section } ?? true
    if let left, !isInPlace { sections[left.section].tally?.set(left.old, nil, &scratch) }
    if let place {
      sections[place.section].tally?.set(isInPlace ? left?.old ?? place.old : place.old, new, &scratch)
    }
    total?.set(left?.old ?? place?.old, new, &scratch)
  }

  private func find(_ id: SectionID) -> Int? {
    if sections.count > 8 { return indices[id.key] }
    return sections.firstIndex { $0.header.id.isSame(id) }
  }

  private mutating func index(
    of id: SectionID, _ list: borrowing SectionedList, _ source: borrowing SectionedList.Source
  ) -> Int {
    known(id, list) ?? add(Section(stored: nil, header: source.header(id), rows: SortedTree(), tally: emptyTally))
  }

  /// The index of a section that is worked on, or that the list has.
  private mutating func known(_ id: SectionID, _ list: borrowing SectionedList) -> Int? {
    if let last = sections.indices.last, sections[last].header.id === id { return last }
    if let known = find(id) { return known }
    guard let header = list.header(id.key, hash: id.hash) else { return nil }
    guard let stored = list.sections.find(header)?.node else {
      SectionedList.lose(list.origin, "the list has no section \(header.title), which it knows by its key")
      return add(Section(stored: nil, header: header, rows: SortedTree(), tally: emptyTally))
    }
    // The header of the section itself: in a list that was saved, the one that is found by its key is another object.
    let tally = total == nil ? nil : stored.summary?.tally
    return add(Section(stored: stored, header: stored.header, rows: stored.rows, tally: tally))
  }

  private var emptyTally: AggregateTally? { total.map { AggregateTally($0.aggregator) } }

  private mutating func add(_ section: Section) -> Int {
    sections.append(section)
    if sections.count == 9 {
      for (index, section) in sections.enumerated() { indices[section.header.id.key] = index }
    } else if sections.count > 9 {
      indices[section.header.id.key] = sections.count - 1
    }
    return sections.count - 1
  }
}
