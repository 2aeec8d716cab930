/// The difference of two lists in a table view's terms.
///
/// Indices are a table view's: those of deletions, of updates and of the sources of moves are in `old`; those of
/// insertions and of the targets of moves are in `new`. A row has at most one change, where a pair counts as one.
/// `Docs/ChangeSemantics.md` says every rule in words.
public struct Changes<Row: Annals.Row>: Sendable {
  /// The list before.
  public let old: Results<Row>
  /// The list after.
  public let new: Results<Row>
  /// What happened to sections: deletions, insertions, moves, updates, each by index.
  public let sections: [SectionChange]
  /// What happened to rows: deletions, insertions, moves, updates, each by path.
  public let rows: [RowChange<Row>]
  /// Whose aggregates changed; nothing where the request has none.
  public let aggregates: AggregateChanges
  /// Why the list changed.
  public let cause: ChangeCause

  /// The position of the list before.
  public var from: Position { old.position }
  /// The position of the list after.
  public var to: Position { new.position }
  /// True if nothing changed.
  public var isEmpty: Bool { sections.isEmpty && rows.isEmpty && aggregates.isEmpty }

  /// Finds what changed from one list to another.
  ///
  /// - Parameters:
  ///   - old: The list before.
  ///   - new: The list after.
  ///   - cause: Why the list changed.
  /// - Complexity: O(k log n) for k rows that differ between lists of one request that share their rows, as a
  ///   controller's do; O(n) for others. O(s log s) more for s sections, if their order changed.
  public init(from old: Results<Row>, to new: Results<Row>, cause: ChangeCause = []) {
    let found = ListDifference(from: old.storage, to: new.storage)
    var rows: [RowChange<Row>] = []
    let count = found.deletions.count + found.insertions.count + found.moves.count + found.updates.count
    if count > 1 { rows.reserveCapacity(count) }
    for unmatched in found.deletions {
      rows.append(.delete(row: Self.row(unmatched.row), at: unmatched.path, moved: unmatched.isPaired))
    }
    for unmatched in found.insertions {
      rows.append(.insert(row: Self.row(unmatched.row), at: unmatched.path, moved: unmatched.isPaired))
    }
    for matched in found.moves {
      rows.append(
        .move(row: Self.row(matched.new), from: matched.from, to: matched.to, contentChanged: matched.isChanged))
    }
    for matched in found.updates {
      rows.append(.update(row: Self.row(matched.new), at: matched.from, newAt: matched.to))
    }
    let aggregates = AggregateChanges(from: old.storage, to: new.storage, found.sections)
    self.init(old: old, new: new, sections: found.sections, rows: rows, aggregates: aggregates, cause: cause)
  }

  private static func row(_ entry: RowEntry) -> Row { Rows<Row>.box(entry).row }

  package init(
    old: Results<Row>, new: Results<Row>, sections: [SectionChange], rows: [RowChange<Row>],
    aggregates: AggregateChanges = .none, cause: ChangeCause
  ) {
    self.old = old
    self.new = new
    self.sections = sections
    self.rows = rows
    self.aggregates = aggregates
    self.cause = cause
  }
}

extension Changes {
  /// The one change that leads to where this and another lead, one after the other.
  ///
  /// What the second undoes of the first is gone: a row inserted and deleted again has no change at all.
  ///
  /// - Parameter next: Changes that begin at the list at which these unmatched.
  /// - Returns: The difference of this one's old list and the other's new list.
  /// - Complexity: That of ``init(from:to:cause:)``.
  public func then(_ next: Changes) -> Changes {
    precondition(
      to == next.from,
      "changes compose where one begins as the other ended; these end at \(to), those begin at \(next.from)")
    return Changes(from: old, to: next.new, cause: cause.union(next.cause))
  }

  /// The same changes for an observer that has the old list from another position, where it was equal.
  func beginning(at old: Results<Row>) -> Changes {
    Changes(old: old, new: new, sections: sections, rows: rows, aggregates: aggregates, cause: cause)
  }

  /// The way back: the changes that lead from the new list to the old one.
  ///
  /// - Complexity: That of ``init(from:to:cause:)``.
  public var inverted: Changes { Changes(from: new, to: old, cause: cause) }
}
