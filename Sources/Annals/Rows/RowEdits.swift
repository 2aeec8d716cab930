/// What was set in rows since a list was made of them, as long as that is little: the next list need not look for it.
struct RowEdits: Sendable {
  /// So many rows are kept; for more of them, looking for them costs little beside the rest.
  static let maximumEdits = 256

  /// The boxes of that list, which are held so that no other tree can be taken for this one.
  private let base: SortedTree<ByID>
  /// In the order in which it happened.
  private var edits: [(old: RowEntry?, new: RowEntry?)] = []
  /// What many events did, if nothing else was noted: no one may ask for each of the rows.
  private var many: (table: RowTable, order: [Int])?

  init(since base: SortedTree<ByID>) { self.base = base }

  /// True if nothing was set.
  var isEmpty: Bool { edits.isEmpty && many == nil }

  /// Notes what a row was and what it is; false if that is too much.
  mutating func note(_ old: RowEntry?, _ new: RowEntry?) -> Bool {
    if many != nil { (edits, many) = (noted, nil) }
    guard edits.count < Self.maximumEdits else { return false }
    edits.append((old, new))
    return true
  }

  /// Notes what many events did to rows.
  ///
  /// - Parameters:
  ///   - table: What they did; nothing changes it any more.
  ///   - order: Its slots in use, by id.
  mutating func note(_ table: RowTable, in order: [Int]) {
    if isEmpty { many = (table, order) } else { (edits, many) = (noted + table.changes(in: order), nil) }
  }

  private var noted: [(old: RowEntry?, new: RowEntry?)] { many.map { $0.table.changes(in: $0.order) } ?? edits }

  /// True if at least half of the rows were set, so that a list is made of all of them; false also if other boxes are
  /// asked for.
  func areMost(since ids: SortedTree<ByID>) -> Bool {
    guard let many, base.isIdentical(to: ids) else { return false }
    return many.order.count > Self.maximumEdits && many.order.count >= many.table.count / 2
  }

  /// The row that an edit is of, as it was or as it is: every edit has one.
  private static func row(_ edit: (old: RowEntry?, new: RowEntry?)) -> RowEntry? { edit.old ?? edit.new }

  /// What rows were and what they are, each once, by id; nil if other boxes are asked for.
  ///
  /// - Complexity: O(k log k) for k rows that were set.
  func changes(since ids: SortedTree<ByID>) -> [(old: RowEntry?, new: RowEntry?)]? {
    guard base.isIdentical(to: ids) else { return nil }
    let edits = noted
    if edits.count < 2 || many != nil { return edits.filter { $0.old !== $0.new } }
    // By numbers, so that sorting looks at no row but where fingerprints are the same; those of one id stay in their
    // order.
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

/// What is known of rows since a list was made of them.
enum RowsSince {
  /// What rows were and what they are, each once, by id.
  case each([(old: RowEntry?, new: RowEntry?)])
  /// So many are others that a list is made of all rows: counting references for each of them was a tenth of such a
  /// commit.
  case most

  /// What rows were and are; nil if most of them are others.
  var each: [(old: RowEntry?, new: RowEntry?)]? { if case .each(let changes) = self { changes } else { nil } }
  /// True if most rows are others.
  var areMost: Bool { if case .most = self { true } else { false } }
}
