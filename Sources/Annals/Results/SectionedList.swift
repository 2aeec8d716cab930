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
  }

  /// The handle of a section, nil if the list does not have it.
  func handle(_ key: OrderKey, hash: UInt64) -> SectionHandle? {
    handles.element(head: hash) { BySectionKey.compare($0.place.key, key) }
  }
}

extension SectionedList {
  /// Makes the list of rows that all have their keys.
  ///
  /// - Complexity: O(n log n).
  init(_ ids: SortedTree<ByID>, from source: Source, includes: (RowEntry) -> Bool) {
    self.ids = ids
    facts = source.facts
    var groups: [OrderKey: Int] = [:]
    var places: [SectionPlace] = []
    var entries: [[Unmanaged<RowEntry>]] = []
    func group(_ place: SectionPlace) -> Int {
      if let known = groups[place.key] { return known }
      groups[place.key] = places.count
      places.append(place)
      entries.append([])
      return places.count - 1
    }
    for place in source.rules.fixed { _ = group(place) }
    var last: (place: SectionPlace, group: Int)?
    for entry in ids where includes(entry) {
      let index = if let last, last.place === entry.place { last.group } else { group(entry.place) }
      last = (entry.place, index)
      // The tree owns the rows: unowned, they are sorted without counting references.
      entries[index].append(.passUnretained(entry))
    }
    var nodes: [SectionNode] = []
    for (index, place) in places.enumerated() {
      entries[index].sort { left, right in
        left._withUnsafeGuaranteedRef { left in right._withUnsafeGuaranteedRef { ByRow.compare(left, $0) < 0 } }
      }
      let rows = SortedTree<ByRow>(sorted: entries[index].lazy.map { $0.takeUnretainedValue() })
      entries[index] = []
      nodes.append(SectionNode(source.handle(place), rows))
    }
    nodes.sort { BySection.compare($0, $1) < 0 }
    sections = SortedTree(sorted: nodes)
    handles = SortedTree(sorted: nodes.map(\.handle).sorted { BySectionKey.compare($0, $1) < 0 })
  }

  /// Goes over to other rows, most of which are the ones that the list has.
  ///
  /// - Parameters:
  ///   - changes: By id, what a row was and what it is, which all have their keys.
  ///   - ids: All rows as they are then.
  ///   - source: What the list is made of.
  ///   - includes: Tells whether the request lets a row through.
  /// - Complexity: O(k log n) for k changes.
  mutating func update(
    _ changes: [(old: RowEntry?, new: RowEntry?)], to ids: SortedTree<ByID>, from source: Source,
    includes: (RowEntry) -> Bool
  ) {
    self.ids = ids
    var work = SectionWork(self, source)
    source.facts.difference(from: facts) { change in
      switch change {
      case .removed(let facts, _), .added(let facts, _), .replaced(_, _, let facts, _):
        if let handle = handle(facts.key, hash: facts.hash) { work.rename(handle) }
      }
    }
    facts = source.facts
    for (old, new) in changes {
      let wanted = new.flatMap { includes($0) ? $0 : nil }
      if let old, let wanted, old.rest.isEmpty, old.place.isSame(wanted.place), ByRow.compare(old, wanted) == 0 {
        // The row is where it was: it takes its own place, if it had one.
        work.insert(wanted)
      } else {
        if let old { work.remove(old) }
        if let wanted { work.insert(wanted) }
      }
    }
    for section in work.sections { write(section) }
  }

  /// Writes back a section that was worked on.
  private mutating func write(_ section: SectionWork.Section) {
    let isGone = section.rows.isEmpty && !section.handle.isFixed
    if let stored = section.stored {
      if isGone {
        sections.remove(stored)
        handles.remove(stored.handle)
        return
      }
      if stored.handle === section.handle, stored.rows.isIdentical(to: section.rows) { return }
      if stored.handle !== section.handle {
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

  private let list: SectionedList
  private let source: SectionedList.Source
  private(set) var sections: [Section] = []
  private var indices: [OrderKey: Int] = [:]

  init(_ list: SectionedList, _ source: SectionedList.Source) {
    (self.list, self.source) = (list, source)
  }

  /// Gives a section the title and the place in the order that it has now.
  mutating func rename(_ handle: SectionHandle) {
    let index = index(of: handle.place)
    sections[index].handle = source.handle(handle.place)
  }

  mutating func insert(_ entry: RowEntry) {
    let index = index(of: entry.place)
    sections[index].rows.insert(entry)
    let handle = sections[index].handle
    if source.rules.order == .byFirstAppearance, handle.appearance == nil {
      // A fixed section stood at the end until its first row came.
      sections[index].handle = source.handle(handle.place)
    }
  }

  mutating func remove(_ entry: RowEntry) {
    // A row that the request left out is in no section, and its section may not be there.
    guard indices[entry.place.key] != nil || list.handle(entry.place.key, hash: entry.place.hash) != nil else { return }
    let index = index(of: entry.place)
    if let rank = sections[index].rows.find(entry) { sections[index].rows.remove(at: rank) }
  }

  private mutating func index(of place: SectionPlace) -> Int {
    if let last = sections.indices.last, sections[last].handle.place === place { return last }
    if let known = indices[place.key] { return known }
    if let handle = list.handle(place.key, hash: place.hash) {
      let stored = list.sections.element(head: handle.order.head) { BySection.compare($0.handle, handle) }
      guard let stored else {
        preconditionFailure("the list has no section \(handle.title), which it knows by its key")
      }
      sections.append(Section(stored: stored, handle: handle, rows: stored.rows))
    } else {
      sections.append(Section(stored: nil, handle: source.handle(place), rows: SortedTree()))
    }
    indices[place.key] = sections.count - 1
    return sections.count - 1
  }
}
