/// The difference of two lists in a table view's terms.
///
/// Indices are a table view's: those of deletions, of updates and of the sources of moves are in `old`; those of
/// insertions and of the targets of moves are in `new`. A row has at most one change, where a pair counts as one.
/// `Docs/ChangeSemantics.md` says every rule in words.
///
///     let observation = controller.observe { changes in
///       for change in changes.rows { print(change.row.id) }
///     }
///     let difference = Changes(from: old, to: new)
public struct Changes<Row: Annals.Row>: Sendable {
  /// The list before.
  public let old: Results<Row>
  /// The list after.
  public let new: Results<Row>
  /// What happened to sections: deletions, insertions, moves, updates, each by index.
  public let sections: [SectionChange]
  /// What happened to rows: deletions, insertions, moves, updates, each by path.
  ///
  /// - Complexity: O(c) for c changes the first time, O(1) from then on.
  public var rows: [RowChange<Row>] { rowChanges.all }
  /// Whose aggregates changed; nothing where the request has none.
  public let aggregates: AggregateChanges
  /// Why the list changed.
  public let cause: ChangeCause
  /// What happened to rows, as it was found or given.
  let rowChanges: RowChanges<Row>

  /// The position of the list before.
  public var from: Position { old.position }
  /// The position of the list after.
  public var to: Position { new.position }
  /// True if nothing changed.
  public var isEmpty: Bool { sections.isEmpty && rowChanges.count == 0 && aggregates.isEmpty }

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
    let aggregates = AggregateChanges(from: old.storage, to: new.storage, found.sections)
    self.init(
      old: old, new: new, sections: found.sections, rows: RowChanges(found), aggregates: aggregates, cause: cause)
  }

  /// Finds what a controller delivers: the same rows and sections as objects are no change.
  ///
  /// - Parameters:
  ///   - new: The list that is shown next.
  ///   - old: The list that is shown.
  ///   - cause: Why the list changes.
  /// - Complexity: O(1) if an event of rows that the list does not show left its trees what they are; else that of
  ///   ``init(from:to:cause:)``.
  init(delivering new: Results<Row>, after old: Results<Row>, cause: ChangeCause) {
    if new.isIdentical(to: old) {
      self.init(old: old, new: new, sections: [], rows: [], cause: cause)
    } else {
      self.init(from: old, to: new, cause: cause)
    }
  }

  package init(
    old: Results<Row>, new: Results<Row>, sections: [SectionChange], rows: [RowChange<Row>],
    aggregates: AggregateChanges = .none, cause: ChangeCause
  ) {
    self.init(
      old: old, new: new, sections: sections, rows: RowChanges(rows), aggregates: aggregates, cause: cause)
  }

  private init(
    old: Results<Row>, new: Results<Row>, sections: [SectionChange], rows: RowChanges<Row>,
    aggregates: AggregateChanges, cause: ChangeCause
  ) {
    (self.old, self.new, self.sections, rowChanges) = (old, new, sections, rows)
    (self.aggregates, self.cause) = (aggregates, cause)
  }
}

extension Changes {
  /// The one change that leads to where this and another lead, one after the other.
  ///
  /// What the second undoes of the first is gone: a row inserted and deleted again has no change at all.
  ///
  /// - Parameter next: Changes that begin at the list at which these end.
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
    Changes(
      old: old, new: new, sections: sections, rows: rowChanges, aggregates: aggregates,
      cause: cause.leading(from: old.position, to: to))
  }

  /// The same changes for another reason.
  func because(of cause: ChangeCause) -> Changes {
    Changes(old: old, new: new, sections: sections, rows: rowChanges, aggregates: aggregates, cause: cause)
  }

  /// The way back: the changes that lead from the new list to the old one.
  ///
  /// - Complexity: That of ``init(from:to:cause:)``.
  public var inverted: Changes { Changes(from: new, to: old, cause: cause) }
}
