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
  private let parts: ChangesParts

  /// The list before.
  public var old: Results<Row> { Results(parts.old, at: parts.from) }
  /// The list after.
  public var new: Results<Row> { Results(parts.new, at: parts.to) }
  /// What happened to sections: deletions, insertions, moves, updates, each by index.
  public var sections: [SectionChange] { parts.sections }
  /// What happened to rows: deletions, insertions, moves, updates, each by path.
  ///
  /// - Complexity: O(c) for c changes the first time, O(1) from then on.
  public var rows: [RowChange<Row>] { rowChanges.all }
  /// Whose aggregates changed; nothing where the request has none.
  public var aggregates: AggregateChanges { parts.aggregates }
  /// Why the list changed.
  public var cause: ChangeCause { parts.cause }
  /// What happened to rows, as it was found or given.
  var rowChanges: RowChanges<Row> { RowChanges(parts.rows) }

  /// The position of the list before.
  public var from: Position { parts.from }
  /// The position of the list after.
  public var to: Position { parts.to }
  /// True if nothing changed.
  public var isEmpty: Bool { parts.sections.isEmpty && parts.rows.count == 0 && parts.aggregates.isEmpty }

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
    parts = ChangesParts(
      old: old.storage, from: old.position, new: new.storage, to: new.position, sections: sections, rows: rows.parts,
      aggregates: aggregates, cause: cause)
  }
}

/// What changes have, in one object that is the same whatever the rows are.
///
/// A value of all of it is copied by code that looks up its types at run time, at each step of a delivery.
private final class ChangesParts: Sendable {
  let old: ListStorage
  let from: Position
  let new: ListStorage
  let to: Position
  let sections: [SectionChange]
  let rows: RowChangesParts
  let aggregates: AggregateChanges
  let cause: ChangeCause

  init(
    old: ListStorage, from: Position, new: ListStorage, to: Position, sections: [SectionChange], rows: RowChangesParts,
    aggregates: AggregateChanges, cause: ChangeCause
  ) {
    (self.old, self.from, self.new, self.to) = (old, from, new, to)
    (self.sections, self.rows, self.aggregates, self.cause) = (sections, rows, aggregates, cause)
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
      "the second changes must begin at position \(to), where the first end (begin at \(next.from))")
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
