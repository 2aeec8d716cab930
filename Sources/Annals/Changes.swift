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

  /// The position of the list before.
  public var from: Position { old.position }
  /// The position of the list after.
  public var to: Position { new.position }
  /// True if nothing changed.
  public var isEmpty: Bool { sections.isEmpty && rows.isEmpty }

  /// Finds what changed from one list to another.
  ///
  /// - Parameters:
  ///   - old: The list before.
  ///   - new: The list after.
  /// - Complexity: O(n log n) for n rows of both lists, and O(s²) for s sections whose order changed.
  public init(from old: Results<Row>, to new: Results<Row>) {
    self.old = old
    self.new = new
    let sections = SectionDifference(old: old, new: new)
    self.sections = sections.changes
    self.rows = RowDifference(old: old, new: new, sections: sections).changes
  }
}
