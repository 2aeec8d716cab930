import Annals
import AnnalsLog

/// A condition on a list that changes: batches keep its counts current, so that a step costs what changed.
final class FindState {
  private enum Node {
    case count(RowCondition, FindCondition.Number, index: Int)
    case total(FindCondition.Number)
    case row(String, RowCondition)
    case exists(String)
    case section(String, FindCondition.Number)
    case index(String, RowPath)
    case changed(String, String?)
    indirect case not(Node)
    indirect case all([Node])
    indirect case any([Node])
  }

  private var counts: [(condition: RowCondition, count: Int)] = []
  private var root = Node.all([])

  init(_ condition: FindCondition) { root = node(condition) }

  private func node(_ condition: FindCondition) -> Node {
    func counting(_ condition: RowCondition, _ number: FindCondition.Number) -> Node {
      counts.append((condition, 0))
      return .count(condition, number, index: counts.count - 1)
    }
    switch condition {
    case .count(nil, let number): return .total(number)
    case .count(let condition?, let number): return counting(condition, number)
    case .some(let condition): return counting(condition, .init(operation: ">", value: 0))
    case .row(let id, let condition): return .row(id, condition)
    case .exists(let id): return .exists(id)
    case .section(let key, let number): return .section(key, number)
    case .index(let id, let path): return .index(id, path)
    case .changed(let id, let field): return .changed(id, field)
    case .not(let condition): return .not(node(condition))
    case .all(let conditions): return .all(conditions.map(node))
    case .any(let conditions): return .any(conditions.map(node))
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
    return holds(root, batch, list)
  }

  private func holds(_ node: Node, _ batch: ListBatch, _ list: any ShownList) -> Bool {
    switch node {
    case .count(_, let number, let index): number.holds(counts[index].count)
    case .total(let number): number.holds(list.rowCount)
    case .row(let id, let condition): list.record(of: id).map(condition.includes) ?? false
    case .exists(let id): list.path(of: id) != nil
    case .section(let key, let number): number.holds(Self.count(ofSection: key, in: list))
    case .index(let id, let path): list.path(of: id) == path
    case .changed(let id, let field): Self.changed(id, field, in: batch)
    case .not(let node): !holds(node, batch, list)
    case .all(let nodes): nodes.allSatisfy { holds($0, batch, list) }
    case .any(let nodes): nodes.contains { holds($0, batch, list) }
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
