/// The kinds of moves that are reported to an observer as moves.
///
/// All other moves are reported as deletions and insertions.
public struct MoveReporting: OptionSet, Hashable, Sendable {
  /// The kinds as a bit mask.
  public let rawValue: UInt8

  /// Creates a set of kinds from a bit mask.
  ///
  /// - Parameter rawValue: The bit mask.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// An option to report moved rows as moves.
  public static let rows = MoveReporting(rawValue: 1)
  /// An option to report moved sections as moves.
  public static let sections = MoveReporting(rawValue: 2)
}

extension Changes {
  /// Returns the same changes for an observer that can show only some kinds of moves.
  ///
  /// Every other move becomes a deletion and an insertion. If a section's move is replaced, all rows of the section are
  /// deleted and inserted, too. An insertion contains the new content or title, so it isn't followed by an update.
  ///
  /// - Parameter moves: The kinds of moves to keep as moves.
  /// - Returns: The changes between the same two lists.
  /// - Complexity: O(c log c) for c changes in the result. If a section's move is replaced, these changes include the
  ///   deletions and insertions of the section's rows.
  public func reporting(_ moves: MoveReporting) -> Changes {
    // Usually all moves are kept and the changes are already sorted.
    guard
      sections.contains(where: { $0.isMove && !moves.contains(.sections) })
        || !moves.contains(.rows) && rowChanges.hasMoves
    else { return self }
    var sections = self.sections
    var rows = self.rows
    if !moves.contains(.sections) { Self.replaceSectionMoves(&sections, &rows, old, new) }
    if !moves.contains(.rows) {
      rows = rows.flatMap { change -> [RowChange<Row>] in
        guard case .move(let row, let from, let to, _) = change else { return [change] }
        return [.delete(row: old.row(at: from) ?? row, at: from, moved: true), .insert(row: row, at: to, moved: true)]
      }
    }
    sections = Self.sorted(sections) { $0.rank }
    rows = Self.sorted(rows) { $0.rank }
    return Changes(
      old: old, new: new, sections: sections, rows: rows, aggregates: aggregates.without(sections), cause: cause)
  }

  private static func replaceSectionMoves(
    _ sections: inout [SectionChange], _ rows: inout [RowChange<Row>], _ old: Results<Row>, _ new: Results<Row>
  ) {
    var moved: [Int: Int] = [:]
    for case .move(let from, let to, _) in sections { moved[from] = to }
    guard !moved.isEmpty else { return }
    sections = sections.flatMap { change -> [SectionChange] in
      switch change {
      case .move(let from, let to, let key):
        [.delete(index: from, key: key), .insert(index: to, key: key, title: new.sections[to].title)]
      case .update(let index, _, _, _) where moved[index] != nil: []
      default: [change]
      }
    }
    // The only row changes of a moved section are updates.
    rows.removeAll { if case .update(_, let at, _) = $0 { moved[at.section] != nil } else { false } }
    for (from, to) in moved {
      for (index, row) in old.sections[from].enumerated() {
        rows.append(.delete(row: row, at: RowPath(section: from, row: index), moved: true))
      }
      for (index, row) in new.sections[to].enumerated() {
        rows.append(.insert(row: row, at: RowPath(section: to, row: index), moved: true))
      }
    }
  }

  private static func sorted<T>(_ changes: [T], by rank: (T) -> (Int, RowPath)) -> [T] {
    changes.sorted { rank($0) < rank($1) }
  }
}

extension SectionChange {
  fileprivate var isMove: Bool { if case .move = self { true } else { false } }

  /// The order of changes: deletions, insertions, moves, and updates, sorted by index.
  fileprivate var rank: (Int, RowPath) {
    switch self {
    case .delete(let index, _): (0, RowPath(section: index, row: 0))
    case .insert(let index, _, _): (1, RowPath(section: index, row: 0))
    case .move(_, let to, _): (2, RowPath(section: to, row: 0))
    case .update(_, let newIndex, _, _): (3, RowPath(section: newIndex, row: 0))
    }
  }
}

extension RowChange {
  /// The order of changes: deletions, insertions, moves, and updates, sorted by path.
  fileprivate var rank: (Int, RowPath) {
    switch self {
    case .delete(_, let at, _): (0, at)
    case .insert(_, let at, _): (1, at)
    case .move(_, _, let to, _): (2, to)
    case .update(_, _, let newAt): (3, newAt)
    }
  }
}
