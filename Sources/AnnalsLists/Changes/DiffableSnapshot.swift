// AppKit has the same type, but importing AppKit would load it into every server and tool on a Mac.
#if canImport(UIKit) && !os(watchOS)
  public import UIKit

  extension NSDiffableDataSourceSnapshot {
    /// Creates a snapshot of a whole list.
    ///
    /// Use this initializer when a diffable data source shows the list for the first time. For later changes of the
    /// list, use `apply(_:)`.
    ///
    /// - Parameter results: The list.
    /// - Complexity: O(n) for n rows.
    public init<Row>(_ results: Results<Row>)
    where SectionIdentifierType == SectionKey, ItemIdentifierType == DiffableChanges<Row>.Item {
      self.init()
      for section in results.diffableSections {
        appendSections([section.key])
        appendItems(section.items, toSection: section.key)
      }
    }

    /// Applies the changes of a list, reconfigures the changed rows, and reloads the sections with a new title.
    ///
    /// `reloadSections` also reloads the rows of these sections. To update only the headers, write a
    /// custom method that applies ``Changes/diffable``.
    ///
    /// - Parameter changes: The changes from the list of this snapshot to the next list.
    public mutating func apply<Row>(_ changes: Changes<Row>)
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
#endif
