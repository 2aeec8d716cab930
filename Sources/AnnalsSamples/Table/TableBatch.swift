import Annals

/// The changes between the outermost beginUpdates and endUpdates.
///
/// Deletions, reloads and the sources of moves are indices of the old table. The others are indices of the new one. The
/// order of the calls does not matter.
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

/// The exception with which UIKit would end the app.
struct TableException: Error {
  let reason: String
}
