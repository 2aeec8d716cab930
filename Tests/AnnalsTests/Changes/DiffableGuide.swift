import Annals

// The code of the page on views. DiffableTests compares the two.

/// A snapshot of a list's keys and ids.
typealias Snapshot<Row: Annals.Row> = NSDiffableDataSourceSnapshot<SectionKey, DiffableChanges<Row>.Item>

/// The snapshot of a list.
func snapshot<Row>(of results: Results<Row>) -> Snapshot<Row> {
  var snapshot = Snapshot<Row>()
  for section in results.diffableSections {
    snapshot.appendSections([section.key])
    snapshot.appendItems(section.items, toSection: section.key)
  }
  return snapshot
}

/// Leads a snapshot from one list to the next.
func apply<Row>(_ changes: Changes<Row>, to snapshot: inout Snapshot<Row>) {
  let diffable = changes.diffable
  for edit in diffable.edits {
    switch edit {
    case .deleteItems(let items): snapshot.deleteItems(items)
    case .deleteSections(let keys): snapshot.deleteSections(keys)
    case .moveSection(let key, let next?): snapshot.moveSection(key, beforeSection: next)
    case .moveSection(let key, nil):
      if let last = snapshot.sectionIdentifiers.last, last != key { snapshot.moveSection(key, afterSection: last) }
    case .insertSection(let key, let next?): snapshot.insertSections([key], beforeSection: next)
    case .insertSection(let key, nil): snapshot.appendSections([key])
    case .moveItem(let item, let next?, _): snapshot.moveItem(item, beforeItem: next)
    case .moveItem(let item, nil, let key):
      snapshot.deleteItems([item])
      snapshot.appendItems([item], toSection: key)
    case .insertItems(let items, let next?, _): snapshot.insertItems(items, beforeItem: next)
    case .insertItems(let items, nil, let key): snapshot.appendItems(items, toSection: key)
    }
  }
  snapshot.reconfigureItems(diffable.reconfigured)
  snapshot.reloadSections(diffable.retitled)
}
