import AnnalsLog

/// The rows and sections of a list as immutable trees, independent of the row type.
package struct SectionedList: Sendable {
  /// All rows of the projection, including rows that the request excludes.
  ///
  /// The rows can be shared with other lists, so they might have the keys of another list or no keys. `RowKeying`
  /// returns the rows with this list's keys. A shown row is also in its section, where it has this list's keys, and
  /// might be another object there.
  package private(set) var ids = SortedTree<ByID>()
  /// The sections with rows, and the pinned sections.
  package private(set) var sections = SortedTree<BySection>()
  /// The same sections by their keys.
  package private(set) var headersByKey = SortedTree<BySectionKey>()
  /// The section settings from the projection.
  private(set) var settings = SortedTree<BySectionSettings>()
  /// True if a section was added, removed, renamed or moved compared with the list from which this list was derived.
  private(set) var isReshaped = true
  /// The aggregates' state for all rows, or `nil` without aggregates.
  private(set) var total: AggregateSummary?
  /// The saved pages that might contain parts of the list, or `nil` if all parts were built from events.
  package private(set) var origin: TreePages?

  /// The inputs for a list in addition to its rows.
  struct Source {
    let rules: SectionRules
    let settings: SortedTree<BySectionSettings>
    let appearances: [SectionKey: Position]

    /// Returns the header of a section with its current title and place.
    ///
    /// - Parameters:
    ///   - id: The section's id.
    ///   - first: The section's first row, needed only if sections are sorted by their rows.
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

    /// Returns the known header of a section, or a new header if sections are sorted by their rows and the section's
    /// first row has changed.
    func header(_ known: SectionHeader, for rows: SortedTree<ByRow>) -> SectionHeader {
      guard rules.isByRows else { return known }
      let header = header(known.id, first: rows.isEmpty ? nil : rows[0])
      return header.order == known.order && header.first === known.first ? known : header
    }

    /// Returns true if a section's first appearance has changed.
    ///
    /// A first appearance changes when a pinned section receives its first row. After a rewrite of the log, it can
    /// change for any section.
    func isMisplaced(_ header: SectionHeader) -> Bool { header.appearance != appearances[header.id.name] }
  }

  /// Returns the header of a section, or `nil` if the list doesn't have the section.
  package func header(_ key: OrderKey, hash: UInt64) -> SectionHeader? {
    headersByKey.element(head: hash) { BySectionKey.compare($0.id.key, key) }
  }
}

extension SectionedList {
  /// Creates a list from its trees, for example from saved trees.
  package init(
    _ ids: SortedTree<ByID>, sections: SortedTree<BySection>, headersByKey: SortedTree<BySectionKey>,
    settings: SortedTree<BySectionSettings>, origin: TreePages?
  ) {
    self.ids = ids
    self.sections = sections
    self.headersByKey = headersByKey
    self.settings = settings
    self.origin = origin
  }

  /// Creates the list from rows.
  ///
  /// - Parameters:
  ///   - ids: All rows.
  ///   - parts: The rows that pass the request's filter, with their keys.
  ///   - source: The settings and rules of the list.
  ///   - origin: The saved pages that might contain some of the rows.
  ///   - parallelFrom: The minimum number of rows to process on several cores in parallel.
  /// - Complexity: O(n log n).
  init(
    _ ids: SortedTree<ByID>, shown parts: [[RowEntry]], from source: Source, origin: TreePages? = nil,
    parallelFrom: Int
  ) {
    self.ids = ids
    self.origin = origin
    settings = source.settings
    // The arrays own the rows, so the sort uses unowned rows without reference counting. The first bytes of every row's
    // keys are stored next to the unowned row, so the sort rarely accesses the row. The arrays must live until all rows
    // are in their trees, because some rows have no other owner.
    defer { withExtendedLifetime(parts) {} }
    let groups = RowGroups(parts, pinned: source.rules.pinned, parallelFrom: parallelFrom)
    let trees = Parallel.map(groups.ids.count, threshold: parallelFrom, rows: { groups.count(of: $0) }) { index in
      var places = groups.places(of: index)
      RowSort.sort(&places, parallelFrom: parallelFrom)
      return SortedTree<ByRow>(sorted: places.lazy.map { $0.row.takeUnretainedValue() })
    }
    add(zip(groups.ids, trees).map { SectionNode(source.header($0, first: $1.isEmpty ? nil : $1[0]), $1) })
  }

