import Annals

/// What a table was told between the outermost beginUpdates and endUpdates.
///
/// Deletions, reloads and the sources of moves are indices of the old table, the others of the new one, in whatever order
/// they were told.
struct TableBatch {
  struct Move<Place> {
    let from: Place
    let to: Place
  }

  var deletedSections: [Int] = []
  var insertedSections: [Int] = []
  var movedSections: [Move<Int>] = []
  var reloadedSections: [Int] = []
  var deletedRows: [RowPath] = []
  var insertedRows: [RowPath] = []
  var movedRows: [Move<RowPath>] = []
  var reloadedRows: [RowPath] = []

  var isEmpty: Bool {
    deletedSections.isEmpty && insertedSections.isEmpty && movedSections.isEmpty && reloadedSections.isEmpty
      && deletedRows.isEmpty && insertedRows.isEmpty && movedRows.isEmpty && reloadedRows.isEmpty
  }
}

/// What UIKit would end the app with.
struct TableException: Error {
  let reason: String
}
