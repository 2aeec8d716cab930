package import Annals
package import Foundation

/// The table of a library.
///
/// Its delegate responds to a move with `reloadData` inside the update cycle.
///
/// A table view forbids this call during an update cycle, so the screen configures the controller not to report moves.
package final class LibraryScreen: ListScreen {
  package let controller: FetchedResultsController<NamedBook>
  package let table = ScreenTable(LibraryScreen.text)
  package let tap = DelegateTap(LibraryScreen.text)

  package init(_ store: some EventStore, reportedMoves: MoveReporting = []) throws {
    controller = FetchedResultsController(store: store, projection: BooksByName(), request: .byName)
    controller.reportedMoves = reportedMoves
    try open()
  }

  package static func text(of book: NamedBook) -> String { book.name }
}

extension LibraryScreen: FetchedResultsControllerDelegate {
  package func controllerWillChangeContent(_ controller: FetchedResultsController<NamedBook>) {
    table.beginUpdates()
  }

  package func controller(
    _ controller: FetchedResultsController<NamedBook>, didChange section: ResultsSection<NamedBook>,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType
  ) {
    switch type {
    case .insert: table.insertSection(sectionIndex)
    case .delete: table.deleteSection(sectionIndex)
    case .move, .update: break
    }
  }

  package func controller(
    _ controller: FetchedResultsController<NamedBook>, didChange book: NamedBook, at indexPath: IndexPath?,
    for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    switch (type, indexPath, newIndexPath) {
    case (.insert, _, .some(let path)): table.insertRow(at: path)
    case (.delete, .some(let path), _): table.deleteRow(at: path)
    case (.update, .some(let path), _): table.reloadRow(at: path)
    case (.move, _, _): table.reloadData()
    default: break
    }
  }

  package func controllerDidChangeContent(_ controller: FetchedResultsController<NamedBook>) {
    table.endUpdates()
  }
}