  /// Creates the list from the rows of its sections.
  ///
  /// - Parameters:
  ///   - ids: All rows.
  ///   - parts: The sections with rows, in any order.
  ///   - prepared: The request, which must not sort sections by their rows or by first appearance.
  ///   - settings: The section settings from the projection.
  ///   - origin: The pages of the trees.
  package init(
    _ ids: SortedTree<ByID>, parts: [(id: SectionID, rows: SortedTree<ByRow>)], _ prepared: PreparedRequest,
    settings: SortedTree<BySectionSettings>, origin: TreePages
  ) {
    (self.ids, self.settings, self.origin) = (ids, settings, origin)
    let source = Source(rules: prepared.keyer.rules, settings: settings, appearances: [:])
    let empty = source.rules.pinned.filter { id in !parts.contains { $0.id.isSame(id) } }
    add(
      parts.map { SectionNode(source.header($0.id), $0.rows) }
        + empty.map { SectionNode(source.header($0), SortedTree()) })
  }

  private mutating func add(_ nodes: [SectionNode]) {
    let nodes = nodes.sorted { BySection.compare($0, $1) < 0 }
    sections = SortedTree(sorted: nodes)
    headersByKey = SortedTree(sorted: nodes.map(\.header).sorted { BySectionKey.compare($0, $1) < 0 })
  }

  /// Creates the list from another list and the changed rows.
  ///
  /// - Parameters:
  ///   - old: The other list.
  ///   - changes: The old and new versions of the rows by id, all with their keys.
  ///   - ids: All current rows.
  ///   - source: The settings and rules of the list.
  ///   - origin: The saved pages that might contain some of the rows.
  ///   - aggregator: The aggregator. If it isn't the other list's aggregator, the new list has no aggregates.
  ///   - isWide: True to change every section in one pass. This requires keys that are compared only as bytes, and no
  ///     aggregates.
  /// - Complexity: O(k log n) for k changes.
  init(
    _ old: SectionedList, changed changes: [(old: RowEntry?, new: RowEntry?)], to ids: SortedTree<ByID>,
    from source: Source, origin: TreePages? = nil, aggregator: Aggregator? = nil, isWide: Bool = false
  ) {
    self = old
    isReshaped = false
    self.origin = origin
    self.ids = ids
    settings = source.settings
    var work = SectionWork()
    // Aggregates of another request aren't kept current.
    if let total, total.tally.aggregator === aggregator { work.total = total.tally }
    source.settings.difference(from: old.settings) { change in
      switch change {
      case .removed(let settings, _), .added(let settings, _), .replaced(_, _, let settings, _):
        if let header = old.header(settings.key, hash: settings.hash) { work.rename(header, of: old, source) }
      }
    }
    if source.rules.isByAppearance {
      // A pinned section might have gained or lost its first row between the two lists, even if it is empty in both
      // lists.
      for id in source.rules.pinned {
        if let header = old.header(id.key, hash: id.hash), source.isMisplaced(header) {
          work.rename(header, of: old, source)
        }
      }
    }
    for (before, wanted) in changes {
      // If a row's place is unchanged, the new version replaces the old version there.
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
          Self.lose(origin, "a row is missing from the section that the saved list stores for the row")
        }
        let place = wanted.map { work.insert($0, of: old, source) }
        if work.total != nil { work.count(left, place, wanted) }
      }
    }
    let change = work.apply(parallelFrom: origin == nil ? Parallel.threshold : .max)
    if origin != nil, change != work.expected {
      Self.lose(origin, "a row is missing from the section that the saved list stores for the row")
    }
    for section in work.sections { write(section, source) }
    if let tally = work.total { total = AggregateSummary(tally) }
  }

  /// Computes the request's aggregates if the list doesn't have them.
  ///
  /// - Complexity: O(n log n) for n rows if the list doesn't have the aggregates, otherwise O(1).
  mutating func summarize(by aggregator: Aggregator?) {
    if total?.tally.aggregator === aggregator { return }
    sections = SortedTree(
      sorted: sections.map { SectionNode($0.header, $0.rows, aggregator?.summary(of: $0.rows)) })
    total = aggregator?.summary(of: sections.lazy.flatMap(\.rows))
  }

  /// Marks a saved list as lost because it is inconsistent.
  ///
  /// A list that was built from events is never inconsistent, so without saved pages, the method traps.
  fileprivate static func lose(_ origin: TreePages?, _ contradiction: String) {
    guard let origin else { preconditionFailure("\(contradiction); please report this") }
    origin.lose(PageError(contradiction))
  }

  /// Replaces a section of the list by its modified version.
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
      // A section with an unchanged place is replaced when the new section is inserted. With a custom comparator, the
      // insertion might not find the section's former place, so the old section is removed first.
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

