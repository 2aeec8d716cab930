package import Annals

/// A form in which a bookseller prepares several changes while the shop goes on selling.
///
/// What is entered is on a draft, which ``list`` shows and the shop does not. The draft follows the shop: what others
/// do there is in the list, too. It is saved as a whole, decided again on the shop as it is then. What was saved is in
/// the seller's history, and can be undone there.
package final class BookForm {
  /// The shop with what was entered.
  package let list: FetchedResultsController<Book>
  /// What was entered, step by step.
  package let history: UndoHistory
  /// The shop as it would be with what was entered.
  package let draft: Branch

  /// Opens a form.
  package init(_ store: some EventStore, of seller: String) throws {
    draft = try store.branch(floating: true)
    history = Self.history(draft, of: seller)
    list = FetchedResultsController(store: draft, projection: BooksForSale(), request: .byPrice)
    try list.performFetch()
  }

  /// What a seller has done, on a shop or on a draft.
  package static func history(_ store: some EventStore, of seller: String) -> UndoHistory {
    UndoHistory(store, of: seller, deciders: [Bookshop.self])
  }

  /// Enters a change.
  package func enter(_ command: BookCommand, named title: String) throws {
    try history.execute(command, on: Bookshop.self, id: "main", named: title)
  }

  /// Saves all that was entered, or nothing of it.
  ///
  /// - Throws: ``BranchConflicts`` with what the shop refuses by now; the form is still open then.
  @discardableResult
  package func save() throws -> Receipt { try draft.merge() }
}
