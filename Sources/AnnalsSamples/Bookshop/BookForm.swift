package import Annals

/// A form where a bookseller prepares several changes while the shop stays open.
///
/// The entered changes are on a draft, which is visible in ``list`` but not in the shop. The draft follows the shop, so
/// the list also shows changes by other sellers. Saving the form re-decides all changes, based on the current state of
/// the shop, and commits all or none of them. After that, the changes are in the seller's history, and can be undone
/// there.
package final class BookForm {
  /// The list of the shop's books, including the entered changes.
  package let list: FetchedResultsController<Book>
  /// The history of the entered changes.
  package let history: UndoHistory
  /// The branch with the entered changes.
  package let draft: Branch

  /// Opens a form.
  package init(_ store: some EventStore, of seller: String) throws {
    draft = try store.branch(floating: true)
    history = Self.history(draft, of: seller)
    list = FetchedResultsController(store: draft, projection: BooksForSale(), request: .byPrice)
    try list.performFetch()
  }

  /// Returns the seller's undo history, in a shop or in a draft.
  package static func history(_ store: some EventStore, of seller: String) -> UndoHistory {
    UndoHistory(store, of: seller, deciders: [Bookshop.self])
  }

  /// Enters a change.
  package func enter(_ command: BookCommand, named title: String) throws {
    try history.execute(command, on: Bookshop["main"], named: title)
  }

  /// Saves either all entered changes or none of them.
  ///
  /// - Throws: ``Branch/MergeError`` with the commands that the shop now refuses, after which the form is still open.
  @discardableResult
  package func save() throws -> Receipt { try draft.merge() }
}
