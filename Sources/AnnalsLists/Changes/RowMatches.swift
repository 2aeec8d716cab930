/// A lookup of rows by their ids, which is efficient for few and for many rows.
struct RowMatches {
  private let count: Int
  /// A hash table with linear probing that contains the rows' indices, or -1 for free slots.
  ///
  /// The table is empty if there are only a few rows, because a linear search is then faster.
  private var table: [Int32] = []

  /// - Parameters:
  ///   - count: The number of rows. If several rows have the same id, as in a list whose saved data was lost, the first
  ///     of them is found.
  ///   - row: A closure that returns the row at an index.
  init(_ count: Int, _ row: (Int) -> RowEntry) {
    self.count = count
    guard count > 8 else { return }
    var size = 32
    while size < count * 2 { size *= 2 }
    table = Array(repeating: -1, count: size)
    table.withUnsafeMutableBufferPointer { table in
      rows: for index in 0..<count {
        let one = row(index)
        var slot = Self.slot(one, size)
        while table[slot] >= 0 {
          if row(Int(table[slot])).isSame(one) { continue rows }
          slot = (slot + 1) & (size - 1)
        }
        table[slot] = Int32(index)
      }
    }
  }

  func index(of wanted: RowEntry, _ row: (Int) -> RowEntry) -> Int? {
    guard !table.isEmpty else { return (0..<count).first { row($0).isSame(wanted) } }
    return table.withUnsafeBufferPointer { table in
      var slot = Self.slot(wanted, table.count)
      while table[slot] >= 0 {
        if row(Int(table[slot])).isSame(wanted) { return Int(table[slot]) }
        slot = (slot + 1) & (table.count - 1)
      }
      return nil
    }
  }

  private static func slot(_ row: RowEntry, _ size: Int) -> Int { Int(truncatingIfNeeded: row.hash) & (size - 1) }
}
