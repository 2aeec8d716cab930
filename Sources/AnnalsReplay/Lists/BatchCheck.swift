package import Annals
import AnnalsMirror

/// A strict table that takes every batch of a replay, as a table view would.
package struct BatchCheck<Row: Annals.Row> {
  private var table: MirrorTable<Row>
  /// How many batches the table took.
  package private(set) var count = 0

  /// Creates a check of the batches that follow a list.
  package init(_ results: Results<Row>) {
    table = MirrorTable(results)
  }

  /// Gives the table a batch.
  ///
  /// - Parameter changes: The batch.
  /// - Throws: A ``ReplayError`` with a negative status that names the batch and what is wrong with it.
  package mutating func take(_ changes: Changes<Row>) throws {
    do {
      try table.apply(changes)
      count += 1
    } catch {
      throw ReplayError(
        .negative, "a table view cannot take the batch from \(changes.from) to \(changes.to): \(error)")
    }
  }
}
