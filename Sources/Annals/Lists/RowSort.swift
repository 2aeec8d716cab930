/// Sorts rows by their keys, mostly without a look at the rows.
///
/// The first eight bytes of a key are beside its row. Rows that have them in common, as titles that all begin with
/// "The" do, get the eight bytes after what they have in common in their place, and so on: each row is looked at twice
/// for that, where each comparison looked at two rows (after Ng and Kakehi, "Cache efficient radix sort for string
/// sorting", 2007).
enum RowSort {
  /// A row, unowned, so that sorting counts no references, and eight bytes of its key.
  struct Place {
    var head: UInt64
    let row: Unmanaged<RowEntry>
  }

  /// Rows that tie are compared with each other if they are so few.
  private static let few = 8
  /// Also after so many steps, each on the stack: rows may be made so that each step tells one of them from the rest.
  private static let mostSteps = 32

  /// Sorts rows.
  ///
  /// - Parameters:
  ///   - rows: Rows with their keys' heads; they must be owned elsewhere.
  ///   - parallelFrom: So many rows are sorted by several cores at once.
  /// - Complexity: O(n log n) for n rows.
  static func sort(_ rows: inout [Place], parallelFrom: Int) {
    rows.withUnsafeMutableBufferPointer { rows in
      sortByHeads(rows, parallelFrom)
      sortTies(rows, after: 0, step: 0, parallelFrom)
    }
  }

  /// Sorts rows by the heads beside them; those with one head keep their order.
  private static func sortByHeads(_ rows: UnsafeMutableBufferPointer<Place>, _ parallelFrom: Int) {
    // Parts that are in order are merged by the one sort at the end, which finds runs.
    each(of: rows, parallelFrom) { part in
      var part = part
      part.sort { $0.head < $1.head }
    }
    if rows.count >= parallelFrom {
      var rows = rows
      rows.sort { $0.head < $1.head }
    }
  }

  /// Does something to parts of the rows, by several cores if there are many rows.
  private static func each(
    of rows: UnsafeMutableBufferPointer<Place>, _ parallelFrom: Int,
    _ body: @Sendable (UnsafeMutableBufferPointer<Place>) -> Void
  ) {
    // Most are few, and need no lists of parts.
    guard rows.count >= parallelFrom else { return body(rows) }
    let parts = Parallel.parts(of: rows.count, threshold: parallelFrom)
    // No part has a row of another.
    nonisolated(unsafe) let rows = rows
    _ = Parallel.map(parts.count, threshold: 0, rows: { parts[$0].count }) { part in
      body(UnsafeMutableBufferPointer(rebasing: rows[parts[part]]))
    }
  }

  /// Sorts what has one head, in rows that are sorted by their heads.
  ///
  /// - Parameters:
  ///   - rows: The rows.
  ///   - depth: So many bytes of the keys' tails are sorted by already.
  ///   - step: How many heads were taken from tails until now.
  ///   - parallelFrom: So many rows are sorted by several cores at once.
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

  /// Sorts rows whose keys are the same up to a depth.
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
      // What is left ties in its bytes, too, or is little.
      return rows.sort { left, right in
        left.row._withUnsafeGuaranteedRef { left in
          right.row._withUnsafeGuaranteedRef { ByRow.compareTails(left, $0) < 0 }
        }
      }
    }
    // A tail that is at its end has less in common with others than what it was sorted by, filled up with zeros.
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
