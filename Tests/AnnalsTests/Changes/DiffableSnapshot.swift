import Annals

/// A snapshot with the names of UIKit's, which ends the test where UIKit's ends the app.
struct NSDiffableDataSourceSnapshot<SectionID: Hashable, ItemID: Hashable>: Equatable {
  private(set) var sectionIdentifiers: [SectionID] = []
  private var items: [SectionID: [ItemID]] = [:]
  private(set) var reconfigured: [ItemID] = []
  private(set) var reloaded: [SectionID] = []

  static func == (left: Self, right: Self) -> Bool {
    left.sectionIdentifiers == right.sectionIdentifiers && left.items == right.items
  }

  private func index(_ section: SectionID) -> Int {
    guard let index = sectionIdentifiers.firstIndex(of: section) else { preconditionFailure("no section \(section)") }
    return index
  }

  private func place(_ item: ItemID) -> (section: SectionID, index: Int) {
    for (section, all) in items {
      if let index = all.firstIndex(of: item) { return (section, index) }
    }
    preconditionFailure("no item \(item)")
  }

  private func checkNew(_ new: [ItemID]) {
    precondition(Set(new).count == new.count, "an item comes twice")
    for all in items.values { precondition(Set(all).isDisjoint(with: new), "an item is there already") }
  }

  mutating func appendSections(_ sections: [SectionID]) {
    for section in sections {
      precondition(items.updateValue([], forKey: section) == nil, "the section is there already")
    }
    sectionIdentifiers += sections
  }

  mutating func insertSections(_ sections: [SectionID], beforeSection next: SectionID) {
    let place = index(next)
    for section in sections {
      precondition(items.updateValue([], forKey: section) == nil, "the section is there already")
    }
    sectionIdentifiers.insert(contentsOf: sections, at: place)
  }

  mutating func deleteSections(_ sections: [SectionID]) {
    for section in sections {
      sectionIdentifiers.remove(at: index(section))
      items[section] = nil
    }
  }

  mutating func moveSection(_ section: SectionID, beforeSection next: SectionID) {
    precondition(section != next, "a section moves before itself")
    sectionIdentifiers.remove(at: index(section))
    sectionIdentifiers.insert(section, at: index(next))
  }

  mutating func moveSection(_ section: SectionID, afterSection last: SectionID) {
    precondition(section != last, "a section moves behind itself")
    sectionIdentifiers.remove(at: index(section))
    sectionIdentifiers.insert(section, at: index(last) + 1)
  }

  mutating func appendItems(_ new: [ItemID], toSection section: SectionID) {
    checkNew(new)
    _ = index(section)
    items[section, default: []] += new
  }

  mutating func insertItems(_ new: [ItemID], beforeItem next: ItemID) {
    checkNew(new)
    let (section, index) = place(next)
    items[section]?.insert(contentsOf: new, at: index)
  }

  mutating func deleteItems(_ old: [ItemID]) {
    for item in old {
      let (section, index) = place(item)
      items[section]?.remove(at: index)
    }
  }

  mutating func moveItem(_ item: ItemID, beforeItem next: ItemID) {
    precondition(item != next, "an item moves before itself")
    deleteItems([item])
    insertItems([item], beforeItem: next)
  }

  mutating func reconfigureItems(_ all: [ItemID]) {
    for item in all { _ = place(item) }
    reconfigured = all
  }

  mutating func reloadSections(_ sections: [SectionID]) {
    for section in sections { _ = index(section) }
    reloaded = sections
  }
}
