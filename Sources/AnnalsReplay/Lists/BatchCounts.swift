import Annals

/// How many sections and rows a batch inserts, deletes, moves and updates.
struct BatchCounts {
  /// The counts of one kind.
  struct Kind {
    var inserted = 0
    var deleted = 0
    var moved = 0
    var updated = 0

    /// Each count with its name.
    fileprivate var all: [(name: String, count: Int)] {
      [("inserted", inserted), ("deleted", deleted), ("moved", moved), ("updated", updated)]
    }

    fileprivate static func += (sum: inout Kind, other: Kind) {
      sum.inserted += other.inserted
      sum.deleted += other.deleted
      sum.moved += other.moved
      sum.updated += other.updated
    }
  }

  private(set) var sections = Kind()
  private(set) var rows = Kind()

  init() {}

  /// Counts what a batch does; a move that a table view is given as two changes is one.
  init(_ batch: ListBatch) {
    for change in batch.sections {
      switch change {
      case .insert: sections.inserted += 1
      case .delete: sections.deleted += 1
      case .move: sections.moved += 1
      case .update: sections.updated += 1
      }
    }
    for step in batch.rows {
      switch step.change {
      case .insert(_, _, let moved): if moved { rows.moved += 1 } else { rows.inserted += 1 }
      case .delete(_, _, let moved): if !moved { rows.deleted += 1 }
      case .move: rows.moved += 1
      case .update: rows.updated += 1
      }
    }
  }

  static func += (sum: inout BatchCounts, other: BatchCounts) {
    sum.sections += other.sections
    sum.rows += other.rows
  }

  /// Those that are not 0, for people: `sections: 1 inserted; rows: 3 inserted, 1 moved`.
  var words: String {
    [("sections", sections), ("rows", rows)].compactMap { name, kind in
      let counts = kind.all.filter { $0.count > 0 }.map { "\($0.count) \($0.name)" }
      return counts.isEmpty ? nil : "\(name): \(counts.joined(separator: ", "))"
    }.joined(separator: "; ")
  }
}
