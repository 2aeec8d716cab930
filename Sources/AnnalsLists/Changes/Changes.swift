public import AnnalsLog

/// The difference between two lists, as the changes that a table view needs.
///
/// Indices follow a table view's rules. The indices of deletions, updates and move sources refer to ``old``. The
/// indices of insertions and move targets refer to ``new``. A row has at most one change, or a deletion and an
/// insertion if a table view can't move the row. `Docs/ChangeSemantics.md` describes every rule.
///
///     let observation = controller.observe { changes in
///       for change in changes.rows { print(change.row.id) }
///     }
///     let difference = Changes(from: old, to: new)
public struct Changes<Row: AnnalsLists.Row>: Sendable {
  private let parts: ChangesParts

  /// The old list.
  public var old: Results<Row> { Results(parts.old, at: parts.from) }
  /// The new list.
  public var new: Results<Row> { Results(parts.new, at: parts.to) }
  /// The changes to sections: all deletions, then all insertions, moves, and updates, each sorted by index.
  public var sections: [SectionChange] { parts.sections }
  /// The changes to rows: all deletions, then all insertions, moves, and updates, each sorted by path.
  ///
  /// - Complexity: O(c) for c changes the first time, then O(1).
  public var rows: [RowChange<Row>] { rowChanges.all }
  /// The changed aggregates, such as counts and sums, or an empty value if the list's request has no aggregates.
  public var aggregates: AggregateChanges { parts.aggregates }
  /// The reasons for the changes.
  public var cause: ChangeCause { parts.cause }
  /// The changes of rows, either computed from the lists or given as values.
  package var rowChanges: RowChanges<Row> { RowChanges(parts.rows) }

  /// The position of the old list.
  public var from: Position { parts.from }
  /// The position of the new list.
  public var to: Position { parts.to }
  /// True if there are no changes.
  public var isEmpty: Bool { parts.sections.isEmpty && parts.rows.count == 0 && parts.aggregates.isEmpty }

  /// Computes the difference between two lists.
  ///
  /// - Parameters:
  ///   - old: The old list.
  ///   - new: The new list.
  ///   - cause: The reasons for the changes.
  /// - Complexity: O(k log n) if k of n rows differ, the lists have the same request, and they share the memory of all
  ///   other rows. For example, the lists of one controller share this memory. Otherwise, the complexity is O(n). If
  ///   the sections' order changed, O(s log s) is added for s sections.
  public init(from old: Results<Row>, to new: Results<Row>, cause: ChangeCause = []) {
    let found = ListDifference(from: old.storage, to: new.storage)
    let aggregates = AggregateChanges(from: old.storage, to: new.storage, found.sections)
    self.init(
      old: old, new: new, sections: found.sections, rows: RowChanges(found), aggregates: aggregates, cause: cause)
  }

  /// Computes the changes that a controller delivers.
  ///
  /// Rows and sections whose objects are identical are unchanged.
  ///
  /// - Parameters:
  ///   - new: The next list.
  ///   - old: The shown list.
  ///   - cause: The reasons for the changes.
  /// - Complexity: O(1) if events didn't affect the list's trees, otherwise the complexity of ``init(from:to:cause:)``.
  package init(delivering new: Results<Row>, after old: Results<Row>, cause: ChangeCause) {
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

/// The storage of changes, as one object that is independent of the row type.
///
/// In contrast, a struct with these values would be copied at every step of a delivery, by code that looks up the
/// struct's types at run time.
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
    self.old = old
    self.from = from
    self.new = new
    self.to = to
    self.sections = sections
    self.rows = rows
    self.aggregates = aggregates
    self.cause = cause
  }
}

extension Changes {
  /// Returns changes with the combined effect of these changes and the changes that follow.
  ///
  /// Changes that cancel out are omitted. For example, a row that is inserted and then deleted has no change in the
  /// result.
  ///
  /// - Parameter next: The following changes. Their old list must be the new list of these changes.
  /// - Returns: The difference between the old list of these changes and the new list of `next`.
  /// - Complexity: The complexity of ``init(from:to:cause:)``.
  public func then(_ next: Changes) -> Changes {
    precondition(
      to == next.from,
      "`next` must begin at position \(to), where the preceding changes end (was \(next.from))")
    return Changes(from: old, to: next.new, cause: cause.union(next.cause))
  }

  /// Returns true if `beginning(at:)` returns the same changes for an observer that knows a list.
  package func begins(at old: Results<Row>) -> Bool {
    parts.old === old.storage && parts.from == old.position && parts.from <= parts.to
  }

  /// Returns the same changes for an observer that knows an equal old list at another position.
  package func beginning(at old: Results<Row>) -> Changes {
    Changes(
      old: old, new: new, sections: sections, rows: rowChanges, aggregates: aggregates,
      cause: cause.leading(from: old.position, to: to))
  }

  /// Returns the same changes with another reason.
  package func because(of cause: ChangeCause) -> Changes {
    Changes(old: old, new: new, sections: sections, rows: rowChanges, aggregates: aggregates, cause: cause)
  }

  /// The inverse changes, from the new list to the old list.
  ///
  /// - Complexity: The complexity of ``init(from:to:cause:)``.
  public var inverted: Changes { Changes(from: new, to: old, cause: cause) }
}
