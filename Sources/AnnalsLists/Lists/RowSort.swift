/// A sort of rows by their keys that mostly doesn't access the rows.
///
/// The first eight bytes of a key are stored next to its row. For rows with an equal prefix, such as titles that begin
/// with "The", the eight bytes after the prefix replace these bytes, and so on. So every row is accessed twice. In
/// contrast, if complete keys were compared, every comparison would access two rows. The method follows Ng and Kakehi,
/// "Cache efficient radix sort for string sorting", 2007.
enum RowSort {
  /// An unowned row with eight bytes of its key.
  ///
  /// The row is unowned to avoid reference counting during the sort.
  struct Place {
    var head: UInt64
    let row: Unmanaged<RowEntry>
  }

  /// The maximum number of tied rows that are compared with each other directly.
  private static let few = 8
  /// The maximum number of recursive steps.
  ///
  /// The limit is needed because every step uses the stack, but might separate only one row from the rest.
  private static let mostSteps = 32

  /// Sorts rows.
  ///
  /// - Parameters:
  ///   - rows: Rows with their keys' heads, owned elsewhere.
  ///   - parallelFrom: The minimum number of rows to sort on several cores in parallel.
  /// - Complexity: O(n log n) for n rows.
  static func sort(_ rows: inout [Place], parallelFrom: Int) {
    rows.withUnsafeMutableBufferPointer { rows in
      sortByHeads(rows, parallelFrom)
      sortTies(rows, after: 0, step: 0, parallelFrom)
    }
  }

  /// Sorts rows by the heads stored next to them, and keeps the order of rows with equal heads.
  private static func sortByHeads(_ rows: UnsafeMutableBufferPointer<Place>, _ parallelFrom: Int) {
    // The final sort merges the sorted parts, because it detects runs.
    each(of: rows, parallelFrom) { part in
      var part = part
      part.sort { $0.head < $1.head }
    }
    if rows.count >= parallelFrom {
      var rows = rows
      rows.sort { $0.head < $1.head }
    }
  }

  /// Processes parts of the rows, on several cores if there are many rows.
  private static func each(
    of rows: UnsafeMutableBufferPointer<Place>, _ parallelFrom: Int,
    _ body: @Sendable (UnsafeMutableBufferPointer<Place>) -> Void
  ) {
    // Usually there are few rows, so they don't need a list of parts.
    guard rows.count >= parallelFrom else { return body(rows) }
    let parts = Parallel.parts(of: rows.count, threshold: parallelFrom)
    // The parts are disjoint.
    nonisolated(unsafe) let rows = rows
    _ = Parallel.map(parts.count, threshold: 0, rows: { parts[$0].count }) { part in
      body(UnsafeMutableBufferPointer(rebasing: rows[parts[part]]))
    }
  }

  /// Sorts the ties in rows that are sorted by their heads.
  ///
  /// - Parameters:
  ///   - rows: The rows.
  ///   - depth: The number of bytes of the keys' tails by which the rows are sorted already.
  ///   - step: The number of heads read from tails so far.
  ///   - parallelFrom: The minimum number of rows to sort on several cores in parallel.
  private static func sortTies(
    _ rows: UnsafeMutableBufferPointer<Place>, after depth: Int, step: Int, _ parallelFrom: Int
  ) {
    var start = 0
    while start < rows.count {
      var end = start + 1
      while end < rows.count, rows[end].head == rows[start].head { end += 1 }
      if end - start > 1 {
        sortTied(UnsafeMutableBufferPointer(rebasing: rows[start..<end]), after: depth, step: step, parallelFrom)
      }
      start = end
    }
  }

  /// Sorts rows whose keys are equal up to a depth.
  private static func sortTied(
    _ rows: UnsafeMutableBufferPointer<Place>, after depth: Int, step: Int, _ parallelFrom: Int
  ) {
    var rows = rows
    var (common, longest) = (Int.max, 0)
    if rows.count > few, step < mostSteps {
      rows[0].row._withUnsafeGuaranteedRef { first in
        for place in rows {
          place.row._withUnsafeGuaranteedRef { row in
            common = row.key.commonTail(with: first.key, upTo: common)
            longest = max(longest, row.key.tailCount)
          }
        }
      }
    }
    guard depth < longest else {
      // Only a few rows remain, or the remaining rows have equal bytes.
      return rows.sort { left, right in
        left.row._withUnsafeGuaranteedRef { left in
          right.row._withUnsafeGuaranteedRef { ByRow.compareTails(left, $0) < 0 }
        }
      }
    }
    // `common` can be less than `depth`: a tail that ends before `depth` was sorted by a head padded with zeros, which
    // has more bytes in common with other heads than the tail has with other tails.
    let start = max(common, depth)
    each(of: rows, parallelFrom) { part in
      for index in part.indices {
        part[index].head = part[index].row._withUnsafeGuaranteedRef { $0.key.tailWord(at: start) }
      }
    }
    sortByHeads(rows, parallelFrom)
    sortTies(rows, after: start + 8, step: step + 1, parallelFrom)
  }
}
