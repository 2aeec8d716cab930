package import Annals
package import Foundation

/// The table of a bookshop.
///
/// The screen is also the controller's delegate, which doesn't handle sections or moves. So the screen configures the
/// controller not to report moves. A row that moves is then reported as a deletion and an insertion.
package final class BookshopScreen: ListScreen {
  package let controller: FetchedResultsController<Book>
  package let table = ScreenTable(BookshopScreen.text)
  package let tap = DelegateTap(BookshopScreen.text)
  private let store: any EventStore

  package init(_ store: some EventStore, reportedMoves: MoveReporting = [], cacheName: String? = "book") throws {
    self.store = store
    controller = FetchedResultsController(
      store: store, projection: BooksForSale(), request: .byPrice, cacheName: cacheName)
    controller.reportedMoves = reportedMoves
    try open()
  }

  package static func text(of book: Book) -> String { "\(book.title)  ¥\(book.price)" }

  /// Swipes a row away.
  package func delete(at indexPath: IndexPath) throws {
    try store.execute(.withdraw(id: controller.object(at: indexPath).id), on: Bookshop["main"])
  }

  /// Swipes a row away while other books arrive, all in one transaction.
  package func delete(at indexPath: IndexPath, stocking books: [Book]) throws {
    let id = controller.object(at: indexPath).id
    try store.transaction { transaction in
      try transaction.execute(.withdraw(id: id), on: Bookshop["main"])
      for book in books { try transaction.execute(.stock(book), on: Bookshop["main"]) }
    }
  }

  /// Raises the price of the swiped book instead of deleting it.
  package func raise(at indexPath: IndexPath, by amount: Double) throws {
    try store.execute(.raise(id: controller.object(at: indexPath).id, by: amount), on: Bookshop["main"])
  }
}

extension BookshopScreen: FetchedResultsControllerDelegate {
  package func controllerWillChangeContent(_ controller: FetchedResultsController<Book>) {
    table.beginUpdates()
  }

  package func controller(
    _ controller: FetchedResultsController<Book>, didChange book: Book, at indexPath: IndexPath?,
    for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    if type == .delete, let indexPath {
      table.deleteRow(at: indexPath)
    } else if type == .insert, let newIndexPath {
      table.insertRow(at: newIndexPath)
    } else if type == .update, let indexPath {
      table.setContent(controller.object(at: indexPath), at: indexPath)
      table.reloadRow(at: indexPath)
    }
  }

  package func controllerDidChangeContent(_ controller: FetchedResultsController<Book>) {
    table.endUpdates()
  }
}
