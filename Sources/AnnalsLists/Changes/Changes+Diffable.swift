import AnnalsLog

extension Changes {
  /// The same changes in the form that a diffable data source needs, such as UIKit's
  /// UICollectionViewDiffableDataSource.
  ///
  /// - Complexity: O(c log n) for c changes and n rows.
  public var diffable: DiffableChanges<Row> {
    let (inserted, deleted, moved, reconfigured) = diffableItems
    return DiffableChanges(
      edits: diffableDeletions + diffableSectionEdits + diffableArrivals, inserted: inserted, deleted: deleted,
      moved: moved, reconfigured: reconfigured, retitled: retitled)
  }

  private typealias Item = DiffableChanges<Row>.Item
  private typealias DiffableEdit = DiffableChanges<Row>.Edit

  /// The inserted, deleted, moved and changed items.
  ///
  /// A pair of a deletion and an insertion of the same row is a moved item.
  private var diffableItems: (inserted: [Item], deleted: [Item], moved: [Item], reconfigured: [Item]) {
    var (inserted, deleted): ([Item], [Item]) = ([], [])
    var (moved, changed): ([(at: RowPath, item: Item)], [(at: RowPath, item: Item)]) = ([], [])
    var before: [Item: Row] = [:]
    for change in rows {
      let item = Item(change.row.id)
      switch change {
      case .delete(let row, _, let isPaired): if isPaired { before[item] = row } else { deleted.append(item) }
      case .insert(let row, let at, true):
        moved.append((at, item))
        // A data source moves the item and keeps the item's displayed content, so changed content must be reconfigured.
        if !before[item].isSame(as: row) { changed.append((at, item)) }
      case .insert: inserted.append(item)
      case .move(_, _, let to, let contentChanged):
        moved.append((to, item))
        if contentChanged { changed.append((to, item)) }
      case .update(_, _, let at): changed.append((at, item))
      }
    }
    return (
      inserted, deleted, moved.sorted { $0.at < $1.at }.map(\.item), changed.sorted { $0.at < $1.at }.map(\.item)
    )
  }

  /// The sections with a new title.
  ///
  /// Reinserted sections are included, because a data source doesn't distinguish them from other sections.
  private var retitled: [SectionKey] {
    var before: [SectionKey: String] = [:]
    var found: [(index: Int, key: SectionKey)] = []
    for change in sections {
      switch change {
      case .delete(let index, let key): before[key] = old[index].title
      case .insert(let index, let key, let title):
        if let old = before[key], ExactString(old) != ExactString(title) { found.append((index, key)) }
      case .update(_, let index, let key, _): found.append((index, key))
      case .move: break
      }
    }
    return found.sorted { $0.index < $1.index }.map(\.key)
  }

  private var diffableDeletions: [DiffableEdit] {
    let items = rows.compactMap { if case .delete(let row, _, _) = $0 { Item(row.id) } else { nil } }
    let keys = sections.compactMap { if case .delete(_, let key) = $0 { key } else { nil } }
    return (items.isEmpty ? [] : [.deleteItems(items)]) + (keys.isEmpty ? [] : [.deleteSections(keys)])
  }

  /// The edits of sections, starting with the last section, so that the following section already has its final place.
  private var diffableSectionEdits: [DiffableEdit] {
    var arrivals: [(index: Int, key: SectionKey, isMove: Bool)] = []
    for change in sections {
      switch change {
      case .insert(let index, let key, _): arrivals.append((index, key, false))
      case .move(_, let index, let key): arrivals.append((index, key, true))
      case .delete, .update: break
      }
    }
    arrivals.sort { $0.index > $1.index }
    return arrivals.map { index, key, isMove in
      let next = index + 1 < new.count ? new[index + 1].key : nil
      return isMove ? .moveSection(key, before: next) : .insertSection(key, before: next)
    }
  }

  /// The moves and insertions of items, starting with the last item, so that the following item already has its final
  /// place.
  ///
  /// Adjacent insertions are combined.
  private var diffableArrivals: [DiffableEdit] {
    var arrivals: [(at: RowPath, item: Item, isMove: Bool)] = []
    for change in rows {
      switch change {
      case .insert(let row, let at, _): arrivals.append((at, Item(row.id), false))
      case .move(let row, _, let to, _): arrivals.append((to, Item(row.id), true))
      case .delete, .update: break
      }
    }
    arrivals.sort { $0.at > $1.at }
    var edits: [DiffableEdit] = []
    var run: [Item] = []
    for (number, (at, item, isMove)) in arrivals.enumerated() {
      run.append(item)
      let following = number + 1 < arrivals.count ? arrivals[number + 1] : nil
      if !isMove, let following, !following.isMove, following.at.section == at.section, following.at.row + 1 == at.row {
        continue
      }
      let last = RowPath(section: at.section, row: at.row + run.count - 1)
      let next = new.row(at: RowPath(section: last.section, row: last.row + 1)).map { Item($0.id) }
      let key = new[at.section].key
      edits.append(
        isMove ? .moveItem(item, before: next, in: key) : .insertItems(run.reversed(), before: next, in: key))
      run = []
    }
    return edits
  }
}