/// The sections that an update modifies, removed from the list until the update is done.
private struct SectionWork {
  struct Section {
    /// The section as stored in the list, or `nil` if it is new.
    let stored: SectionNode?
    var header: SectionHeader
    var rows: SortedTree<ByRow>
    /// The aggregates' state for the rows, or `nil` without aggregates.
    var tally: AggregateTally?
    /// The edits for a single pass over the rows.
    ///
    /// Edits of different keys can be in any order, and the last edit of a key wins.
    var edits: [TreeEdit<ByRow>] = []
  }

  /// The expected growth of the number of rows after the collected edits.
  var expected = 0

  /// The aggregates' state for all rows, or `nil` without aggregates.
  var total: AggregateTally?

  private(set) var sections: [Section] = []
  /// The indices in `sections` by key, used once there are too many sections for a linear search.
  private var indices: [OrderKey: Int] = [:]
  private var scratch = AggregateScratch()

  /// Gives a section its current title and place.
  mutating func rename(
    _ header: SectionHeader, of list: borrowing SectionedList, _ source: borrowing SectionedList.Source
  ) {
    let index = index(of: header.id, list, source)
    sections[index].header = source.header(header.id)
  }

  /// A modified section, and the row that was removed from it.
  typealias Place = (section: Int, old: RowEntry?)

  /// Collects an edit of a section's row, to be applied when all edits are known.
  mutating func collect(
    _ edit: TreeEdit<ByRow>, _ section: SectionID, of list: borrowing SectionedList,
    _ source: borrowing SectionedList.Source
  ) {
    guard edit.isSet else {
      // A row that the request excluded is in no section, and its section might not exist.
      if let index = known(section, list) { sections[index].edits.append(edit) }
      return
    }
    let index = index(of: section, list, source)
    sections[index].edits.append(edit)
    reconsider(index, source)
  }

  /// Applies the collected edits, and returns the change of the number of rows.
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

  /// Gives a section that is sorted by first appearance its current place.
  private mutating func reconsider(_ index: Int, _ source: borrowing SectionedList.Source) {
    guard source.rules.isByAppearance else { return }
    let header = sections[index].header
    if source.isMisplaced(header) { sections[index].header = source.header(header.id) }
  }

  /// Inserts a row into its section, and returns the row that it replaces.
  mutating func insert(
    _ entry: RowEntry, of list: borrowing SectionedList, _ source: borrowing SectionedList.Source
  ) -> Place {
    let index = index(of: entry.section, list, source)
    let old = sections[index].rows.insert(entry)
    reconsider(index, source)
    return (index, old)
  }

  /// Removes a row from its section, or returns `nil` if the row is in no section.
  mutating func remove(
    _ entry: RowEntry, of list: borrowing SectionedList, _ source: borrowing SectionedList.Source
  ) -> Place? {
    // A row that the request excluded is in no section, and its section might not exist.
    guard let index = known(entry.section, list), let rank = sections[index].rows.find(entry) else { return nil }
    return (index, sections[index].rows.remove(at: rank))
  }

  /// Updates the aggregates for a changed row.
  ///
  /// If the row stays in its section, the section's aggregates are updated only once.
  ///
  /// - Parameters:
  ///   - left: The section with the row's old version, or `nil`.
  ///   - place: The section with the row's new version, and the row that it replaced, or `nil`.
  ///   - new: The row's new version.
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

  /// Returns the index in `sections` of a section that was already modified or that the list has, or `nil`.
  private mutating func known(_ id: SectionID, _ list: borrowing SectionedList) -> Int? {
    if let last = sections.indices.last, sections[last].header.id === id { return last }
    if let known = find(id) { return known }
    guard let header = list.header(id.key, hash: id.hash) else { return nil }
    guard let stored = list.sections.find(header)?.node else {
      SectionedList.lose(
        list.origin,
        "the section \(header.title) is missing from the list, but the list's index of section keys has an entry "
          + "for the section")
      return add(Section(stored: nil, header: header, rows: SortedTree(), tally: emptyTally))
    }
    // This is the section's own header, because in a saved list, the header found by the key is another object.
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
