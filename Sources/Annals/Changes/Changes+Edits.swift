extension Changes {
  /// One edit of a view that takes them one at a time; indices are those that the edit before left.
  public enum Edit: Sendable, Equatable {
    /// A section comes without rows, goes with its rows, moves, or has a new title.
    case section(SectionChange)
    /// A row comes, goes, moves, or has new content; both paths of an update are the same.
    case row(RowChange<Row>)
  }

  /// The same batch for a view that takes one edit at a time.
  ///
  /// Rows go first, then sections; sections move and come; rows move and come; content is last. Each edit's indices are
  /// those that the edit before left. ``rangeEdits(headers:)`` is for views that know no sections.
  ///
  /// - Complexity: O(k log k) for k changes, however long the list is.
  public var edits: [Edit] { EditSequence(sections: sections, rows: rows).edits }
}

/// Makes edits one by one, of the changes alone: no list is looked at.
package struct EditSequence<Row: Annals.Row> {
  package private(set) var edits: [Changes<Row>.Edit] = []
  /// How many changes and paths were looked at.
  package private(set) var cost = 0

  package init(sections: [SectionChange], rows: [RowChange<Row>]) {
    delete(sections, rows)
    move(sections)
    move(rows)
    for case .insert(let row, let at, let moved) in rows { add(.row(.insert(row: row, at: at, moved: moved))) }
    for case .update(_, let index, let key, let title) in sections {
      add(.section(.update(index: index, newIndex: index, key: key, title: title)))
    }
    for change in rows {
      switch change {
      case .update(let row, _, let at), .move(let row, _, let at, contentChanged: true):
        add(.row(.update(row: row, at: at, newAt: at)))
      default: break
      }
    }
  }

  private mutating func add(_ edit: Changes<Row>.Edit) {
    edits.append(edit)
    cost += 1
  }

  /// From the last one on, so that every index is that of the old list.
  private mutating func delete(_ sections: [SectionChange], _ rows: [RowChange<Row>]) {
    for case .delete(let row, let at, let moved) in rows.reversed() {
      add(.row(.delete(row: row, at: at, moved: moved)))
    }
    for case .delete(let index, let key) in sections.reversed() { add(.section(.delete(index: index, key: key))) }
  }

  /// Sections move among those that stay, and then the others come, from the first one on.
  private mutating func move(_ sections: [SectionChange]) {
    var (moves, keys): ([SequentialMoves.Move], [SectionKey]) = ([], [])
    var (deleted, inserted): ([RowPath], [RowPath]) = ([], [])
    for change in sections {
      switch change {
      case .delete(let index, _): deleted.append(RowPath(section: 0, row: index))
      case .insert(let index, _, _): inserted.append(RowPath(section: 0, row: index))
      case .move(let from, let to, let key):
        moves.append(.init(from: RowPath(section: 0, row: from), to: RowPath(section: 0, row: to)))
        keys.append(key)
      case .update: break
      }
    }
    let single = SequentialMoves(moves, deleted: deleted, inserted: inserted)
    for step in single.steps { add(.section(.move(from: step.from.row, to: step.to.row, key: keys[step.number]))) }
    cost += single.cost
    for case .insert(let index, let key, let title) in sections {
      add(.section(.insert(index: index, key: key, title: title)))
    }
  }

  private mutating func move(_ rows: [RowChange<Row>]) {
    var (moves, movedRows): ([SequentialMoves.Move], [Row]) = ([], [])
    var (deleted, inserted): ([RowPath], [RowPath]) = ([], [])
    for change in rows {
      switch change {
      case .delete(_, let at, _): deleted.append(at)
      case .insert(_, let at, _): inserted.append(at)
      case .move(let row, let from, let to, _):
        // Sections that rows move out of and into keep their index (law 5), so that it is the same in both lists.
        moves.append(.init(from: from, to: to))
        movedRows.append(row)
      case .update: break
      }
    }
    let single = SequentialMoves(moves, deleted: deleted, inserted: inserted)
    for step in single.steps {
      add(.row(.move(row: movedRows[step.number], from: step.from, to: step.to, contentChanged: false)))
    }
    cost += single.cost
  }
}
