/// A list's rows and sections in trees, whatever the rows are: a value, and every copy of it stays what it is.
struct SectionedList: Sendable {
  /// All rows of the projection, also those that the request leaves out, each with its keys.
  private(set) var ids = SortedTree<ByID>()
  /// The sections that have rows, and the fixed ones.
  private(set) var sections = SortedTree<BySection>()
  /// The same sections by their keys.
  private(set) var handles = SortedTree<BySectionKey>()
  /// What the projection said of sections.
  private(set) var facts = SortedTree<BySectionFacts>()
  /// True if a section is there, is called or stands otherwise than in the list that this one was made from.
  private(set) var isReshaped = true
  /// The pages that parts of the list may be on; nil if all was made of events.
  private(set) var origin: TreePages?

  /// What a list is made of, beside its rows.
  struct Source {
    let rules: SectionRules
    let facts: SortedTree<BySectionFacts>
    let appearances: [SectionKey: Position]

    /// The section of a place, as it is called and where it stands now.
    func handle(_ place: SectionPlace) -> SectionHandle {
      let values = facts.facts(of: place.key)
      let title = values.title ?? place.name.description
      let appearance = rules.order == .byFirstAppearance ? appearances[place.name] : nil
      var writer = KeyWriter()
      switch rules.order {
      case .byKey: break
      case .byTitle: writer.write(text: title)
      case .byNumber: (values.number ?? .nan).encode(into: &writer)
      case .byFirstAppearance: (appearance?.rawValue ?? .max).encode(into: &writer)
      }
      writer.write(place.order)
      let isFixed = rules.fixed.contains { $0.isSame(place) }
      return SectionHandle(
        place, title: title, order: OrderKey(writer), isFixed: isFixed, appearance: appearance)
    }

    /// True if a section that stands by its first appearance has appeared at another position by now: a fixed one without rows
    /// whose first row came, and any of a log that was rewritten.
    func isMisplaced(_ handle: SectionHandle) -> Bool { handle.appearance != appearances[handle.place.name] }
  }

  /// The handle of a section, nil if the list does not have it.
  func handle(_ key: OrderKey, hash: UInt64) -> SectionHandle? {
    handles.element(head: hash) { BySectionKey.compare($0.place.key, key) }
  }
}

extension SectionedList {
  /// Makes the list that was saved.
  init(
    saved ids: SortedTree<ByID>, sections: SortedTree<BySection>, handles: SortedTree<BySectionKey>,
    facts: SortedTree<BySectionFacts>, origin: TreePages
  ) {
    (self.ids, self.sections, self.handles, self.facts, self.origin) = (ids, sections, handles, facts, origin)
  }

  /// Makes the list of rows that all have their keys.
  ///
  /// - Complexity: O(n log n).
  init(
    _ ids: SortedTree<ByID>, from source: Source, origin: TreePages? = nil, includes: ((RowEntry) -> Bool)?
  ) {
    (self.ids, self.origin) = (ids, origin)
    facts = source.facts
    var groups: [OrderKey: Int] = [:]
    var places: [SectionPlace] = []
    // The tree owns the rows: unowned, they are sorted without counting references; with the first bytes of their keys beside
    // them, mostly without looking at them.
    var entries: [[(head: UInt64, entry: Unmanaged<RowEntry>)]] = []
    func group(_ place: SectionPlace) -> Int {
      if let known = groups[place.key] { return known }
      groups[place.key] = places.count
      places.append(place)
      entries.append([])
      return places.count - 1
    }
    for place in source.rules.fixed { _ = group(place) }
    var last: (place: SectionPlace, group: Int)?
    for entry in ids where includes?(entry) ?? true {
      let index = if let last, last.place === entry.place { last.group } else { group(entry.place) }
      last = (entry.place, index)
      entries[index].append((ByRow.head(entry), .passUnretained(entry)))
    }
    var nodes: [SectionNode] = []
    for (index, place) in places.enumerated() {
      entries[index].sort { left, right in
        if left.head != right.head { return left.head < right.head }
        return left.entry._withUnsafeGuaranteedRef { left in
          right.entry._withUnsafeGuaranteedRef { ByRow.compareTails(left, $0) < 0 }
        }
      }
      let rows = SortedTree<ByRow>(sorted: entries[index].lazy.map { $0.entry.takeUnretainedValue() })
      entries[index] = []
      nodes.append(SectionNode(source.handle(place), rows))
    }
    nodes.sort { BySection.compare($0, $1) < 0 }
    sections = SortedTree(sorted: nodes)
    handles = SortedTree(sorted: nodes.map(\.handle).sorted { BySectionKey.compare($0, $1) < 0 })
  }

