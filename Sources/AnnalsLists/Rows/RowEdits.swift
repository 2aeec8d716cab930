/// The changes of rows since a list was built from the rows.
///
/// With these edits, the next list doesn't need to search for the changes.
struct RowEdits: Sendable {
  /// The maximum number of stored changes.
  ///
  /// If more rows changed, the cost of a search for the changes is relatively small.
  static let maximumEdits = 256

  /// The row objects of the list, retained so that no other tree can be mistaken for this tree.
  private let base: SortedTree<ByID>
  /// The edits in chronological order.
  private var edits: [(old: RowEntry?, new: RowEntry?)] = []
  /// The effect of many events, if no other changes were recorded.
  ///
  /// The effect is stored as a table because the individual rows might not be needed.
  private var many: (table: RowTable, order: [Int])?

  init(since base: SortedTree<ByID>) { self.base = base }

  /// True if no row was set.
  var isEmpty: Bool { edits.isEmpty && many == nil }

  /// Records a row's old and new version, or returns false if there are too many changes.
  mutating func note(_ old: RowEntry?, _ new: RowEntry?) -> Bool {
    if many != nil { (edits, many) = (noted, nil) }
    guard edits.count < Self.maximumEdits else { return false }
    edits.append((old, new))
    return true
  }

  /// Records the effect of many events on rows.
  ///
  /// - Parameters:
  ///   - table: The table with the changed rows. It must not be modified later.
  ///   - order: The table's used slots, in the order of the rows' ids.
  mutating func note(_ table: RowTable, in order: [Int]) {
    if isEmpty { many = (table, order) } else { (edits, many) = (noted + table.changes(in: order), nil) }
  }

  private var noted: [(old: RowEntry?, new: RowEntry?)] { many.map { $0.table.changes(in: $0.order) } ?? edits }

  /// Returns true if at least half of the rows were set, so that a list is built from all rows.
  ///
  /// The result is false if `ids` isn't the base of these edits.
  func areMost(since ids: SortedTree<ByID>) -> Bool {
    guard let many, base.isIdentical(to: ids) else { return false }
    return many.order.count > Self.maximumEdits && many.order.count >= many.table.count / 2
  }

  /// Returns an edit's old row, or its new row after an insertion.
  private static func row(_ edit: (old: RowEntry?, new: RowEntry?)) -> RowEntry? { edit.old ?? edit.new }

  /// Returns the old and new versions of changed rows, sorted by id and without duplicates, or `nil` if `ids` isn't the
  /// base of these edits.
  ///
  /// - Complexity: O(k log k) for k rows that were set.
  func changes(since ids: SortedTree<ByID>) -> [(old: RowEntry?, new: RowEntry?)]? {
    guard base.isIdentical(to: ids) else { return nil }
    let edits = noted
    if edits.count < 2 || many != nil { return edits.filter { $0.old !== $0.new } }
    // This sort compares the stored fingerprints, and accesses rows only if their fingerprints are equal. Edits of the
    // same id keep their order.
    var ordered = edits.indices.map { (hash: Self.row(edits[$0])?.hash ?? 0, index: $0) }
    ordered.sort { left, right in
      if left.hash != right.hash { return left.hash < right.hash }
      guard let one = Self.row(edits[left.index]), let other = Self.row(edits[right.index]) else { return false }
      let order = ByID.compareTails(one, other)
      return order != 0 ? order < 0 : left.index < right.index
    }
    var changes: [(old: RowEntry?, new: RowEntry?)] = []
    changes.reserveCapacity(edits.count)
    var last: RowEntry?
    for (_, index) in ordered {
      let row = Self.row(edits[index])
      if let last, let row, last.isSame(row) {
        changes[changes.count - 1].new = edits[index].new
      } else {
        changes.append(edits[index])
      }
      last = row
    }
    changes.removeAll { $0.old === $0.new }
    return changes
  }
}

/// The known changes of rows since a list was built from them.
package enum RowsSince {
  /// The old and new versions of the rows, sorted by id and without duplicates.
  case each([(old: RowEntry?, new: RowEntry?)])
  /// Most rows changed, so a list is built from all rows.
  ///
  /// The individual rows aren't stored, because retaining and releasing all of them took 10 percent of such a commit.
  case most

  /// The old and new versions of the rows, or `nil` if most rows changed.
  var each: [(old: RowEntry?, new: RowEntry?)]? { if case .each(let changes) = self { changes } else { nil } }
  /// True if most rows changed.
  var areMost: Bool { if case .most = self { true } else { false } }
}
