extension Changes {
  /// A single edit for a view that applies edits one at a time, with indices that are valid after the previous edit.
  public enum Edit: Sendable, Equatable {
    /// A section without rows is inserted or deleted, or a section is moved or renamed.
    case section(SectionChange)
    /// A row is inserted, deleted, moved, or updated.
    ///
    /// If a row is updated, `at` and `newAt` are equal.
    case row(RowChange<Row>)
  }

  /// The same changes for a view that applies one edit at a time.
  ///
  /// The first edits delete rows, and then delete sections. The next edits move sections, insert sections, move rows
  /// and insert rows, in this order. The last edits update the titles of sections, and then update rows.
  ///
  /// The indices of an edit are valid after the previous edit. For views without sections, use
  /// ``rangeEdits(headers:)``.
  ///
  /// - Complexity: O(k log k) for k changes, regardless of the list's length.
  public var edits: [Edit] { EditSequence(sections: sections, rows: rows).edits }
}

/// A sequence of edits, created from changes without accessing a list.
package struct EditSequence<Row: AnnalsLists.Row> {
  package private(set) var edits: [Changes<Row>.Edit] = []
  /// The number of accessed changes and paths.
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

  /// Appends the deletions, starting with the last deletion, so that every index is an index of the old list.
  private mutating func delete(_ sections: [SectionChange], _ rows: [RowChange<Row>]) {
    for case .delete(let row, let at, let moved) in rows.reversed() {
      add(.row(.delete(row: row, at: at, moved: moved)))
    }
    for case .delete(let index, let key) in sections.reversed() { add(.section(.delete(index: index, key: key))) }
  }

  /// Appends the moves of sections among the remaining sections, and then the insertions, starting with the first
  /// inserted section.
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
        // Rows move only between sections that keep their index (law 5), so the indices of these sections are the same
        // in both lists.
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