  /// Makes the list of rows of which most are those of another list.
  ///
  /// - Parameters:
  ///   - old: The other list.
  ///   - changes: By id, what a row was and what it is, which all have their keys.
  ///   - ids: All rows as they are.
  ///   - source: What the list is made of.
  ///   - origin: The pages that some of the rows may be on.
  ///   - includes: Tells whether the request lets a row through; nil if it lets all.
  /// - Complexity: O(k log n) for k changes.
  init(
    _ old: SectionedList, changed changes: [(old: RowEntry?, new: RowEntry?)], to ids: SortedTree<ByID>,
    from source: Source, origin: TreePages? = nil, includes: ((RowEntry) -> Bool)?
  ) {
    self = old
    (isReshaped, self.origin) = (false, origin)
    self.ids = ids
    facts = source.facts
    var work = SectionWork()
    source.facts.difference(from: old.facts) { change in
      switch change {
      case .removed(let facts, _), .added(let facts, _), .replaced(_, _, let facts, _):
        if let handle = old.handle(facts.key, hash: facts.hash) { work.rename(handle, of: old, source) }
      }
    }
    if source.rules.order == .byFirstAppearance {
      // A fixed section may have had its first row in between, or not have it any more, without a row in either list.
      for place in source.rules.fixed {
        if let handle = old.handle(place.key, hash: place.hash), source.isMisplaced(handle) {
          work.rename(handle, of: old, source)
        }
      }
    }
    for (before, after) in changes {
      let wanted = after.flatMap { includes?($0) ?? true ? $0 : nil }
      if let before, let wanted, before.rest.isEmpty, before.place.isSame(wanted.place),
        ByRow.compare(before, wanted) == 0
      {
        // The row is where it was: it takes its own place, if it had one.
        work.insert(wanted, of: old, source)
      } else {
        if let before, !work.remove(before, of: old, source), includes?(before) ?? true, origin != nil {
          Self.lose(origin, "a row is not in its section, as its id says")
        }
        if let wanted { work.insert(wanted, of: old, source) }
      }
    }
    for section in work.sections { write(section) }
  }

  /// Gives a list up that contradicts itself, which one that was made of events never does.
  fileprivate static func lose(_ origin: TreePages?, _ contradiction: String) {
    guard let origin else { preconditionFailure("\(contradiction); please report this") }
    origin.lose(PageError(contradiction))
  }

  /// Writes back a section that was worked on.
  private mutating func write(_ section: SectionWork.Section) {
    let isGone = section.rows.isEmpty && !section.handle.isFixed
    if let stored = section.stored {
      if isGone {
        isReshaped = true
        sections.remove(stored)
        handles.remove(stored.handle)
        return
      }
      if stored.handle === section.handle, stored.rows.isIdentical(to: section.rows) { return }
      if stored.handle !== section.handle {
        isReshaped = true
        handles.insert(section.handle)
        if BySection.compare(stored.handle, section.handle) != 0
          || stored.handle.order.head != section.handle.order.head
        {
          sections.remove(stored)
        }
      }
    } else if isGone {
      return
    } else {
      isReshaped = true
      handles.insert(section.handle)
    }
    sections.insert(SectionNode(section.handle, section.rows))
  }
}

/// The sections that an update works on, taken out of the list until all is done.
private struct SectionWork {
  struct Section {
    /// The section as the list has it, nil if it is new.
    let stored: SectionNode?
    var handle: SectionHandle
    var rows: SortedTree<ByRow>
  }

  private(set) var sections: [Section] = []
  /// By key, once there are more than a look can find.
  private var indices: [OrderKey: Int] = [:]

  /// Gives a section the title and the place in the order that it has now.
  mutating func rename(
    _ handle: SectionHandle, of list: borrowing SectionedList, _ source: borrowing SectionedList.Source
  ) {
    let index = index(of: handle.place, list, source)
    sections[index].handle = source.handle(handle.place)
  }

  mutating func insert(_ entry: RowEntry, of list: borrowing SectionedList, _ source: borrowing SectionedList.Source) {
    let index = index(of: entry.place, list, source)
    sections[index].rows.insert(entry)
    guard source.rules.order == .byFirstAppearance else { return }
    let handle = sections[index].handle
    if source.isMisplaced(handle) { sections[index].handle = source.handle(handle.place) }
  }

  /// Takes a row out; false if it is in no section.
  mutating func remove(
    _ entry: RowEntry, of list: borrowing SectionedList, _ source: borrowing SectionedList.Source
  ) -> Bool {
    // A row that the request left out is in no section, and its section may not be there.
    guard let index = known(entry.place, list), let rank = sections[index].rows.find(entry) else { return false }
    sections[index].rows.remove(at: rank)
    return true
  }

  private func find(_ place: SectionPlace) -> Int? {
    if sections.count > 8 { return indices[place.key] }
    return sections.firstIndex { $0.handle.place.isSame(place) }
  }

  private mutating func index(
    of place: SectionPlace, _ list: borrowing SectionedList, _ source: borrowing SectionedList.Source
  ) -> Int {
    known(place, list) ?? add(Section(stored: nil, handle: source.handle(place), rows: SortedTree()))
  }

  /// The index of a section that is worked on, or that the list has.
  private mutating func known(_ place: SectionPlace, _ list: borrowing SectionedList) -> Int? {
    if let last = sections.indices.last, sections[last].handle.place === place { return last }
    if let known = find(place) { return known }
    guard let handle = list.handle(place.key, hash: place.hash) else { return nil }
    let stored = list.sections.element(head: handle.order.head) { BySection.compare($0.handle, handle) }
    guard let stored else {
      SectionedList.lose(list.origin, "the list has no section \(handle.title), which it knows by its key")
      return add(Section(stored: nil, handle: handle, rows: SortedTree()))
    }
    // The handle of the section itself: in a list that was saved, the one that is found by its key is another object.
    return add(Section(stored: stored, handle: stored.handle, rows: stored.rows))
  }

  private mutating func add(_ section: Section) -> Int {
    sections.append(section)
    if sections.count == 9 {
      for (index, section) in sections.enumerated() { indices[section.handle.place.key] = index }
    } else if sections.count > 9 {
      indices[section.handle.place.key] = sections.count - 1
    }
    return sections.count - 1
  }
}
