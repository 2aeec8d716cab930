package import Annals
import AnnalsMirror

/// A strict table that takes the batches of a replay, as a table view would.
///
/// The table compares all of its rows after every batch. So it takes only a sample of many batches of a long list.
package struct BatchCheck<Row: Annals.Row> {
  /// The table, or `nil` after a batch that it did not take.
  private var table: MirrorTable<Row>?
  /// How many batches the table took.
  package private(set) var count = 0
  /// How many batches there were.
  package private(set) var seen = 0
  /// The table checks one batch in this number of batches.
  private var stride = 1
  /// The number of rows that the table looked at since the stride grew.
  private var work = 0
  private let patience: Int

  /// Creates a check of the batches that follow a list.
  ///
  /// - Parameters:
  ///   - results: The list.
  ///   - patience: The number of compared rows after which the table takes half of the batches.
  package init(_ results: Results<Row>, patience: Int = 5_000_000) {
    table = MirrorTable(results)
    self.patience = patience
  }

  /// Gives the table a batch.
  ///
  /// - Parameter changes: The batch.
  /// - Throws: A ``ReplayError`` with a negative status that names the batch and what is wrong with it.
  package mutating func take(_ changes: Changes<Row>) throws {
    seen += 1
    guard seen.isMultiple(of: stride) else {
      table = nil
      return
    }
    var table = self.table ?? MirrorTable(changes.old)
    self.table = nil
    do {
      try table.apply(changes)
    } catch {
      throw ReplayError(
        .negative, "a table view cannot take the batch from \(changes.from) to \(changes.to): \(error)")
    }
    self.table = table
    count += 1
    work += changes.new.rows.count
    if work > patience { (work, stride) = (0, stride * 2) }
  }
}
