/// What was set in rows since a list was made of them, as long as that is little: the next list need not look for it.
struct RowEdits: Sendable {
  /// So many rows are kept; for more of them, looking for them costs little beside the rest.
  static let maximumEdits = 256

  /// The boxes of that list, which are held so that no other tree can be taken for this one.
  private let base: SortedTree<ByID>
  /// In the order in which it happened.
  private var edits: [(old: RowEntry?, new: RowEntry?)] = []
  /// True if each row comes once, by id.
  private var isOrdered = false

  init(since base: SortedTree<ByID>) { self.base = base }

  /// True if nothing was set.
  var isEmpty: Bool { edits.isEmpty }

  /// Notes what a row was and what it is; false if that is too much.
  mutating func note(_ old: RowEntry?, _ new: RowEntry?) -> Bool {
    guard edits.count < Self.maximumEdits else { return false }
    isOrdered = false
    edits.append((old, new))
    return true
  }

  /// Notes what many events did to rows: by id, each row once.
  mutating func note(_ changes: [(old: RowEntry?, new: RowEntry?)]) {
    isOrdered = edits.isEmpty
    edits += changes
  }

  /// What rows were and what they are, each once, by id; nil if other boxes are asked for.
  ///
  /// - Complexity: O(k log k) for k rows that were set.
  func changes(since ids: SortedTree<ByID>) -> [(old: RowEntry?, new: RowEntry?)]? {
    guard base.isIdentical(to: ids) else { return nil }
    if edits.count < 2 || isOrdered { return edits.filter { $0.old !== $0.new } }
    // Every edit has a row; those of one id stay in their order.
    let ordered = edits.enumerated().compactMap { index, edit in
      (edit.old ?? edit.new).map { (row: $0, index: index) }
    }.sorted { left, right in
      let order = ByID.compare(left.row, right.row)
      return order != 0 ? order < 0 : left.index < right.index
    }
    var changes: [(old: RowEntry?, new: RowEntry?)] = []
    var last: RowEntry?
    for (row, index) in ordered {
      if let last, last.isSame(row) {
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
