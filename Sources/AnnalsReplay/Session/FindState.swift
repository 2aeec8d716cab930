import Annals
import AnnalsLists
import AnnalsLog

/// A condition on a list that changes: batches keep its counts current, so that a step costs what changed.
final class FindState {
  private var counts: [(condition: RowCondition, count: Int)] = []
  /// The tests, with the index of their count if they count rows that meet a condition.
  private var root = FilterTree<(FindCondition.Test, index: Int)>.all([])

  init(_ condition: FindCondition) {
    root = condition.tree.map { test in
      switch test {
      case .count(let condition?, _), .some(let condition): counts.append((condition, 0))
      case .count(nil, _), .row, .exists, .section, .index, .changed: break
      }
      return (test, counts.count - 1)
    }
  }

  /// The number of rows that meet each condition that is counted, in the order in which they were written.
  var found: [Int] { counts.map(\.count) }

  /// Takes a batch, and tells whether the condition holds of the list after it.
  func holds(after batch: ListBatch, in list: any ShownList) -> Bool {
    for index in counts.indices {
      let condition = counts[index].condition
      func one(_ row: Record?) -> Int { row.map { condition.includes($0) ? 1 : 0 } ?? 0 }
      for step in batch.rows {
        switch step.change {
        case .delete(let row, _, false): counts[index].count -= one(row)
        // The insertion of the pair counts for both.
        case .delete(_, _, true): break
        case .insert(let row, _, false): counts[index].count += one(row)
        case .insert(let row, _, true), .move(let row, _, _, _), .update(let row, _, _):
          counts[index].count += one(row) - one(step.old)
        }
      }
    }
    return root.holds { test, index in
      switch test {
      case .count(nil, let number): number.holds(list.rowCount)
      case .count(_, let number): number.holds(counts[index].count)
      case .some: counts[index].count > 0
      case .row(let id, let condition): list.record(of: id).map(condition.includes) ?? false
      case .exists(let id): list.path(of: id) != nil
      case .section(let key, let number): number.holds(Self.count(ofSection: key, in: list))
      case .index(let id, let path): list.path(of: id) == path
      case .changed(let readings): readings.contains { Self.changed($0.id, $0.field, in: batch) }
      }
    }
  }

  /// The index of the section with a key, or of the first section with a title.
  static func index(ofSection key: String, in list: any ShownList) -> Int? {
    let all = 0..<list.sectionCount
    return all.first {
      ExactString(list.section($0).key.description) == ExactString(key) || list.section($0).key.json == key
    }
      ?? all.first { ExactString(list.section($0).title) == ExactString(key) }
  }

  /// The number of rows of the section with a key, or else with a title.
  private static func count(ofSection key: String, in list: any ShownList) -> Int {
    index(ofSection: key, in: list).map { list.section($0).count } ?? 0
  }

  private static func changed(_ id: String, _ field: String?, in batch: ListBatch) -> Bool {
    batch.rows.contains { step in
      guard ExactString(step.change.row.id) == ExactString(id) else { return false }
      guard let field else { return true }
      let path = FieldPath(field)
      let new: Record? = if case .delete = step.change { nil } else { step.change.row }
      return (step.old.map { path.value(in: $0) } ?? .null) != (new.map { path.value(in: $0) } ?? .null)
    }
  }
}
