extension Changes {
  /// One edit of a view that takes them one at a time; indices are those that the edit before left.
  public enum Edit: Sendable, Equatable {
    /// A section comes without rows, goes with its rows, moves, or has a new title.
    case section(SectionChange)
    /// A row comes, goes, moves, or has new content; both paths of an update are the same.
    case row(RowChange<Row>)
  }

  /// The same batch for a view that takes one edit at a time, such as AppKit's NSTableView or Android's RecyclerView.
  ///
  /// Rows go first, then sections; sections move and come; rows move and come; content is last. Each edit's indices are
  /// those that the edit before left.
  ///
  /// - Complexity: O(n · m) for n rows and sections of which m move, O(n) if none does.
  public var edits: [Edit] { EditSequence(self).edits }
}

/// Makes edits one by one, on ids that stand for what a view shows.
private struct EditSequence<Row: Annals.Row> {
  typealias Edit = Changes<Row>.Edit

  private(set) var edits: [Edit] = []
  private let changes: Changes<Row>
  /// What the view shows now.
  private var shown: [(key: SectionKey, rows: [OrderKey])]

  init(_ changes: Changes<Row>) {
    self.changes = changes
    shown = changes.old.sections.map { ($0.key, $0.map { OrderKey($0.id) }) }
    delete()
    moveSections()
    insertSections()
    moveRows()
    insertRows()
    update()
  }

  private mutating func delete() {
    for case .delete(let row, let at, let moved) in changes.rows.reversed() {
      edits.append(.row(.delete(row: row, at: at, moved: moved)))
      shown[at.section].rows.remove(at: at.row)
    }
    for case .delete(let index, let key) in changes.sections.reversed() {
      edits.append(.section(.delete(index: index, key: key)))
      shown.remove(at: index)
    }
  }

  private mutating func moveSections() {
    var waiting: [(to: Int, key: SectionKey)] = []
    for case .move(_, let to, let key) in changes.sections { waiting.append((to, key)) }
    waiting.sort { $0.to < $1.to }
    while let (to, key) = waiting.first {
      waiting.removeFirst()
      guard let from = shown.firstIndex(where: { $0.key == key }) else { continue }
      let section = shown.remove(at: from)
      // Behind the nearest section before it that is there and where it belongs.
      let before = changes.new.sections[..<to].last { section in shown.contains { $0.key == section.key } }
      let place = before.flatMap { before in shown.firstIndex { $0.key == before.key } }.map { $0 + 1 } ?? 0
      shown.insert(section, at: place)
      edits.append(.section(.move(from: from, to: place, key: key)))
    }
  }

  private mutating func insertSections() {
    for case .insert(let index, let key, let title) in changes.sections {
      edits.append(.section(.insert(index: index, key: key, title: title)))
      shown.insert((key, []), at: index)
    }
  }

  private mutating func moveRows() {
    var waiting: [(to: RowPath, row: Row)] = []
    for case .move(let row, _, let to, _) in changes.rows { waiting.append((to, row)) }
    waiting.sort { $0.to < $1.to }
    for (to, row) in waiting {
      let id = OrderKey(row.id)
      guard let from = path(of: id) else { continue }
      shown[from.section].rows.remove(at: from.row)
      // What stands before it has moved already, or stays.
      let before = changes.new.sections[to.section][..<to.row].last { shown[to.section].rows.contains(OrderKey($0.id)) }
      let place = before.flatMap { before in shown[to.section].rows.firstIndex(of: OrderKey(before.id)) }.map { $0 + 1 }
      let path = RowPath(section: to.section, row: place ?? 0)
      shown[path.section].rows.insert(id, at: path.row)
      // A row stands where it belongs already if what stood between went before.
      if from != path { edits.append(.row(.move(row: row, from: from, to: path, contentChanged: false))) }
    }
  }

  private func path(of id: OrderKey) -> RowPath? {
    for (section, (_, rows)) in shown.enumerated() {
      if let row = rows.firstIndex(of: id) { return RowPath(section: section, row: row) }
    }
    return nil
  }

  private mutating func insertRows() {
    for case .insert(let row, let at, let moved) in changes.rows {
      edits.append(.row(.insert(row: row, at: at, moved: moved)))
    }
  }

  private mutating func update() {
    for case .update(_, let index, let key, let title) in changes.sections {
      edits.append(.section(.update(index: index, newIndex: index, key: key, title: title)))
    }
    for change in changes.rows {
      switch change {
      case .update(let row, _, let at), .move(let row, _, let at, contentChanged: true):
        edits.append(.row(.update(row: row, at: at, newAt: at)))
      default: break
      }
    }
  }
}
