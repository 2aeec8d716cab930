import Annals

/// A snapshot with the names of UIKit's, which ends the test where UIKit's ends the app.
struct NSDiffableDataSourceSnapshot<SectionIdentifierType: Hashable, ItemIdentifierType: Hashable>: Equatable {
  private(set) var sectionIdentifiers: [SectionIdentifierType] = []
  private var items: [SectionIdentifierType: [ItemIdentifierType]] = [:]
  private(set) var reconfigured: [ItemIdentifierType] = []
  private(set) var reloaded: [SectionIdentifierType] = []

  static func == (left: Self, right: Self) -> Bool {
    left.sectionIdentifiers == right.sectionIdentifiers && left.items == right.items
  }

  private func index(_ section: SectionIdentifierType) -> Int {
    guard let index = sectionIdentifiers.firstIndex(of: section) else { preconditionFailure("no section \(section)") }
    return index
  }

  private func place(_ item: ItemIdentifierType) -> (section: SectionIdentifierType, index: Int) {
    for (section, all) in items {
      if let index = all.firstIndex(of: item) { return (section, index) }
    }
    preconditionFailure("no item \(item)")
  }

  private func checkNew(_ new: [ItemIdentifierType]) {
    precondition(Set(new).count == new.count, "an item comes twice")
    for all in items.values { precondition(Set(all).isDisjoint(with: new), "an item is there already") }
  }

  mutating func appendSections(_ sections: [SectionIdentifierType]) {
    for section in sections {
      precondition(items.updateValue([], forKey: section) == nil, "the section is there already")
    }
    sectionIdentifiers += sections
  }

  mutating func insertSections(_ sections: [SectionIdentifierType], beforeSection next: SectionIdentifierType) {
    let place = index(next)
    for section in sections {
      precondition(items.updateValue([], forKey: section) == nil, "the section is there already")
    }
    sectionIdentifiers.insert(contentsOf: sections, at: place)
  }

  mutating func deleteSections(_ sections: [SectionIdentifierType]) {
    for section in sections {
      sectionIdentifiers.remove(at: index(section))
      items[section] = nil
    }
  }

  mutating func moveSection(_ section: SectionIdentifierType, beforeSection next: SectionIdentifierType) {
    precondition(section != next, "a section moves before itself")
    sectionIdentifiers.remove(at: index(section))
    sectionIdentifiers.insert(section, at: index(next))
  }

  mutating func moveSection(_ section: SectionIdentifierType, afterSection last: SectionIdentifierType) {
    precondition(section != last, "a section moves behind itself")
    sectionIdentifiers.remove(at: index(section))
    sectionIdentifiers.insert(section, at: index(last) + 1)
  }

  mutating func appendItems(_ new: [ItemIdentifierType], toSection section: SectionIdentifierType) {
    checkNew(new)
    _ = index(section)
    items[section, default: []] += new
  }

  mutating func insertItems(_ new: [ItemIdentifierType], beforeItem next: ItemIdentifierType) {
    checkNew(new)
    let (section, index) = place(next)
    items[section]?.insert(contentsOf: new, at: index)
  }

  mutating func deleteItems(_ old: [ItemIdentifierType]) {
    for item in old {
      let (section, index) = place(item)
      items[section]?.remove(at: index)
    }
  }

  mutating func moveItem(_ item: ItemIdentifierType, beforeItem next: ItemIdentifierType) {
    precondition(item != next, "an item moves before itself")
    deleteItems([item])
    insertItems([item], beforeItem: next)
  }

  mutating func reconfigureItems(_ all: [ItemIdentifierType]) {
    for item in all { _ = place(item) }
    reconfigured = all
  }

  mutating func reloadSections(_ sections: [SectionIdentifierType]) {
    for section in sections { _ = index(section) }
    reloaded = sections
  }
}

// The extension of AnnalsLists for UIKit's type. DiffableTests compares the two, so they have the same code except for
// `public`.
extension NSDiffableDataSourceSnapshot {
  init<Row>(_ results: Results<Row>)
  where SectionIdentifierType == SectionKey, ItemIdentifierType == DiffableChanges<Row>.Item {
    self.init()
    for section in results.diffableSections {
      appendSections([section.key])
      appendItems(section.items, toSection: section.key)
    }
  }

  mutating func apply<Row>(_ changes: Changes<Row>)
  where SectionIdentifierType == SectionKey, ItemIdentifierType == DiffableChanges<Row>.Item {
    let diffable = changes.diffable
    for edit in diffable.edits {
      switch edit {
      case .deleteItems(let items): deleteItems(items)
      case .deleteSections(let keys): deleteSections(keys)
      case .moveSection(let key, let next?): moveSection(key, beforeSection: next)
      case .moveSection(let key, nil):
        if let last = sectionIdentifiers.last, last != key { moveSection(key, afterSection: last) }
      case .insertSection(let key, let next?): insertSections([key], beforeSection: next)
      case .insertSection(let key, nil): appendSections([key])
      case .moveItem(let item, let next?, _): moveItem(item, beforeItem: next)
      case .moveItem(let item, nil, let key):
        deleteItems([item])
        appendItems([item], toSection: key)
      case .insertItems(let items, let next?, _): insertItems(items, beforeItem: next)
      case .insertItems(let items, nil, let key): appendItems(items, toSection: key)
      }
    }
    reconfigureItems(diffable.reconfigured)
    reloadSections(diffable.retitled)
  }
}
